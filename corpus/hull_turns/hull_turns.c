/* build: export=hull */
/* Convex hull by gift wrapping: from a point of the hull to the one that has all others on its left. */
#include "branch.h"

#define MAX_POINTS 5000

static double x[MAX_POINTS], y[MAX_POINTS];

/* Points are given in quarters, n of them, as x0 y0 x1 y1 … Returns how many steps the march takes. */
int hull(const signed char *at, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = at[2 * i] * 0.25;
        y[i] = at[2 * i + 1] * 0.25;
    }
    int first = 0;
    for (int i = 1; i < n; i++) {
        if (x[i] < x[first]) {
            first = i;
            KEEP_BRANCH;
        }
    }
    int corner = first, corners = 0;
    do {
        int next = 0;
        for (int i = 1; i < n; i++) {
            double turn = (x[next] - x[corner]) * (y[i] - y[corner]) -
                          (y[next] - y[corner]) * (x[i] - x[corner]);
            if (next == corner || turn < 0.0) {
                next = i;
                KEEP_BRANCH;
            }
        }
        corner = next;
        corners++;
    } while (corner != first && corners < n);
    return corners;
}
