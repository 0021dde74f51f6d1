/* build: export=unpack */
/*
 * Unpacks archives that hold archives. The queue of what is still to unpack has a
 * bound on its length, but nothing bounds how many files pass through it: an archive
 * in an archive in an archive never makes the queue longer than one.
 */

#define QUEUE 16
#define ARCHIVE 'P'

static int waiting[QUEUE];

/* kind[d] is the first byte of the file at depth d; there are n + 1 of them. */
int unpack(const unsigned char *kind, int n)
{
    int first = 0, length = 0, unpacked = 0;
    waiting[first] = 0;
    length = 1;
    while (length > 0) {
        int depth = waiting[first];
        first = (first + 1) % QUEUE;
        length--;
        if (kind[depth] != ARCHIVE)
            continue;
        unpacked++;
        if (depth < n && length < QUEUE) {
            waiting[(first + length) % QUEUE] = depth + 1;
            length++;
        }
    }
    return unpacked;
}
