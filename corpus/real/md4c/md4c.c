/* md4c: n bytes of Markdown, as CommonMark has it, written as HTML that is counted and thrown away. */
#include "md4c-html.h"

#define EXPORT(name) __attribute__((export_name(name)))

static void count(const char *html, MD_SIZE length, void *total)
{
    *(unsigned *)total += length;
}

EXPORT("to_html") unsigned to_html(const char *text, int n)
{
    unsigned total = 0;
    md_html(text, n, count, &total, MD_DIALECT_COMMONMARK, 0);
    return total;
}
