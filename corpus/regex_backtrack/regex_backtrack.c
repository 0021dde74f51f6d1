/* build: export=match stack=1048576 */
/* Whether n bytes match (a+)+b as a whole, by backtracking. */

/* One more round of the outer +, from place `at`. */
static int rounds(const unsigned char *s, int n, int at)
{
    for (int end = at; end < n && s[end] == 'a'; end++) {
        /* The inner + has taken at..=end; now the b, or another round. */
        if (end + 2 == n && s[end + 1] == 'b')
            return 1;
        if (rounds(s, n, end + 1))
            return 1;
    }
    return 0;
}

int match(const unsigned char *s, int n)
{
    return rounds(s, n, 0);
}
