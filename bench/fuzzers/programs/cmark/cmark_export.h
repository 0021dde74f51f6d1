#ifndef CMARK_EXPORT_H
#define CMARK_EXPORT_H

#define CMARK_EXPORT
#define CMARK_NO_EXPORT

#endif
