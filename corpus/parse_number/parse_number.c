/* build: export=parse */
/* A decimal number read to a double, digit by digit, and held against a limit. */
#include "branch.h"

/* Returns 0 if the n bytes are no number, 1 if it is at most a tenth, 2 if it is more. */
int parse(const unsigned char *text, int n)
{
    double value = 0.0, scale = 1.0;
    int point = 0;
    for (int i = 0; i < n; i++) {
        unsigned char c = text[i];
        if (c == '.') {
            if (point) {
                return 0;
            }
            point = 1;
            continue;
        }
        if (c < '0' || c > '9') {
            return 0;
        }
        value = value * 10.0 + (c - '0');
        if (point) {
            scale = scale * 10.0;
            KEEP_BRANCH;
        }
    }
    if (value / scale <= 0.1) {
        KEEP_BRANCH;
        return 1;
    }
    return 2;
}
