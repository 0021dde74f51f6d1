/* build: export=find */
/* The place of the wanted value among n, or -1. */

int find(const int *a, int n, int wanted)
{
    for (int i = 0; i < n; i++)
        if (a[i] == wanted)
            return i;
    return -1;
}
