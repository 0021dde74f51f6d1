/* build: export=run */
/*
 * n keys put into a table of 8 buckets whose hash is the three low bits of the key;
 * the whole is measured. A key that is already there is not put in again.
 */
#include "pessimum.h"

#define BUCKETS 8
#define MAX_ENTRIES 20000

struct entry {
    int key;
    struct entry *next;
};

static struct entry pool[MAX_ENTRIES];
static int used;
static struct entry *bucket[BUCKETS];

__attribute__((noinline)) static void put(int key)
{
    struct entry **head = &bucket[key & (BUCKETS - 1)];
    for (struct entry *at = *head; at; at = at->next)
        if (at->key == key)
            return;
    struct entry *fresh = &pool[used++];
    fresh->key = key;
    fresh->next = *head;
    *head = fresh;
}

void run(void)
{
    int n = pessimum_size();
    pessimum_measure_begin();
    for (int i = 0; i < n; i++)
        put(pessimum_input_i32());
    pessimum_measure_end();
}
