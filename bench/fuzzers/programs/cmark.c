/* cmark turns the input, CommonMark, into HTML. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "cmark.h"

int target(const uint8_t *data, size_t n)
{
    char *html = cmark_markdown_to_html((const char *)data, n, CMARK_OPT_DEFAULT);
    int first = html[0];
    free(html);
    return first;
}
