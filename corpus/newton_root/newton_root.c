/* build: export=roots */
/* Square roots of n numbers by Newton's method, each until it is right to a thousandth. */

static double size(double x)
{
    return __builtin_fabs(x);
}

/* Returns how many steps all roots took together. */
int roots(const unsigned short *a, int n)
{
    int steps = 0;
    for (int i = 0; i < n; i++) {
        double number = a[i], root = 1.0;
        while (size(root * root - number) > 0.001) {
            root = 0.5 * (root + number / root);
            steps++;
        }
    }
    return steps;
}
