/* build: export=scan */
/*
 * Linear below 40 values, quadratic from 40 on: below, only neighbours are compared
 * for a repeated value, from 40 on every pair is.
 */

#define THRESHOLD 40

int scan(const int *a, int n)
{
    if (n < THRESHOLD) {
        for (int i = 1; i < n; i++)
            if (a[i] == a[i - 1])
                return i;
        return -1;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a[i] == a[j])
                return i;
    return -1;
}
