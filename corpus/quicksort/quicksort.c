/* build: export=sort stack=1048576 levels=yes rotate=no */
/*
 * Quicksort with a three-way partition after Bentley and McIlroy: insertion sort
 * below 7 values, the middle value as pivot at 7, the median of three above.
 */
#include "branch.h"

static void swap(int *a, int i, int j)
{
    int t = a[i];
    a[i] = a[j];
    a[j] = t;
}

static void swap_blocks(int *a, int i, int j, int count)
{
    for (int k = 0; k < count; k++)
        swap(a, i + k, j + k);
}

static int smaller(int x, int y)
{
    return x < y ? x : y;
}

/* The place of the middle one of three values. */
__attribute__((noinline)) static int middle_of_three(int *a, int i, int j, int k)
{
    if (a[i] < a[j]) {
        if (a[j] < a[k]) {
            KEEP_BRANCH;
            return j;
        }
        if (a[i] < a[k]) {
            KEEP_BRANCH;
            return k;
        }
        return i;
    }
    if (a[j] > a[k]) {
        KEEP_BRANCH;
        return j;
    }
    if (a[i] > a[k]) {
        KEEP_BRANCH;
        return k;
    }
    return i;
}

static void sort_range(int *a, int from, int count)
{
    int end = from + count;
    if (count < 7) {
        for (int i = from; i < end; i++)
            for (int j = i; j > from && a[j - 1] > a[j]; j--)
                swap(a, j, j - 1);
        return;
    }

    int middle = from + count / 2;
    if (count > 7)
        middle = middle_of_three(a, from, middle, end - 1);
    int pivot = a[middle];

    /* [from, equal_lo) and (equal_hi, end) hold values equal to the pivot. */
    int equal_lo = from, lo = from, hi = end - 1, equal_hi = end - 1;
    for (;;) {
        while (lo <= hi && a[lo] <= pivot) {
            if (a[lo] == pivot)
                swap(a, equal_lo++, lo);
            lo++;
        }
        while (hi >= lo && a[hi] >= pivot) {
            if (a[hi] == pivot)
                swap(a, hi, equal_hi--);
            hi--;
        }
        if (lo > hi)
            break;
        swap(a, lo++, hi--);
    }

    int count_lo = lo - equal_lo, count_hi = equal_hi - hi;
    int moved = smaller(equal_lo - from, count_lo);
    swap_blocks(a, from, lo - moved, moved);
    moved = smaller(count_hi, end - 1 - equal_hi);
    swap_blocks(a, lo, end - moved, moved);

    if (count_lo > 1)
        sort_range(a, from, count_lo);
    if (count_hi > 1)
        sort_range(a, end - count_hi, count_hi);
}

void sort(int *a, int n)
{
    sort_range(a, 0, n);
}
