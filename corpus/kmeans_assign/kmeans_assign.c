/* build: export=assign */
/* One step of k-means on a line: each of n points goes to the nearest of three centres, whose mean follows it. */
#include "branch.h"

#define CENTRES 3

/* Points are given in tenths. Returns how often a point is nearer to a later centre. */
int assign(const signed char *at, int n)
{
    float centre[CENTRES] = {-0.1f, 0.0f, 0.1f};
    float count[CENTRES] = {1.0f, 1.0f, 1.0f};
    int moves = 0;
    for (int i = 0; i < n; i++) {
        float x = at[i] / 10.0f;
        int best = 0;
        float least = (x - centre[0]) * (x - centre[0]);
        for (int c = 1; c < CENTRES; c++) {
            float away = (x - centre[c]) * (x - centre[c]);
            if (away < least) {
                least = away;
                best = c;
                moves++;
                KEEP_BRANCH;
            }
        }
        for (int c = 0; c < CENTRES; c++) {
            if (c == best) {
                count[c] += 1.0f;
                centre[c] += (x - centre[c]) / count[c];
                KEEP_BRANCH;
            }
        }
    }
    return moves;
}
