/* build: export=run stack=1048576 */
/* n inserts into a B-tree of nodes with 2 to 5 keys, then one search, which is measured. */
#include "pessimum.h"

#define MIN_KEYS 2
#define MAX_KEYS (2 * MIN_KEYS + 1)
#define MAX_NODES 10000

struct node {
    int count; /* keys in use; an inner node has one child more */
    int leaf;
    int key[MAX_KEYS];
    struct node *child[MAX_KEYS + 1];
};

static struct node pool[MAX_NODES];
static int used;
static struct node *root;

static struct node *fresh(int leaf)
{
    struct node *node = &pool[used++];
    node->leaf = leaf;
    return node;
}

/* Cuts the full child at place i of a node that is not full. */
__attribute__((noinline)) static void split(struct node *parent, int i)
{
    struct node *left = parent->child[i];
    struct node *right = fresh(left->leaf);
    right->count = MIN_KEYS;
    for (int k = 0; k < MIN_KEYS; k++)
        right->key[k] = left->key[k + MIN_KEYS + 1];
    if (!left->leaf)
        for (int k = 0; k <= MIN_KEYS; k++)
            right->child[k] = left->child[k + MIN_KEYS + 1];
    left->count = MIN_KEYS;
    for (int k = parent->count; k > i; k--) {
        parent->key[k] = parent->key[k - 1];
        parent->child[k + 1] = parent->child[k];
    }
    parent->key[i] = left->key[MIN_KEYS];
    parent->child[i + 1] = right;
    parent->count++;
}

__attribute__((noinline)) static void insert(int key)
{
    if (root->count == MAX_KEYS) {
        struct node *above = fresh(0);
        above->child[0] = root;
        root = above;
        split(above, 0);
    }
    struct node *at = root;
    for (;;) {
        int i = 0;
        while (i < at->count && key > at->key[i])
            i++;
        if (i < at->count && key == at->key[i])
            return;
        if (at->leaf) {
            for (int k = at->count; k > i; k--)
                at->key[k] = at->key[k - 1];
            at->key[i] = key;
            at->count++;
            return;
        }
        if (at->child[i]->count == MAX_KEYS) {
            split(at, i);
            continue; /* the key that came up has to be compared, too */
        }
        at = at->child[i];
    }
}

__attribute__((noinline)) static int search(int key)
{
    struct node *at = root;
    for (;;) {
        int i = 0;
        while (i < at->count && key > at->key[i])
            i++;
        if (i < at->count && key == at->key[i])
            return 1;
        if (at->leaf)
            return 0;
        at = at->child[i];
    }
}

int run(void)
{
    int n = pessimum_size();
    root = fresh(1);
    for (int i = 0; i < n; i++)
        insert(pessimum_input_i32());
    int wanted = pessimum_input_i32();
    pessimum_measure_begin();
    int found = search(wanted);
    pessimum_measure_end();
    return found;
}
