/*
 * The hash table of PHP 5 in small: the names of a form, name=value&name=value, become the keys of an array.
 * The hash is DJBX33A (times 33, add), the lists of a table are linked at their heads, and the table doubles
 * when it holds more keys than it has lists (CVE-2011-4885).
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST_KEYS 1001
#define MOST_LISTS 1024

struct bucket {
    uint32_t hash;
    size_t length;
    const uint8_t *key;
    size_t value;
    struct bucket *next;
};

static struct bucket buckets[MOST_KEYS];
static struct bucket *lists[MOST_LISTS];
static uint32_t size, used;

static uint32_t djbx33a(const uint8_t *key, size_t length)
{
    uint32_t hash = 5381;
    for (size_t i = 0; i < length; i++)
        hash = hash * 33 + key[i];
    return hash;
}

static void add_to_list(struct bucket *b)
{
    struct bucket **list = &lists[b->hash & (size - 1)];
    b->next = *list;
    *list = b;
}

static void put(const uint8_t *key, size_t length, size_t value)
{
    uint32_t hash = djbx33a(key, length);
    for (struct bucket *b = lists[hash & (size - 1)]; b; b = b->next) {
        if (b->hash == hash && b->length == length && memcmp(b->key, key, length) == 0) {
            b->value = value;
            return;
        }
    }
    struct bucket *fresh = &buckets[used++];
    *fresh = (struct bucket){hash, length, key, value, NULL};
    add_to_list(fresh);
    if (used > size && size < MOST_LISTS) {
        size *= 2;
        memset(lists, 0, size * sizeof *lists);
        for (uint32_t i = 0; i < used; i++)
            add_to_list(&buckets[i]);
    }
}

int target(const uint8_t *data, size_t n)
{
    size = 8;
    used = 0;
    memset(lists, 0, size * sizeof *lists);
    for (size_t at = 0; at < n && used < MOST_KEYS;) {
        size_t end = at, equals;
        while (end < n && data[end] != '&')
            end++;
        for (equals = at; equals < end && data[equals] != '=';)
            equals++;
        if (equals > at)
            put(data + at, equals - at, equals);
        at = end + 1;
    }
    return (int)used;
}
