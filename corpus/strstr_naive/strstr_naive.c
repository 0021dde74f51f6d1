/* build: export=find */
/* The plain search for a string in another: every place, every character. */

int find(const unsigned char *text, int n, const unsigned char *pattern, int m)
{
    for (int at = 0; at + m <= n; at++) {
        int j = 0;
        while (j < m && text[at + j] == pattern[j])
            j++;
        if (j == m)
            return at;
    }
    return -1;
}
