/* build: export=rep_ok,search */
/* A singly linked list in non-decreasing order. */

struct list {
    struct list *next;
    int value;
};

int rep_ok(const struct list *list)
{
    if (!list || !list->next)
        return 1;
    return list->value <= list->next->value && rep_ok(list->next);
}

/* The first node whose value is not below the one sought: a target to run over valid lists. */
int search(const struct list *list, int value)
{
    int at = 0;
    while (list && list->value < value) {
        list = list->next;
        at++;
    }
    return list && list->value == value ? at : -1;
}
