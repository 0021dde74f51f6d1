/* build: one module with all exports; malloc is exported for the arguments. */
#define _GNU_SOURCE
/*
 * The C library as Debian compiles it for Wasm (wasi-libc, which is musl): each function below
 * hands n unknown bytes or numbers to one of its functions.
 */
#include <fnmatch.h>
#include <regex.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPORT(name) __attribute__((export_name(name)))

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

EXPORT("sort_ints") void sort_ints(int *a, int n)
{
    qsort(a, n, sizeof *a, by_value);
}

EXPORT("search_ints") int search_ints(const int *a, int n, int key)
{
    return bsearch(&key, a, n, sizeof *a, by_value) != NULL;
}

/* The text and the pattern are halves of the same bytes, each made a string. */
EXPORT("find_string") int find_string(const char *text, int n, const char *word, int m)
{
    char *t = malloc(n + 1), *w = malloc(m + 1);
    memcpy(t, text, n);
    memcpy(w, word, m);
    t[n] = w[m] = 0;
    return strstr(t, w) != NULL;
}

EXPORT("find_bytes") int find_bytes(const char *text, int n, const char *word, int m)
{
    return memmem(text, n, word, m) != NULL;
}

/* A fixed pattern of the shell against n unknown characters. */
EXPORT("match_shell") int match_shell(const char *text, int n)
{
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    return fnmatch("*a*a*b", t, 0);
}

/* Back references make musl's matcher go back and try again. */
EXPORT("match_regex") int match_regex(const char *text, int n)
{
    regex_t compiled;
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    if (regcomp(&compiled, "^(a|b)*c$", REG_EXTENDED | REG_NOSUB))
        return -1;
    return regexec(&compiled, t, 0, NULL, 0);
}

EXPORT("read_long") long read_long(const char *text, int n)
{
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    return strtol(t, NULL, 10);
}

EXPORT("read_double") int read_double(const char *text, int n)
{
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    return strtod(t, NULL) > 1;
}

static int by_pointer(const void *a, const void *b)
{
    return by_value(a, b);
}

/* n keys put into the balanced tree of <search.h>. */
EXPORT("fill_tree") int fill_tree(const int *a, int n)
{
    void *root = NULL;
    for (int i = 0; i < n; i++)
        if (!tsearch(&a[i], &root, by_pointer))
            return 0;
    return 1;
}

/* n words of four letters put into the hash table of <search.h>. */
EXPORT("fill_hash") int fill_hash(const char *letters, int n)
{
    hcreate(n);
    for (int i = 0; i < n; i++) {
        char *word = malloc(5);
        memcpy(word, letters + 4 * i, 4);
        word[4] = 0;
        ENTRY item = {word, word};
        if (!hsearch(item, ENTER))
            return 0;
    }
    return 1;
}

/* Words separated by blanks, the usual way. */
EXPORT("split_words") int split_words(const char *text, int n)
{
    char *t = malloc(n + 1), *rest;
    int count = 0;
    memcpy(t, text, n);
    t[n] = 0;
    for (char *w = strtok_r(t, " ,;", &rest); w; w = strtok_r(NULL, " ,;", &rest))
        count++;
    return count;
}

EXPORT("compare_nocase") int compare_nocase(const char *a, const char *b, int n)
{
    return strncasecmp(a, b, n);
}
