/* build: export=find levels=yes */
/* The first of n values that is not below the wanted one. */

int find(const int *a, int n, int wanted)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (a[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
