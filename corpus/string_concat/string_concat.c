/* build: export=build */
/* A string put together from n pieces of at most one character, looking for its end each time. */

#define MAX_LENGTH 20000

char joined[MAX_LENGTH + 1];

static void append(unsigned char piece)
{
    char *end = joined;
    while (*end)
        end++;
    end[0] = (char)piece;
}

void build(const unsigned char *pieces, int n)
{
    for (int i = 0; i < n; i++)
        append(pieces[i]);
}
