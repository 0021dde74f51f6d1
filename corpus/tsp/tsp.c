/* build: export=tour stack=1048576 */
/* Travelling salesman by branch and bound from city 0, cities tried in order. */
#include <limits.h>

#define MAX_CITIES 100

static const int *weight;
static int cities;
static int best;
static unsigned char visited[MAX_CITIES];

static void extend(int at, int count, int length)
{
    if (count == cities) {
        int back = weight[at * cities];
        if (length + back < best)
            best = length + back;
        return;
    }
    if (length >= best)
        return;
    for (int next = 1; next < cities; next++) {
        if (visited[next])
            continue;
        visited[next] = 1;
        extend(next, count + 1, length + weight[at * cities + next]);
        visited[next] = 0;
    }
}

/* The length of the shortest tour; w[a * n + b] is the way from a to b. */
int tour(const int *w, int n)
{
    weight = w;
    cities = n;
    best = INT_MAX;
    for (int city = 0; city < n; city++)
        visited[city] = 0;
    extend(0, 1, 0);
    return best;
}
