/* build: export=rep_ok */
/* A binary tree whose nodes know the size of their subtree. */

struct tree {
    struct tree *left, *right;
    int size;
};

static int size(const struct tree *tree)
{
    return tree ? tree->size : 0;
}

int rep_ok(const struct tree *tree)
{
    if (!tree)
        return 1;
    if (!rep_ok(tree->left) || !rep_ok(tree->right))
        return 0;
    return tree->size == 1 + size(tree->left) + size(tree->right);
}
