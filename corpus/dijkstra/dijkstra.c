/* build: export=shortest */
/* Dijkstra from vertex 0 on the complete digraph on n vertices, by plain scans. */
#include <limits.h>

#include "branch.h"

#define MAX_VERTICES 1200

static int dist[MAX_VERTICES];
static unsigned char fixed[MAX_VERTICES];

/* weight[u * n + v] is the weight of the edge from u to v; u == v is not looked at. */
void shortest(const int *weight, int n)
{
    for (int v = 0; v < n; v++) {
        dist[v] = INT_MAX;
        fixed[v] = 0;
    }
    dist[0] = 0;

    for (int round = 0; round < n; round++) {
        int u = -1, least = INT_MAX;
        for (int v = 0; v < n; v++) {
            if (!fixed[v] && dist[v] < least) {
                least = dist[v];
                u = v;
                KEEP_BRANCH;
            }
        }
        fixed[u] = 1;
        for (int v = 0; v < n; v++) {
            if (!fixed[v] && dist[u] + weight[u * n + v] < dist[v]) {
                dist[v] = dist[u] + weight[u * n + v]; /* TARGET: one relaxed edge */
            }
        }
    }
}
