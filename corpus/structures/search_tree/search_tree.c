/* build: export=rep_ok,bounded_ok,search */
/* A binary search tree: every key is above those to its left and below those to its right. */

#include <limits.h>

struct tree {
    struct tree *left, *right;
    int key;
};

static int least(const struct tree *tree)
{
    while (tree->left)
        tree = tree->left;
    return tree->key;
}

static int greatest(const struct tree *tree)
{
    while (tree->right)
        tree = tree->right;
    return tree->key;
}

int rep_ok(const struct tree *tree)
{
    if (!tree)
        return 1;
    if (!rep_ok(tree->left) || !rep_ok(tree->right))
        return 0;
    if (tree->left && greatest(tree->left) >= tree->key)
        return 0;
    return !tree->right || least(tree->right) > tree->key;
}

/* The same property, with the bounds handed down: the recursive calls differ in their arguments. */
static int between(const struct tree *tree, int above, int below)
{
    if (!tree)
        return 1;
    if (tree->key <= above || tree->key >= below)
        return 0;
    return between(tree->left, above, tree->key) && between(tree->right, tree->key, below);
}

int bounded_ok(const struct tree *tree)
{
    return between(tree, INT_MIN, INT_MAX);
}

/* How many nodes a look-up visits: a target to run over valid trees. */
int search(const struct tree *tree, int key)
{
    int visited = 0;
    while (tree) {
        visited++;
        if (tree->key == key)
            return visited;
        tree = key < tree->key ? tree->left : tree->right;
    }
    return -visited;
}
