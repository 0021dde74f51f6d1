/* The regular expressions of MuJS: a matcher that goes back and tries again. */
#include "regexp.h"
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

static int run(const char *pattern, const char *text, int n)
{
    const char *error = NULL;
    Resub groups;
    char *t = malloc(n + 1);
    memcpy(t, text, n);
    t[n] = 0;
    Reprog *program = regcomp(pattern, 0, &error);
    return program ? regexec(program, t, &groups, 0) : -1;
}

/* Two repetitions, one inside the other. */
EXPORT("nested_plus") int nested_plus(const char *text, int n)
{
    return run("^(a+)+b$", text, n);
}

/* Two ways to read the same character. */
EXPORT("two_ways") int two_ways(const char *text, int n)
{
    return run("^(a|a)*b$", text, n);
}

/* Two repetitions, one after the other. */
EXPORT("two_stars") int two_stars(const char *text, int n)
{
    return run("^a*a*b$", text, n);
}

/* Nothing to go back to. */
EXPORT("plain") int plain(const char *text, int n)
{
    return run("^[ab]*c$", text, n);
}
