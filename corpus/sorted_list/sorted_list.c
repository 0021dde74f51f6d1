/* build: export=run rotate=no */
/* n inserts into a sorted linked list that ends in a sentinel; the last one is measured. */
#include <limits.h>

#include "branch.h"
#include "pessimum.h"

#define MAX_NODES 20000

struct node {
    int x;
    struct node *next;
};

static struct node pool[MAX_NODES];
static int used;
static struct node sentinel = {INT_MAX, 0};
static struct node head = {0, &sentinel}; /* its value is not looked at */

__attribute__((noinline)) static void insert(int x)
{
    struct node *before = &head, *at = head.next;
    while (x > at->x) {
        before = at;
        KEEP_HERE(at);
        at = at->next; /* TARGET: one step along the list */
    }
    struct node *fresh = &pool[used++];
    fresh->x = x;
    fresh->next = at;
    before->next = fresh;
}

void run(void)
{
    int n = pessimum_size();
    for (int i = 1; i < n; i++)
        insert(pessimum_input_i32());
    int last = pessimum_input_i32();
    pessimum_measure_begin();
    insert(last);
    pessimum_measure_end();
}
