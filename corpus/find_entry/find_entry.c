/* build: export=run rotate=no */
/* Looks a key of 15 characters up in one chain of a hash table, which holds n keys. */
#include "pessimum.h"

#define K 15
#define MAX_ENTRIES 5000

struct entry {
    unsigned char key[K];
    struct entry *next;
};

static struct entry pool[MAX_ENTRIES];
static struct entry *chain;

__attribute__((noinline)) static int same(const unsigned char *s, const unsigned char *t)
{
    for (int i = 0; i < K; i++)
        if (s[i] != t[i])
            return 0;
    return 1;
}

__attribute__((noinline)) static struct entry *find(const unsigned char *key)
{
    for (struct entry *at = chain; at; at = at->next)
        if (same(at->key, key))
            return at;
    return 0;
}

int run(void)
{
    int n = pessimum_size();
    for (int i = 0; i < n; i++) {
        pessimum_input_bytes(pool[i].key, K);
        pool[i].next = chain;
        chain = &pool[i];
    }
    static unsigned char wanted[K];
    pessimum_input_bytes(wanted, K);
    pessimum_measure_begin();
    struct entry *found = find(wanted);
    pessimum_measure_end();
    return found != 0;
}
