/* build: libc=yes */
/* Counts the words of standard input and writes the number; reads it one block at a time. */
#include <unistd.h>

#include "branch.h"

int main(void)
{
    static unsigned char block[4096];
    int words = 0, inside = 0;
    ssize_t got;
    while ((got = read(0, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (block[i] == ' ' || block[i] == '\n') {
                inside = 0;
                KEEP_BRANCH;
            } else if (!inside) {
                inside = 1;
                words++;
                KEEP_BRANCH;
            }
        }
    }
    char text[12];
    int at = sizeof text;
    text[--at] = '\n';
    do {
        text[--at] = (char)('0' + words % 10);
        words /= 10;
    } while (words > 0);
    return write(1, text + at, sizeof text - (size_t)at) < 0;
}
