/* hiredis, the client of Redis: the table in which it finds the callback of a channel. */
#include "dict.c" /* as its async.c includes it: everything in it is static */
#include "sds.h"
#include <string.h>

#define EXPORT(name) __attribute__((export_name(name)))

enum { LENGTH = 8 };

/* The hash and the comparison that async.c gives the table. */
static unsigned hash(const void *key)
{
    return dictGenHashFunction(key, sdslen((sds)key));
}

static int same(void *unused, const void *a, const void *b)
{
    size_t length = sdslen((sds)a);
    return length == sdslen((sds)b) && memcmp(a, b, length) == 0;
}

static dictType by_name = {.hashFunction = hash, .keyCompare = same};

/* n channels are subscribed to, with names of eight bytes. */
EXPORT("subscribe") int subscribe(const char *names, int n)
{
    dict *channels = dictCreate(&by_name, NULL);
    for (int i = 0; i < n; i++)
        dictReplace(channels, sdsnewlen(names + i * LENGTH, LENGTH), NULL);
    return dictSize(channels);
}
