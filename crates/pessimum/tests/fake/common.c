/* How long the two have the same bytes, as a library would have it. */
int common(const unsigned char *a, const unsigned char *b, int n)
{
    int i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i;
}
