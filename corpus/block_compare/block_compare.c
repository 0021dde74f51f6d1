/* build: export=run rotate=no */
/*
 * The place of the first difference of two blocks of n words: word by word first,
 * then byte by byte within the word that differs. As in GNU cmp, a sentinel behind
 * the blocks, different in both, makes a check of the length unnecessary.
 */
#include "branch.h"
#include "pessimum.h"

#define MAX_WORDS 20000

static unsigned block0[MAX_WORDS + 1], block1[MAX_WORDS + 1];

__attribute__((noinline)) static int first_difference(const unsigned *p, const unsigned *q)
{
    const unsigned *start = p;
    while (*p == *q) {
        KEEP_HERE(p);
        p++; /* TARGET: one word that is equal */
        q++;
    }
    const unsigned char *c = (const unsigned char *)p;
    const unsigned char *d = (const unsigned char *)q;
    while (*c == *d) {
        c++;
        d++;
    }
    return (int)(c - (const unsigned char *)start);
}

int run(void)
{
    int n = pessimum_size();
    for (int i = 0; i < n; i++)
        block0[i] = (unsigned)pessimum_input_i32();
    for (int i = 0; i < n; i++)
        block1[i] = (unsigned)pessimum_input_i32();
    block0[n] = 0;
    block1[n] = ~0u;
    pessimum_measure_begin();
    int place = first_difference(block0, block1);
    pessimum_measure_end();
    return place;
}
