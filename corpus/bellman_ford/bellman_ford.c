/* build: export=shortest */
/*
 * Bellman-Ford from vertex 0 on the complete digraph on n vertices. The weights
 * are those of the edges (0,1), (0,2), ..., (1,0), (1,2), ... in this order.
 */

#define MAX_VERTICES 1000

static int dist[MAX_VERTICES];
static unsigned char infinite[MAX_VERTICES];

/* Whether the distances settled, that is, no negative cycle was met. */
int shortest(const int *weight, int n)
{
    for (int v = 0; v < n; v++) {
        dist[v] = 1000000;
        infinite[v] = 1;
    }
    dist[0] = 0;
    infinite[0] = 0;

    for (int round = 0; round < n; round++) {
        int relaxed = 0;
        const int *w = weight;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (i == j)
                    continue;
                int length = *w++;
                if (!infinite[i] && dist[j] > dist[i] + length) {
                    dist[j] = dist[i] + length; /* TARGET: one relaxed edge */
                    infinite[j] = 0;
                    relaxed = 1;
                }
            }
        }
        if (!relaxed)
            return 1;
    }
    return 0;
}
