/* build: export=play */
/* Steps through n bytes; an 'r' rewinds to the start, so that it never ends. */
#include "branch.h"

int play(const unsigned char *tape, int n)
{
    int at = 0;
    while (at < n) {
        if (tape[at] == 'r') {
            at = 0;
            KEEP_BRANCH;
        } else {
            at++;
        }
    }
    return at;
}
