/* jsmn with the links to parents that its authors offer for speed. */
#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#include "jsmn.h"
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("tokens_with_parents") int tokens_with_parents(const char *text, int n)
{
    jsmn_parser parser;
    jsmn_init(&parser);
    return jsmn_parse(&parser, text, n, malloc(n * sizeof(jsmntok_t)), n);
}
