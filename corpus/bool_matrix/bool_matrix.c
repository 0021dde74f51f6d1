/* build: export=multiply */
/* The boolean product of two n x n matrices of zeros and ones. */

#define MAX_SIDE 1000

int c[MAX_SIDE * MAX_SIDE]; /* the result; not static, or the compiler would drop the stores */

void multiply(const int *a, const int *b, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
            for (int k = 0; k < n; k++) {
                if (a[i * n + k] && b[k * n + j]) {
                    c[i * n + j] = 1; /* TARGET: one product that is true */
                }
            }
        }
    }
}
