/* Insertion sort, as sort.cpp, sort.zig and sort.ts have it. */
void sort(int *a, int n)
{
    for (int i = 1; i < n; i++) {
        int x = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}
