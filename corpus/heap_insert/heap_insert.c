/* build: export=run */
/* n inserts into a binary heap with the smallest value on top; the last one is measured. */
#include "pessimum.h"

#define MAX_VALUES 100001

static int queue[MAX_VALUES]; /* queue[1] is the top; the children of k are 2k and 2k+1 */
static int size;

__attribute__((noinline)) static void add(int x)
{
    int k = ++size;
    queue[k] = x;
    while (k > 1) {
        int parent = k >> 1;
        if (queue[parent] <= queue[k])
            break;
        int above = queue[parent];
        queue[parent] = queue[k];
        queue[k] = above;
        k = parent;
    }
}

void run(void)
{
    int n = pessimum_size();
    for (int i = 1; i < n; i++)
        add(pessimum_input_i32());
    int last = pessimum_input_i32();
    pessimum_measure_begin();
    add(last);
    pessimum_measure_end();
}
