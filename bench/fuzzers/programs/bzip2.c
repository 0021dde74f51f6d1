/* bzip2 compresses the input as its command does, with the smallest block. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "bzlib.h"

/* Without its command, the library leaves this to the program. */
void bz_internal_error(int code)
{
    (void)code;
    abort();
}

int target(const uint8_t *data, size_t n)
{
    static char out[4096];
    unsigned int length = sizeof out;
    return BZ2_bzBuffToBuffCompress(out, &length, (char *)data, (unsigned int)n, 1, 0, 0);
}
