/* build: export=sum */
/* The sum of n values: linear, and the same for every input of a size. */

int sum(const int *a, int n)
{
    unsigned total = 0;
    for (int i = 0; i < n; i++)
        total += (unsigned)a[i];
    return (int)total;
}
