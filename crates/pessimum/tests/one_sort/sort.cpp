// Insertion sort as a template, behind a namespace.
namespace order {
template <typename T>
void insertion(T *a, int n)
{
    for (int i = 1; i < n; i++) {
        T x = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}
}

extern "C" void sort(int *a, int n)
{
    order::insertion(a, n);
}
