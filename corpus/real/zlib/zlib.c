/* zlib: checksums, inflating n unknown bytes, deflating them. */
#include "zlib.h"
#include <stdlib.h>
#include <string.h>

/* Room for whatever a few thousand bytes can become. */
static unsigned char out[1 << 20];

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("checksum") int checksum(const unsigned char *data, int n)
{
    return (int)adler32(1, data, n);
}

/* A raw stream of n bytes, whatever it means. */
EXPORT("expand") int expand(unsigned char *data, int n)
{
    z_stream s;
    memset(&s, 0, sizeof s);
    if (inflateInit2(&s, -8) != Z_OK)
        return -1;
    s.next_in = data;
    s.avail_in = n;
    s.next_out = out;
    s.avail_out = sizeof out;
    return inflate(&s, Z_FINISH);
}

/* The smallest window and table, the most patient search. */
EXPORT("shrink") int shrink(unsigned char *data, int n)
{
    z_stream s;
    memset(&s, 0, sizeof s);
    if (deflateInit2(&s, 9, Z_DEFLATED, -9, 1, Z_FIXED) != Z_OK)
        return -1;
    s.next_in = data;
    s.avail_in = n;
    s.next_out = out;
    s.avail_out = sizeof out;
    return deflate(&s, Z_FINISH);
}
