/*
 * The host functions that pessimum offers to a program under analysis.
 *
 * A program that wants to say itself which inputs are unknown, what it takes
 * for granted about them, and which part of the run is to be measured, includes
 * this header and calls these functions. A program that is content to be
 * called as `f(&i32[n], n)` needs none of it.
 *
 * Usable from C and C++, with any compiler that knows clang's import
 * attributes. Elsewhere (a native build for a test harness, say) the functions
 * are plain external ones, to be supplied by the harness.
 */
#ifndef PESSIMUM_H
#define PESSIMUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define PESSIMUM_IMPORT(name) \
    __attribute__((import_module("pessimum"), import_name(name)))
#else
#define PESSIMUM_IMPORT(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The size n of this run, always a known number. */
PESSIMUM_IMPORT("size") int32_t pessimum_size(void);

/* A fresh unknown value of the whole type. */
PESSIMUM_IMPORT("input_i32") int32_t pessimum_input_i32(void);
PESSIMUM_IMPORT("input_i64") int64_t pessimum_input_i64(void);
PESSIMUM_IMPORT("input_u8") uint8_t pessimum_input_u8(void);

/* A fresh unknown value between lo and hi, both included, as signed numbers. */
PESSIMUM_IMPORT("input_range_i32") int32_t pessimum_input_range_i32(int32_t lo, int32_t hi);

/* Makes the len bytes at ptr unknown, each on its own. */
PESSIMUM_IMPORT("input_bytes") void pessimum_input_bytes(void *ptr, size_t len);

/* Only inputs for which cond is not zero count. Never a branch of the program. */
PESSIMUM_IMPORT("assume") void pessimum_assume(int32_t cond);

/* The cost counts between these two. Several regions add up. */
PESSIMUM_IMPORT("measure_begin") void pessimum_measure_begin(void);
PESSIMUM_IMPORT("measure_end") void pessimum_measure_end(void);

#ifdef __cplusplus
}
#endif

#endif
