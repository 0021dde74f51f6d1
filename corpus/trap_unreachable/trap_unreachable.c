/* build: export=validate */
/* Stops dead at the first of n bytes that is not a digit. */

int validate(const unsigned char *s, int n)
{
    int value = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] < '0')
            __builtin_trap();
        if (s[i] > '9')
            __builtin_trap();
        value = (value * 10 + (s[i] - '0')) & 0xffff;
    }
    return value;
}
