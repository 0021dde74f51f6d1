/* build: export=sort */
/* Insertion sort by computed keys: a * b + c of three numbers each. */

#define MAX_KEYS 5000

static double key[MAX_KEYS];

/* Numbers are given in halves, three for each of n keys. */
void sort(const signed char *at, int n)
{
    for (int i = 0; i < n; i++) {
        key[i] = (at[3 * i] * 0.5) * (at[3 * i + 1] * 0.5) + at[3 * i + 2] * 0.5;
    }
    for (int i = 1; i < n; i++) {
        double x = key[i];
        int j = i - 1;
        while (j >= 0 && key[j] > x) {
            key[j + 1] = key[j];
            j--;
        }
        key[j + 1] = x;
    }
}
