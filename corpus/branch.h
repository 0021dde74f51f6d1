/*
 * Two empty statements that keep the optimiser from making other paths of a
 * program than those of its source. Neither emits an instruction of its own.
 *
 * KEEP_BRANCH at the end of an arm keeps the arm a branch. Without it clang folds
 * short arms into `select` or sinks what two arms have in common.
 *
 * KEEP_HERE(x) makes what follows with x stay behind this place. Without it clang
 * takes the step of a loop before the test that decides whether it is taken, and
 * the line of the step is visited once too often.
 */
#ifndef CORPUS_BRANCH_H
#define CORPUS_BRANCH_H

#define KEEP_BRANCH __asm__ volatile("")
#define KEEP_HERE(x) __asm__ volatile("" : "+r"(x))

#endif
