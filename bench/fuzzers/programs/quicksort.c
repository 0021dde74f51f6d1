/* Hoare's quicksort with the first value as pivot, as textbooks have it, on numbers of four bytes. */
#include "numbers.h"

static void sort(int *a, int from, int to)
{
    if (from >= to)
        return;
    int pivot = a[from], i = from - 1, j = to + 1;
    for (;;) {
        do
            j--;
        while (a[j] > pivot);
        do
            i++;
        while (a[i] < pivot);
        if (i >= j)
            break;
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
    sort(a, from, j);
    sort(a, j + 1, to);
}

int target(const uint8_t *data, size_t n)
{
    int numbers[MOST_NUMBERS];
    int count = read_numbers(numbers, data, n);
    sort(numbers, 0, count - 1);
    return count > 0 ? numbers[0] : 0;
}
