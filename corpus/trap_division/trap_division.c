/* build: export=shares */
/* Divides 1000 by each of n values; a zero among them traps. */

int shares(const int *a, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total ^= 1000 / a[i];
    return total;
}
