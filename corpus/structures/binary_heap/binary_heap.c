/* build: export=rep_ok */
/* A max-heap of linked nodes: a complete tree, filled from the left, no key above its parent's. */

struct heap {
    struct heap *left, *right;
    int key;
    int size;
};

static int size(const struct heap *heap)
{
    return heap ? heap->size : 0;
}

/* How many nodes of a complete tree of this size are to the left of the root. */
static int size_of_left(int size)
{
    int row = 1, left = 0;
    for (size--; size > 0; row *= 2) {
        int more = size < row ? size : row;
        left += more;
        size -= more;
        size -= size < row ? size : row;
    }
    return left;
}

int rep_ok(const struct heap *heap)
{
    if (!heap)
        return 1;
    if (!rep_ok(heap->left) || !rep_ok(heap->right))
        return 0;
    int left = size(heap->left), right = size(heap->right);
    if (left != size_of_left(left + right + 1))
        return 0;
    if (heap->left && heap->left->key > heap->key)
        return 0;
    if (heap->right && heap->right->key > heap->key)
        return 0;
    return heap->size == left + right + 1;
}
