/* zlib inflates the input, a stream with its header, into as much room as 1,000 bytes can become. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "zlib.h"

int target(const uint8_t *data, size_t n)
{
    static unsigned char out[1 << 20];
    z_stream s;
    memset(&s, 0, sizeof s);
    if (inflateInit(&s) != Z_OK)
        return -1;
    s.next_in = (unsigned char *)data;
    s.avail_in = (unsigned int)n;
    s.next_out = out;
    s.avail_out = sizeof out;
    int end = inflate(&s, Z_FINISH);
    inflateEnd(&s);
    return end;
}
