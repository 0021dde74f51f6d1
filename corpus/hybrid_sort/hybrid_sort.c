/* build: export=sort stack=1048576 */
/*
 * Insertion sort below 20 values, merge sort from 20 on: quadratic at every size
 * that can be explored exhaustively, n log n in truth.
 */

#define THRESHOLD 20
#define MAX_VALUES 20000

static int scratch[MAX_VALUES];

static void sort_range(int *a, int low, int high)
{
    if (high - low < THRESHOLD) {
        for (int i = low + 1; i < high; i++) {
            int x = a[i], j = i;
            while (j > low && a[j - 1] > x) {
                a[j] = a[j - 1];
                j--;
            }
            a[j] = x;
        }
        return;
    }
    int middle = (low + high) / 2;
    sort_range(a, low, middle);
    sort_range(a, middle, high);
    for (int i = low; i < high; i++)
        scratch[i] = a[i];
    int left = low, right = middle;
    for (int i = low; i < high; i++) {
        if (right >= high || (left < middle && scratch[left] <= scratch[right]))
            a[i] = scratch[left++];
        else
            a[i] = scratch[right++];
    }
}

void sort(int *a, int n)
{
    sort_range(a, 0, n);
}
