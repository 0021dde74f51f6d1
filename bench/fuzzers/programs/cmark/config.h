/* What cmark's build would find out about the compiler. */
#ifndef CMARK_CONFIG_H
#define CMARK_CONFIG_H

#include <stdbool.h>

#define HAVE___BUILTIN_EXPECT
#define CMARK_ATTRIBUTE(list) __attribute__(list)
#define CMARK_INLINE inline

#endif
