/* build: export=sort levels=yes */
/* Insertion sort: take each value out and shift the larger ones before it right. */

void sort(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int x = a[i];
        int j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j]; /* TARGET: one shift */
            j--;
        }
        a[j + 1] = x;
    }
}
