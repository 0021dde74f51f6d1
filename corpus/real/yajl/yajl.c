/* yajl: n bytes of JSON, given whole or byte by byte. */
#include "yajl/yajl_parse.h"
#include <stddef.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("whole") int whole(const unsigned char *text, int n)
{
    return yajl_parse(yajl_alloc(NULL, NULL, NULL), text, n);
}

/* As it comes from a socket. */
EXPORT("bytewise") int bytewise(const unsigned char *text, int n)
{
    yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
    for (int i = 0; i < n; i++)
        if (yajl_parse(parser, text + i, 1) != yajl_status_ok)
            return 0;
    return 1;
}
