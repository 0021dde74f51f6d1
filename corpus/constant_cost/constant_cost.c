/* build: export=ends */
/* Whether the last of n values is above the first: the same work at every size. */
#include "branch.h"

int ends(const int *a, int n)
{
    if (n < 1)
        return 0;
    if (a[n - 1] > a[0]) {
        KEEP_BRANCH;
        return 1;
    }
    return -1;
}
