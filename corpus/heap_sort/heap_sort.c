/* build: export=sort levels=yes */
/* Heap sort: builds a heap with the largest value on top, then takes the top away n - 1 times. */

static void sift_down(int *a, int at, int n)
{
    int x = a[at];
    for (;;) {
        int child = 2 * at + 1;
        if (child >= n)
            break;
        if (child + 1 < n && a[child] < a[child + 1])
            child++;
        if (a[child] <= x)
            break;
        a[at] = a[child];
        at = child;
    }
    a[at] = x;
}

void sort(int *a, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(a, i, n);
    for (int last = n - 1; last > 0; last--) {
        int top = a[0];
        a[0] = a[last];
        a[last] = top;
        sift_down(a, 0, last);
    }
}
