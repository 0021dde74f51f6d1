/* build: export=search */
/* Boyer-Moore search with the bad-character rule and its usual table of 256 entries. */

static signed char last_place[256];

/* The first place of the pattern in the text, or -1. */
int search(const unsigned char *text, int n, const unsigned char *pattern, int m)
{
    for (int c = 0; c < 256; c++)
        last_place[c] = -1;
    for (int k = 0; k < m; k++)
        last_place[pattern[k]] = (signed char)k;

    int at = 0;
    while (at + m <= n) {
        int j = m - 1;
        while (j >= 0 && pattern[j] == text[at + j])
            j--;
        if (j < 0)
            return at;
        int shift = j - last_place[text[at + j]];
        if (shift < 1)
            shift = 1;
        at += shift; /* TARGET: one move of the pattern */
    }
    return -1;
}
