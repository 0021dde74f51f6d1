/* build: export=run */
/* Merges two sorted arrays of n values each; the merge is measured. */
#include "pessimum.h"

#define MAX_VALUES 20000

static int a[MAX_VALUES], b[MAX_VALUES];
int merged[2 * MAX_VALUES]; /* the result; not static, or the compiler would drop the stores */

__attribute__((noinline)) static void merge(int n)
{
    int i = 0, j = 0, k = 0;
    while (i < n && j < n) {
        if (a[i] <= b[j]) {
            merged[k] = a[i];
            i++;
        } else {
            merged[k] = b[j];
            j++;
        }
        k++; /* TARGET: one value chosen by a comparison */
    }
    for (; i < n; i++)
        merged[k++] = a[i];
    for (; j < n; j++)
        merged[k++] = b[j];
}

static void input_sorted(int *values, int n)
{
    for (int i = 0; i < n; i++) {
        values[i] = pessimum_input_i32();
        if (i > 0)
            pessimum_assume(values[i - 1] <= values[i]);
    }
}

void run(void)
{
    int n = pessimum_size();
    input_sorted(a, n);
    input_sorted(b, n);
    pessimum_measure_begin();
    merge(n);
    pessimum_measure_end();
}
