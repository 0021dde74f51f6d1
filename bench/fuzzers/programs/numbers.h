/* The input as numbers of four bytes, the least byte first: 250 of them in 1,000 bytes. */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#define MOST_NUMBERS 250

static int read_numbers(int *numbers, const uint8_t *data, size_t n)
{
    int count = (int)(n / 4 < MOST_NUMBERS ? n / 4 : MOST_NUMBERS);
    for (int i = 0; i < count; i++) {
        const uint8_t *at = data + 4 * i;
        numbers[i] = (int)(at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24);
    }
    return count;
}

#endif
