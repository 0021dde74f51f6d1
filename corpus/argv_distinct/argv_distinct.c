/* build: libc=yes */
/* Whether the characters of the first argument all differ, each compared with all before it. */

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    const char *s = argv[1];
    for (int i = 0; s[i]; i++)
        for (int j = 0; j < i; j++)
            if (s[i] == s[j])
                return 1;
    return 0;
}
