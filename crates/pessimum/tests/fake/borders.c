int common(const unsigned char *a, const unsigned char *b, int n);

/* How many ends of the text begin it as well. */
int borders(const unsigned char *text, int n)
{
    int found = 0;
    for (int i = 1; i < n; i++)
        if (common(text, text + i, n - i) == n - i)
            found++;
    return found;
}

/* With common.c in a folder of its own:
   clang-19 --target=wasm32 -O1 -g -c -ffile-prefix-map=$PWD=. borders.c
   clang-19 --target=wasm32 -O1 -g -c -ffile-prefix-map=$PWD=/usr/src/library common.c
   clang-19 --target=wasm32 -nostdlib -Wl,--no-entry -Wl,--export=borders borders.o common.o -o borders.wasm */
