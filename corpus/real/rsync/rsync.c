/* The file name patterns of rsync. */
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

int wildmatch(const char *pattern, const char *text);

EXPORT("match") int match(const char *text, int n)
{
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    return wildmatch("*a*a*a*b", t);
}
