/* build: export=rep_ok */
/* A Fibonacci heap as a list of heap-ordered trees: each node knows its first child, its next
   sibling and its number of children. */

struct node {
    struct node *child, *next;
    int key;
    int degree;
};

int rep_ok(const struct node *node)
{
    if (!node)
        return 1;
    int children = 0;
    for (const struct node *child = node->child; child; child = child->next) {
        if (child->key < node->key)
            return 0;
        children++;
    }
    return node->degree == children && rep_ok(node->child) && rep_ok(node->next);
}
