/* build: export=sort stack=1048576 levels=yes bulk=yes */
/*
 * Merge sort with two arrays that change roles at each level: insertion sort
 * below 7 values, no merge when the halves already stand in order.
 */

#define MAX_VALUES 20000

static int scratch[MAX_VALUES];

/* Sorts to[low..high); from[low..high) holds the same values and is used up. */
static void sort_range(int *from, int *to, int low, int high)
{
    if (high - low < 7) {
        for (int i = low; i < high; i++) {
            for (int j = i; j > low && to[j - 1] > to[j]; j--) {
                int t = to[j];
                to[j] = to[j - 1];
                to[j - 1] = t;
            }
        }
        return;
    }

    int mid = (low + high) / 2;
    sort_range(to, from, low, mid);
    sort_range(to, from, mid, high);

    if (from[mid - 1] <= from[mid]) {
        for (int i = low; i < high; i++)
            to[i] = from[i];
        return;
    }
    int left = low, right = mid;
    for (int i = low; i < high; i++) {
        if (right >= high || (left < mid && from[left] <= from[right]))
            to[i] = from[left++];
        else
            to[i] = from[right++];
    }
}

void sort(int *a, int n)
{
    /* One memory.copy, so that taking the copy costs no branches. */
    __builtin_memcpy(scratch, a, (unsigned)n * sizeof *a);
    sort_range(scratch, a, 0, n);
}
