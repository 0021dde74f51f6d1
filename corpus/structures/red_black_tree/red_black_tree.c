/* build: export=rep_ok,black_root,search */
/* A red-black tree with keys. rep_ok lets the root have either colour, black_root does not. */

#include <stdbool.h>

struct tree {
    struct tree *left, *right;
    int key;
    bool red;
};

static int black_height(const struct tree *tree)
{
    int height = 0;
    for (; tree; tree = tree->left)
        height += !tree->red;
    return height;
}

static bool is_red(const struct tree *tree)
{
    return tree && tree->red;
}

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
    if (black_height(tree->left) != black_height(tree->right))
        return 0;
    if (tree->red && (is_red(tree->left) || is_red(tree->right)))
        return 0;
    if (tree->left && greatest(tree->left) >= tree->key)
        return 0;
    return !tree->right || least(tree->right) > tree->key;
}

int black_root(const struct tree *tree)
{
    return !is_red(tree) && rep_ok(tree);
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
