/* build: export=check rotate=no */
/* Checks a password of 32 characters against n stored ones, up to the first that matches whole. */

#define K 32

__attribute__((noinline)) static int matches(const unsigned char *s, const unsigned char *t)
{
    for (int i = 0; i < K; i++)
        if (s[i] != t[i])
            return 0;
    return 1;
}

/* The place of `wanted` among the n strings that stand one after another, or -1. */
int check(const unsigned char *stored, int n, const unsigned char *wanted)
{
    for (int i = 0; i < n; i++)
        if (matches(stored + i * K, wanted))
            return i;
    return -1;
}
