/* clang-19 --target=wasm32 -O1 -g -nostdlib -fdebug-prefix-map=$PWD=. -Wl,--no-entry -Wl,--export=sort,--export=reds
   -Wl,--export=negative,--export=length points.c -o points.wasm */
enum color { RED = 1, GREEN, BLUE };

typedef struct {
    short x, y;
} place;

typedef struct point {
    place at;
    unsigned char weight[3];
    enum color color;
} point;

struct node {
    struct node *next;
    int value;
};

/* Insertion sort by the second number of each. */
void sort(point *a, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1].at.y > a[j].at.y; j--) {
            point p = a[j];
            a[j] = a[j - 1];
            a[j - 1] = p;
        }
}

/* Traps where an element is no colour. */
int reds(const point *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (a[i].color < RED || a[i].color > BLUE)
            __builtin_trap();
        if (a[i].color == RED)
            sum += a[i].weight[2];
    }
    return sum;
}

/* Which of every third number is the first below zero; traps where one between them is not zero. */
int negative(const int *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a[3 * i + 1] || a[3 * i + 2])
            __builtin_trap();
        if (a[3 * i] < 0)
            return i;
    }
    return n;
}

int length(const struct node *list)
{
    return list ? list->value : 0;
}
