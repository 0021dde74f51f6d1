/* Sorts and searches of the BSDs that C libraries elsewhere lack. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

int heapsort(void *, size_t, size_t, int (*)(const void *, const void *));
int mergesort(void *, size_t, size_t, int (*)(const void *, const void *));
char *strnstr(const char *, const char *, size_t);

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

EXPORT("sort_by_heap") void sort_by_heap(int *a, int n)
{
    heapsort(a, n, sizeof *a, by_value);
}

EXPORT("sort_by_merging") void sort_by_merging(int *a, int n)
{
    mergesort(a, n, sizeof *a, by_value);
}

EXPORT("find") int find(const char *text, int n, const char *word)
{
    return strnstr(text, word, n) != NULL;
}
