/* build: export=parse stack=1048576 */
/*
 * A parser without memory for
 *     sum  = term '+' sum | term '-' sum | term
 *     term = '(' sum ')' | 'a'
 * that begins anew with each alternative: three readings of what is inside a pair
 * of brackets, nine of what is inside two.
 */
#include "branch.h"

static int sum(const unsigned char *s, int n, int at);

/* Each returns the place behind what it has read, or -1. */
static int term(const unsigned char *s, int n, int at)
{
    if (at >= n)
        return -1;
    if (s[at] == 'a') {
        KEEP_BRANCH;
        return at + 1;
    }
    if (s[at] != '(')
        return -1;
    int end = sum(s, n, at + 1);
    if (end < 0 || end >= n)
        return -1;
    if (s[end] != ')') {
        KEEP_BRANCH;
        return -1;
    }
    return end + 1;
}

static int sum(const unsigned char *s, int n, int at)
{
    int end = term(s, n, at);
    if (end >= 0 && end < n && s[end] == '+') {
        int rest = sum(s, n, end + 1);
        if (rest >= 0)
            return rest;
    }
    end = term(s, n, at);
    if (end >= 0 && end < n && s[end] == '-') {
        int rest = sum(s, n, end + 1);
        if (rest >= 0)
            return rest;
    }
    return term(s, n, at);
}

int parse(const unsigned char *s, int n)
{
    return sum(s, n, 0) == n;
}
