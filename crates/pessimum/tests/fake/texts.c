/* Functions whose calls are read from their types. texts.wasm has them all, parse.wasm the first:
   clang-19 --target=wasm32 -O1 -g -nostdlib -fdebug-compilation-dir=. -Wl,--no-entry -Wl,--export=… texts.c */
typedef __SIZE_TYPE__ size_t;

int parse(const char *s, size_t len)
{
    int depth = 0;
    for (size_t i = 0; i < len; i++)
        if (s[i] == '(')
            depth++;
        else if (s[i] == ')' && depth)
            depth--;
    return depth;
}

int count(const char *s)
{
    int found = 0;
    while (*s)
        if (*s++ == 'a')
            found++;
    return found;
}

void copy(unsigned char *restrict to, const unsigned char *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
}

double sum(int n, const double *x)
{
    double all = 0;
    for (int i = 0; i < n; i++)
        all += x[i];
    return all;
}

int seen(const _Bool *flags, int number, _Bool wanted, int from)
{
    for (int i = from; i < number; i++)
        if (flags[i] == wanted)
            return i;
    return -1;
}

struct point { int x, y; };

int width(const struct point *p, int n)
{
    int widest = 0;
    for (int i = 0; i < n; i++)
        if (p[i].x > widest)
            widest = p[i].x;
    return widest;
}
