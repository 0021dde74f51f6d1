/*
 * The attributes of a start tag, <name key="value" key='value'>, each key compared with all before it: how
 * quick-xml looked for duplicates (RUSTSEC-2026-0194). As there, the first byte of a key may be anything but
 * white space, a key ends at white space or '=', values are quoted, and nothing need stand between two
 * attributes. The first error ends it, as it does for a caller who passes errors on.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MOST_KEYS 334

struct range {
    size_t start, length;
};

static int is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static size_t skip_space(const uint8_t *tag, size_t at, size_t end)
{
    while (at < end && is_space(tag[at]))
        at++;
    return at;
}

/* Where the tag ends: at the first '>' outside of quotes. */
static size_t end_of_tag(const uint8_t *tag, size_t n)
{
    uint8_t quote = 0;
    for (size_t at = 0; at < n; at++) {
        if (quote) {
            if (tag[at] == quote)
                quote = 0;
        } else if (tag[at] == '"' || tag[at] == '\'') {
            quote = tag[at];
        } else if (tag[at] == '>') {
            return at;
        }
    }
    return n;
}

int target(const uint8_t *data, size_t n)
{
    static struct range keys[MOST_KEYS];
    int count = 0;
    if (n == 0 || data[0] != '<')
        return -1;
    size_t end = end_of_tag(data, n);
    size_t at = 1;
    while (at < end && !is_space(data[at]))
        at++;
    for (;;) {
        at = skip_space(data, at, end);
        if (at == end)
            return count;
        struct range key = {at++, 1};
        while (at < end && data[at] != '=' && !is_space(data[at]))
            at++;
        key.length = at - key.start;
        at = skip_space(data, at, end);
        if (at == end || data[at] != '=' || count == MOST_KEYS)
            return -2;
        for (int i = 0; i < count; i++)
            if (keys[i].length == key.length && memcmp(data + keys[i].start, data + key.start, key.length) == 0)
                return -3;
        keys[count++] = key;
        at = skip_space(data, at + 1, end);
        if (at == end || (data[at] != '"' && data[at] != '\''))
            return -4;
        uint8_t quote = data[at++];
        while (at < end && data[at] != quote)
            at++;
        if (at++ == end)
            return -5;
    }
}
