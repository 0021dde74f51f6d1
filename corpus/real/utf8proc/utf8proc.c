/* utf8proc: the normal forms of Unicode. */
#include <stdlib.h>
#include <utf8proc.h>

#define EXPORT(name) __attribute__((export_name(name)))

EXPORT("decompose") int decompose(const unsigned char *text, int n)
{
    utf8proc_int32_t *out = malloc(4 * (4 * n + 4));
    return utf8proc_decompose(text, n, out, 4 * n, UTF8PROC_DECOMPOSE | UTF8PROC_STABLE);
}
