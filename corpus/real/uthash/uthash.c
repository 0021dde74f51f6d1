/* uthash: n unknown keys looked up and added, and a table put in order. */
#include <stdlib.h>
#include "uthash.h"

#define EXPORT(name) __attribute__((export_name(name)))

struct item {
    int key;
    int value;
    UT_hash_handle hh;
};

/* The default hash: Jenkins's. */
EXPORT("distinct") int distinct(const int *keys, int n)
{
    struct item *table = NULL, *items = calloc(n, sizeof *items), *found;
    for (int i = 0; i < n; i++) {
        HASH_FIND_INT(table, &keys[i], found);
        if (found)
            continue;
        items[i].key = keys[i];
        HASH_ADD_INT(table, key, &items[i]);
    }
    return HASH_COUNT(table);
}

/* Items under the keys 0, 1, 2 and so on, put in the order of their values. */
static int by_value(const struct item *a, const struct item *b)
{
    return (a->value > b->value) - (a->value < b->value);
}

EXPORT("in_order") int in_order(const int *values, int n)
{
    struct item *table = NULL, *items = calloc(n, sizeof *items);
    for (int i = 0; i < n; i++) {
        items[i].key = i;
        items[i].value = values[i];
        HASH_ADD_INT(table, key, &items[i]);
    }
    HASH_SORT(table, by_value);
    return HASH_COUNT(table);
}

/* Bernstein's hash, which its documentation offers beside others. */
#undef HASH_FUNCTION
#define HASH_FUNCTION(key, length, hash) HASH_BER(key, length, hash)

EXPORT("distinct_bernstein") int distinct_bernstein(const int *keys, int n)
{
    struct item *table = NULL, *items = calloc(n, sizeof *items), *found;
    for (int i = 0; i < n; i++) {
        HASH_FIND_INT(table, &keys[i], found);
        if (found)
            continue;
        items[i].key = keys[i];
        HASH_ADD_INT(table, key, &items[i]);
    }
    return HASH_COUNT(table);
}
