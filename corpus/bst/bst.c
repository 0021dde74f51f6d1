/* build: export=run */
/* n - 1 inserts into an unbalanced binary search tree, then one search, which is measured. */
#include "branch.h"
#include "pessimum.h"

#define MAX_NODES 20000

struct node {
    int key;
    struct node *left, *right;
};

static struct node pool[MAX_NODES];
static int used;
static struct node *root;

__attribute__((noinline)) static void insert(int key)
{
    struct node **link = &root;
    while (*link) {
        struct node *at = *link;
        if (at->key < key) {
            link = &at->right;
            KEEP_BRANCH;
        } else if (at->key > key) {
            link = &at->left;
            KEEP_BRANCH;
        } else {
            return;
        }
    }
    struct node *fresh = &pool[used++];
    fresh->key = key;
    *link = fresh;
}

__attribute__((noinline)) static int search(int key)
{
    struct node *at = root;
    while (at) {
        if (at->key < key) {
            at = at->right; /* TARGET: one step down to the right */
            KEEP_BRANCH;
        } else if (at->key > key) {
            at = at->left;
        } else {
            return 1;
        }
    }
    return 0;
}

int run(void)
{
    int n = pessimum_size();
    for (int i = 1; i < n; i++)
        insert(pessimum_input_i32());
    int wanted = pessimum_input_i32();
    pessimum_measure_begin();
    int found = search(wanted);
    pessimum_measure_end();
    return found;
}
