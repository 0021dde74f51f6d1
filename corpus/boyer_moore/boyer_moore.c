/* build: export=search */
/*
 * Boyer-Moore search with the bad-character rule. The last place of a character
 * in the pattern is found by looking, not in a table of 256 entries
 * (boyer_moore_table has the table).
 */

/* Where c stands last in the pattern, or -1. */
__attribute__((noinline)) static int last_place(const unsigned char *pattern, int m, unsigned char c)
{
    int k = m - 1;
    while (k >= 0 && pattern[k] != c)
        k--;
    return k;
}

/* The first place of the pattern in the text, or -1. */
int search(const unsigned char *text, int n, const unsigned char *pattern, int m)
{
    int at = 0;
    while (at + m <= n) {
        int j = m - 1;
        while (j >= 0 && pattern[j] == text[at + j])
            j--;
        if (j < 0)
            return at;
        int shift = j - last_place(pattern, m, text[at + j]);
        if (shift < 1)
            shift = 1;
        at += shift; /* TARGET: one move of the pattern */
    }
    return -1;
}
