/* build: export=rep_ok,distinct,pop */
/* A max-heap in an array. An array of n elements is one of n - 1 elements and a last one. */

int rep_ok(const int *a, int n)
{
    if (n == 0)
        return 1;
    if (!rep_ok(a, n - 1))
        return 0;
    return n == 1 || a[n - 1] <= a[(n - 2) / 2];
}

/* The same, no value twice. */
int distinct(const int *a, int n)
{
    if (n == 0)
        return 1;
    if (!distinct(a, n - 1))
        return 0;
    for (int i = 0; i < n - 1; i++)
        if (a[i] == a[n - 1])
            return 0;
    return n == 1 || a[n - 1] < a[(n - 2) / 2];
}

/* Takes the greatest element out and says how many levels the last one sank: a target to run over
   valid heaps. */
int pop(int *a, int n)
{
    if (n == 0)
        return 0;
    int last = a[--n], at = 0, levels = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && a[child + 1] > a[child])
            child++;
        if (a[child] <= last)
            break;
        a[at] = a[child];
        at = child;
        levels++;
    }
    a[at] = last;
    return levels;
}
