/*
 * KEEP_BRANCH at the end of an arm keeps the arm a branch. Without it clang
 * folds short arms into `select` or sinks what two arms have in common, and
 * then the paths of the module are no longer those of the source. It is an
 * empty statement that the optimiser must not move or copy; it emits nothing.
 */
#ifndef CORPUS_BRANCH_H
#define CORPUS_BRANCH_H

#define KEEP_BRANCH __asm__ volatile("")

#endif
