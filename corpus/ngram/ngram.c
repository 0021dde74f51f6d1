/* build: export=score rotate=no */
/* Looks a string of 3 characters up among n stored ones, the first that matches whole. */

#define K 3

__attribute__((noinline)) static int matches(const unsigned char *s, const unsigned char *t)
{
    for (int i = 0; i < K; i++)
        if (s[i] != t[i])
            return 0;
    return 1;
}

/* The place of `wanted` among the n strings that stand one after another, or -1. */
int score(const unsigned char *stored, int n, const unsigned char *wanted)
{
    for (int i = 0; i < n; i++)
        if (matches(stored + i * K, wanted))
            return i;
    return -1;
}
