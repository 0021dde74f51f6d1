/* build: export=rep_ok */
/* A hash table with chains: each key in the chain of its hash, no key twice (chains ascend). */

#define BUCKETS 4

struct entry {
    struct entry *next;
    unsigned key;
};

struct table {
    struct entry *bucket[BUCKETS];
    int count;
};

static int chain_ok(const struct entry *entry)
{
    if (!entry || !entry->next)
        return 1;
    if (entry->key % BUCKETS != entry->next->key % BUCKETS)
        return 0;
    return entry->key < entry->next->key && chain_ok(entry->next);
}

int rep_ok(const struct table *table)
{
    int count = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        const struct entry *entry = table->bucket[i];
        if (entry && entry->key % BUCKETS != i)
            return 0;
        if (!chain_ok(entry))
            return 0;
        for (; entry; entry = entry->next)
            count++;
    }
    return table->count == count;
}
