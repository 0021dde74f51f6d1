/* jsmn: n bytes into tokens, compiled as it comes. */
#define JSMN_STATIC
#include "jsmn.h"
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("tokens") int tokens(const char *text, int n)
{
    jsmn_parser parser;
    jsmn_init(&parser);
    return jsmn_parse(&parser, text, n, malloc(n * sizeof(jsmntok_t)), n);
}
