/* The corpus's insertion sort, on numbers of four bytes. */
#include "../../../corpus/insertion_sort/insertion_sort.c"
#include "numbers.h"

int target(const uint8_t *data, size_t n)
{
    int numbers[MOST_NUMBERS];
    int count = read_numbers(numbers, data, n);
    sort(numbers, count);
    return count > 0 ? numbers[0] : 0;
}
