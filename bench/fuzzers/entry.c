/* The entry of libFuzzer and of AFL++'s driver for it. */
#include <stddef.h>
#include <stdint.h>

int target(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n <= 1000)
        target(data, n);
    return 0;
}
