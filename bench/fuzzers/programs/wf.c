/*
 * wf counts how often each word occurs, after the example that the PerfFuzz paper (ISSTA 2018) begins with: a
 * table of 1001 lists, whose hash is times 31 and add, and strcmp along a list. A word is what stands between
 * white space. Written from memory of the paper: the original may differ in the hash and the size of its table.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LISTS 1001
#define MOST_BYTES 1000

struct entry {
    const char *word;
    int count;
    struct entry *next;
};

static struct entry entries[MOST_BYTES];
static struct entry *table[LISTS];
static char text[MOST_BYTES + 1];

static unsigned int hash_of(const char *word)
{
    unsigned int hash = 0;
    for (; *word; word++)
        hash = 31 * hash + (unsigned char)*word;
    return hash % LISTS;
}

static int is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\0';
}

int target(const uint8_t *data, size_t n)
{
    if (n > MOST_BYTES)
        return -1;
    int words = 0;
    memset(table, 0, sizeof table);
    memcpy(text, data, n);
    text[n] = '\0';
    for (size_t at = 0; at < n;) {
        size_t end = at;
        while (!is_space(text[end]))
            end++;
        if (end > at) {
            text[end] = '\0';
            struct entry **list = &table[hash_of(text + at)], *e = *list;
            while (e && strcmp(e->word, text + at) != 0)
                e = e->next;
            if (e) {
                e->count++;
            } else {
                entries[words] = (struct entry){text + at, 1, *list};
                *list = &entries[words++];
            }
        }
        at = end + 1;
    }
    return words;
}
