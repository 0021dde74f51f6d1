/* build: export=not_recursive,loops,traps,reads_outside,null_read,parent_ok,doubly_ok,cyclic_ok,writes,counts */
/* Predicates that the generator has to refuse, each for its own reason. */

struct list {
    struct list *next;
    int value;
};

struct tree {
    struct tree *left, *right, *parent;
    int key;
};

int not_recursive(const struct list *list)
{
    while (list) {
        if (list->value < 0)
            return 0;
        list = list->next;
    }
    return 1;
}

int loops(const struct list *list)
{
    if (!list)
        return 1;
    volatile int i = 0;
    while (list->value == 1)
        i++; /* never ends */
    return loops(list->next);
}

int traps(const struct list *list)
{
    if (!list)
        return 1;
    if (list->value == 1)
        __builtin_trap(); /* here */
    return traps(list->next);
}

int reads_outside(const struct list *list)
{
    if (!list)
        return 1;
    return (&list->value)[1] == 0 && reads_outside(list->next);
}

int null_read(const struct list *list)
{
    if (!list)
        return 1;
    return list->value <= list->next->value && null_read(list->next);
}

/* A tree with parent pointers: no tree of distinct nodes satisfies it. */
int parent_ok(const struct tree *tree)
{
    if (!tree)
        return 1;
    if (tree->left && tree->left->parent != tree)
        return 0;
    if (tree->right && tree->right->parent != tree)
        return 0;
    return parent_ok(tree->left) && parent_ok(tree->right);
}

/* Both fields must point to the same node. */
int doubly_ok(const struct tree *tree)
{
    if (!tree)
        return 1;
    return tree->left == tree->right && doubly_ok(tree->left);
}

/* Accepts a node that points to itself. */
int cyclic_ok(const struct list *list)
{
    if (!list)
        return 1;
    if (list->next == list)
        return 1;
    return cyclic_ok(list->next);
}

int writes(struct list *list)
{
    if (!list)
        return 1;
    list->value = 0;
    return writes(list->next);
}

/* Remembers how many nodes it has seen: a recursive call may not be left out. */
static int seen;

static int count_up(const struct list *list)
{
    if (!list)
        return 1;
    seen++;
    return count_up(list->next) && seen <= 3;
}

int counts(const struct list *list)
{
    seen = 0;
    return count_up(list);
}
