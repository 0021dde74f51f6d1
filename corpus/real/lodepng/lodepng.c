/* lodepng: inflating n unknown bytes, and what it asks about the pixels before it writes them. */
#include "lodepng.h"
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(name)))

/* A raw stream of n bytes, whatever it means. */
EXPORT("expand") int expand(const unsigned char *data, int n)
{
    unsigned char *out = NULL;
    size_t size = 0;
    unsigned error = lodepng_inflate(&out, &size, data, n, &lodepng_default_decompress_settings);
    return error ? -1 : (int)size;
}

/* A row of n grey pixels: how many bits and colours does it need? */
EXPORT("colours") int colours(const unsigned char *pixels, int n)
{
    LodePNGColorStats stats;
    LodePNGColorMode grey;
    lodepng_color_stats_init(&stats);
    lodepng_color_mode_init(&grey);
    grey.colortype = LCT_GREY;
    grey.bitdepth = 8;
    lodepng_compute_color_stats(&stats, pixels, n, 1, &grey);
    return (int)stats.bits;
}
