/* bzip2: the order of all rotations of n bytes, by the sort that it falls back to. */
#include "blocksort.c"
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

void BZ2_bz__AssertH__fail(int code)
{
    abort();
}

/* Blocks below 10000 bytes are sorted by this one alone. */
EXPORT("rotations") int rotations(const unsigned char *text, int n)
{
    UInt32 *map = calloc(n + 1, sizeof *map);
    UInt32 *classes = calloc(n + BZ_N_OVERSHOOT, sizeof *classes);
    UInt32 *heads = calloc(n / 32 + 16, sizeof *heads);
    memcpy(classes, text, n);
    fallbackSort(map, classes, heads, n, 0);
    return (int)map[0];
}
