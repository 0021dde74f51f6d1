/*
 * A queue as PerfFuzz keeps it (Lemieux, Padhye, Sen, Song: ISSTA 2018): for each edge of the program the input
 * that takes it most often, and one for the edges taken altogether. Inputs that hold such a record are mutated
 * in turn, by AFL's havoc stage: a few small changes at a time, with words of a dictionary, and splices of two.
 *
 *   queue SEED_FILE OUTPUT_FOLDER SECONDS RANDOM_SEED [DICTIONARY]
 *
 * The program is compiled with -fsanitize-coverage=trace-pc-guard, this file without. What holds a record at the
 * end is written to the folder. The last line says how many inputs were run.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_BYTES 1000
#define MOST_EDGES (1 << 16)
#define MOST_WORDS 256
#define CHILDREN 256

int target(const uint8_t *data, size_t n);

struct input {
    size_t length;
    unsigned int records; /* how many it holds; none: it is not kept */
    uint8_t bytes[MOST_BYTES];
};

struct word {
    size_t length;
    uint8_t bytes[64];
};

/* Counts of this run. Edge 0 is no edge: it counts all of them. */
static uint64_t counts[MOST_EDGES];
static uint32_t edges = 1;

/* The most that an edge was taken, and by which input. */
static uint64_t most[MOST_EDGES];
static struct input *holder[MOST_EDGES];

static struct word words[MOST_WORDS];
static size_t word_count;
static uint64_t state;

/* Called once for each part of the program, with the numbers that its edges will bear. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *from, uint32_t *to)
{
    for (uint32_t *guard = from; guard < to; guard++)
        if (*guard == 0 && edges < MOST_EDGES)
            *guard = edges++;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    counts[*guard]++;
    counts[0]++;
}

/* xorshift64*; the state is never zero. */
static uint32_t below(uint32_t limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (uint32_t)(((state * 0x2545f4914f6cdd1dULL) >> 33) % limit);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs an input; keeps a copy if it takes some edge more often than any before it. */
static void run(const struct input *input)
{
    memset(counts, 0, edges * sizeof *counts);
    target(input->bytes, input->length);
    struct input *kept = NULL;
    for (uint32_t edge = 0; edge < edges; edge++) {
        if (counts[edge] <= most[edge])
            continue;
        if (!kept) {
            kept = malloc(sizeof *kept);
            if (!kept)
                abort();
            *kept = *input;
            kept->records = 0;
        }
        if (holder[edge] && --holder[edge]->records == 0)
            free(holder[edge]);
        most[edge] = counts[edge];
        holder[edge] = kept;
        kept->records++;
    }
}

/* Overwrites bytes, or puts them between others, of which the last are lost. */
static void place(struct input *input, size_t at, const uint8_t *bytes, size_t length, bool between)
{
    if (between) {
        size_t tail = input->length - at;
        input->length += length;
        if (input->length > MOST_BYTES)
            input->length = MOST_BYTES;
        if (at + length < input->length) {
            size_t moved = input->length - at - length;
            memmove(input->bytes + at + length, input->bytes + at, moved < tail ? moved : tail);
        }
    }
    if (length > input->length - at)
        length = input->length - at;
    memcpy(input->bytes + at, bytes, length);
}

/* Lengths as AFL chooses them: mostly short. */
static size_t some_length(size_t limit)
{
    static const uint32_t ranges[] = {8, 32, 128, MOST_BYTES};
    uint32_t range = ranges[below(4)];
    return 1 + below(limit < range ? (uint32_t)limit : range);
}

static void add_to_number(struct input *input, size_t width)
{
    if (input->length < width)
        return;
    uint8_t *at = input->bytes + below((uint32_t)(input->length - width + 1));
    bool big_endian = below(2);
    uint32_t value = 0, step = 1 + below(35);
    for (size_t i = 0; i < width; i++)
        value |= (uint32_t)at[big_endian ? width - 1 - i : i] << 8 * i;
    value += below(2) ? step : -step;
    for (size_t i = 0; i < width; i++)
        at[big_endian ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static void set_number(struct input *input)
{
    static const uint32_t values[] = {0, 1, 16, 32, 64, 100, 127, 128, 255, 256, 512, 1000, 1024, 4096,
                                      32767, 32768, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff};
    uint32_t value = values[below(sizeof values / sizeof *values)];
    size_t width = (size_t)1 << below(3);
    if (input->length < width)
        return;
    uint8_t *at = input->bytes + below((uint32_t)(input->length - width + 1));
    bool big_endian = below(2);
    for (size_t i = 0; i < width; i++)
        at[big_endian ? width - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

/* One change of the havoc stage. */
static void mutate(struct input *input, const struct input *other)
{
    uint32_t length = (uint32_t)input->length;
    size_t at = below(length);
    uint8_t block[MOST_BYTES];
    switch (below(word_count ? 12 : 10)) {
    case 0:
        input->bytes[at] ^= (uint8_t)(1 << below(8));
        break;
    case 1:
        input->bytes[at] = (uint8_t)below(256);
        break;
    case 2:
        set_number(input);
        break;
    case 3:
    case 4:
        add_to_number(input, (size_t)1 << below(3));
        break;
    case 5: { /* some bytes are taken out */
        size_t taken = some_length(length - at);
        if (taken < input->length) {
            memmove(input->bytes + at, input->bytes + at + taken, input->length - at - taken);
            input->length -= taken;
        }
        break;
    }
    case 6:
    case 7: { /* some bytes stand at another place too, or one of them many times */
        size_t from = below(length), taken = some_length(length - from);
        if (below(4))
            memcpy(block, input->bytes + from, taken);
        else
            memset(block, below(2) ? input->bytes[from] : (uint8_t)below(256), taken);
        place(input, at, block, taken, below(2));
        break;
    }
    case 8: { /* some bytes of another input, or all that follow */
        size_t from = below((uint32_t)other->length), taken = some_length(other->length - from);
        place(input, at, other->bytes + from, below(4) ? taken : other->length - from, below(2));
        break;
    }
    case 9: { /* two bytes change places */
        size_t with = below(length);
        uint8_t byte = input->bytes[at];
        input->bytes[at] = input->bytes[with];
        input->bytes[with] = byte;
        break;
    }
    default: {
        const struct word *word = &words[below((uint32_t)word_count)];
        place(input, at, word->bytes, word->length, below(2));
    }
    }
}

/* Reads a dictionary of AFL: a word in quotes on each line, with \\ \" and \xHH inside. */
static void read_words(const char *file)
{
    FILE *from = fopen(file, "r");
    char line[512];
    while (from && word_count < MOST_WORDS && fgets(line, sizeof line, from)) {
        char *at = strchr(line, '"');
        struct word *word = &words[word_count];
        if (line[0] == '#' || !at)
            continue;
        for (at++; *at && *at != '"' && word->length < sizeof word->bytes; at++) {
            unsigned int byte = (unsigned char)*at;
            if (*at == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &byte) == 1)
                at += 3;
            else if (*at == '\\')
                byte = (unsigned char)*++at;
            word->bytes[word->length++] = (uint8_t)byte;
        }
        word_count += word->length > 0;
    }
    if (!from)
        exit(2);
    fclose(from);
}

static struct input *some_holder(void)
{
    struct input *found;
    do
        found = holder[below(edges)];
    while (!found);
    return found;
}

static void write_kept(const char *folder)
{
    for (uint32_t edge = 0; edge < edges; edge++) {
        if (!holder[edge])
            continue;
        bool first = true;
        for (uint32_t before = 0; before < edge; before++)
            first = first && holder[before] != holder[edge];
        char name[4096];
        snprintf(name, sizeof name, "%s/edge%05u", folder, edge);
        FILE *to = first ? fopen(name, "wb") : NULL;
        if (to) {
            fwrite(holder[edge]->bytes, 1, holder[edge]->length, to);
            fclose(to);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    static struct input child, parent;
    FILE *from = fopen(argv[1], "rb");
    if (!from || (parent.length = fread(parent.bytes, 1, MOST_BYTES, from)) == 0)
        return 2;
    fclose(from);
    double end = seconds() + atof(argv[3]);
    state = 0x9e3779b97f4a7c15ULL * (strtoull(argv[4], NULL, 10) + 1);
    if (argc > 5)
        read_words(argv[5]);
    run(&parent);
    uint64_t runs = 1;
    while (seconds() < end) {
        /* The holder of all edges together as often as all others. */
        parent = *(below(2) ? holder[0] : some_holder());
        for (int i = 0; i < CHILDREN && (i % 16 || seconds() < end); i++, runs++) {
            child = parent;
            for (uint32_t changes = 1U << below(5); changes > 0; changes--)
                mutate(&child, some_holder());
            run(&child);
        }
    }
    write_kept(argv[2]);
    printf("%llu\n", (unsigned long long)runs);
    return 0;
}
