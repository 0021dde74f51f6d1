/* build: export=rep_ok,distinct */
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
