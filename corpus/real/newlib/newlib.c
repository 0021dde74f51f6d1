/* newlib, the C library of microcontrollers. */
#include <stddef.h>

#define EXPORT(name) __attribute__((export_name(name)))

void newlib_qsort(void *, size_t, size_t, int (*)(const void *, const void *));

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

EXPORT("sort_ints") void sort_ints(int *a, int n)
{
    newlib_qsort(a, n, sizeof *a, by_value);
}
