/* build: export=LLVMFuzzerTestOneInput */
/*
 * A libFuzzer target: reads "k=v;k=v;..." with keys and values of one byte and
 * refuses a key that was there before, which it looks for among all of them.
 */
#include <stddef.h>
#include <stdint.h>

#define MAX_PAIRS 5000

static uint8_t keys[MAX_PAIRS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = 0, at = 0;
    while (at + 4 <= size && count < MAX_PAIRS) {
        uint8_t key = data[at];
        if (data[at + 1] != '=' || data[at + 3] != ';')
            return 0;
        for (size_t i = 0; i < count; i++)
            if (keys[i] == key)
                return 0;
        keys[count++] = key;
        at += 4;
    }
    return 0;
}
