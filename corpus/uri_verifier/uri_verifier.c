/* build: export=verify stack=1048576 */
/*
 * Whether n characters are the path of a URI that ends in '#': segments of small
 * letters, each perhaps closed by '/'. Since the '/' may be missing, a run of
 * letters can be cut into segments in many ways, and all of them are tried.
 */
#include "branch.h"

static int segments(const unsigned char *s, int n, int at)
{
    if (at == n)
        return 0;
    if (s[at] == '#')
        return at + 1 == n;
    for (int end = at; end < n && s[end] >= 'a'; end++) {
        int next = end + 1;
        if (next < n && s[next] == '/') {
            next++;
            KEEP_BRANCH;
        }
        if (segments(s, n, next))
            return 1;
    }
    return 0;
}

int verify(const unsigned char *uri, int n)
{
    return segments(uri, n, 0);
}
