/* build: export=run */
/* n inserts into a red-black tree, then one search, which is measured. */
#include "branch.h"
#include "pessimum.h"

#define MAX_NODES 20000

enum colour { BLACK, RED };

struct node {
    int key;
    enum colour colour;
    struct node *left, *right, *parent;
};

static struct node nil; /* stands for every missing child, and for the parent of the root */
static struct node *root = &nil;
static struct node pool[MAX_NODES];
static int used;

static void replace_child(struct node *old, struct node *fresh)
{
    struct node *parent = old->parent;
    fresh->parent = parent;
    if (parent == &nil)
        root = fresh;
    else if (parent->left == old)
        parent->left = fresh;
    else
        parent->right = fresh;
}

static void rotate_left(struct node *x)
{
    struct node *y = x->right;
    x->right = y->left;
    if (y->left != &nil)
        y->left->parent = x;
    replace_child(x, y);
    y->left = x;
    x->parent = y;
}

static void rotate_right(struct node *x)
{
    struct node *y = x->left;
    x->left = y->right;
    if (y->right != &nil)
        y->right->parent = x;
    replace_child(x, y);
    y->right = x;
    x->parent = y;
}

static void restore(struct node *z)
{
    while (z->parent->colour == RED) {
        struct node *parent = z->parent;
        struct node *grand = parent->parent;
        int on_left = grand->left == parent;
        struct node *uncle = on_left ? grand->right : grand->left;
        if (uncle->colour == RED) {
            parent->colour = BLACK;
            uncle->colour = BLACK;
            grand->colour = RED;
            z = grand;
        } else if (on_left) {
            if (z == parent->right) {
                rotate_left(parent);
                parent = z;
            }
            parent->colour = BLACK;
            grand->colour = RED;
            rotate_right(grand);
            break;
        } else {
            if (z == parent->left) {
                rotate_right(parent);
                parent = z;
            }
            parent->colour = BLACK;
            grand->colour = RED;
            rotate_left(grand);
            break;
        }
    }
    root->colour = BLACK;
}

__attribute__((noinline)) static void insert(int key)
{
    struct node *parent = &nil;
    struct node **link = &root;
    while (*link != &nil) {
        parent = *link;
        if (key < parent->key) {
            link = &parent->left;
            KEEP_BRANCH;
        } else {
            link = &parent->right;
        }
    }
    struct node *fresh = &pool[used++];
    fresh->key = key;
    fresh->colour = RED;
    fresh->left = &nil;
    fresh->right = &nil;
    fresh->parent = parent;
    *link = fresh;
    restore(fresh);
}

__attribute__((noinline)) static int search(int key)
{
    struct node *at = root;
    while (at != &nil) {
        if (key == at->key)
            return 1;
        if (key < at->key) {
            at = at->left;
            KEEP_BRANCH;
        } else {
            at = at->right;
        }
    }
    return 0;
}

int run(void)
{
    int n = pessimum_size();
    for (int i = 0; i < n; i++)
        insert(pessimum_input_i32());
    int wanted = pessimum_input_i32();
    pessimum_measure_begin();
    int found = search(wanted);
    pessimum_measure_end();
    return found;
}
