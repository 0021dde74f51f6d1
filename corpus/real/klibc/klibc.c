/* klibc, the small C library of early user space. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

int klibc_fnmatch(const char *, const char *, int);
void klibc_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *klibc_memmem(const void *, size_t, const void *, size_t);

static char *string(const char *text, int n)
{
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    return t;
}

EXPORT("match_shell") int match_shell(const char *text, int n)
{
    return klibc_fnmatch("*a*a*a*b", string(text, n), 0);
}

/* As many stars as characters: the pattern grows with the text. */
EXPORT("match_stars") int match_stars(const char *text, int n)
{
    char *pattern = malloc(n + 2);
    for (int i = 0; i < n; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[n] = 'b';
    pattern[n + 1] = 0;
    return klibc_fnmatch(pattern, string(text, n), 0);
}

EXPORT("find_bytes") int find_bytes(const char *text, int n, const char *word, int m)
{
    return klibc_memmem(text, n, word, m) != NULL;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

EXPORT("sort_ints") void sort_ints(int *a, int n)
{
    klibc_qsort(a, n, sizeof *a, by_value);
}
