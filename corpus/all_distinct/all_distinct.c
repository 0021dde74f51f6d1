/* build: export=all_distinct */
/* Whether n values differ pairwise: the search for a duplicate, each against all before it. */

int all_distinct(const int *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (a[i] == a[j])
                return 0;
    return 1;
}
