/* build: export=split */
/*
 * Where the fields of a record begin: a comma ends one, but not between quotation marks, and
 * a line feed outside of them ends the record. Everything is costliest within quotation marks,
 * so that the branches for the end of a record are met on paths that are not the worst.
 */
static int fields[1 << 14];

int split(const unsigned char *s, int n)
{
    int count = 0, quoted = 0;
    fields[count++] = 0;
    for (int i = 0; i < n; i++) {
        if (s[i] == '"')
            quoted = !quoted;
        else if (s[i] == ',' && !quoted)
            fields[count++] = i + 1;
        else if (s[i] == '\n' && !quoted)
            break;
    }
    return count;
}
