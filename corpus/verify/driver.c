/*
 * Runs one module, translated to C by wasm2c, over every input of a small domain
 * and reports what is seen: distinct branch traces and the largest costs.
 *
 * Included at the end of the translated module by verify.py, which has put
 * BRANCH, SELECT, TABLE, TOUCH and TOUCH_RANGE around its conditions, br_table operands
 * and written addresses, and which defines ARGUMENTS and CALL from the
 * `call` line of the facts. This file knows nothing of pessimum: that is its use.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUTS 4000000
#define ENDLESS_AFTER 2000000L /* branches, while inputs are enumerated */

/* ---- one run ---- */

static int64_t *inputs;      /* what the program reads, in order */
static long input_count;     /* how many it has read so far */
static long run_size;        /* n */
static int measuring, regions_used;
static long conditionals, decisions, visits, steps;
static long region_conditionals, region_decisions, region_visits;
static Z_m_instance_t instance;
enum end { NORMAL, TRAPPED, ENDLESS, ASSUMED_AWAY, EXITED };
static jmp_buf leave;

/* The trace so far, as a hash of 128 bits of its outcomes. */
struct trace { uint64_t a, b; };
static struct trace trace;

static void extend_trace(uint64_t outcome)
{
    trace.a = (trace.a ^ (outcome + 1)) * 0x9E3779B97F4A7C15u;
    trace.a ^= trace.a >> 29;
    trace.b = (trace.b + outcome + 7) * 0xD6E8FEB86659FD93u;
    trace.b ^= trace.b >> 32;
}

/* ---- a set of traces; each with the outcomes seen next, and the ends ---- */

struct slot { struct trace key; uint32_t outcomes; uint8_t used, end_seen; };
static struct slot *slots;
static size_t slot_capacity, slot_count;

static struct slot *find(struct trace key)
{
    if (slot_count * 2 >= slot_capacity) {
        struct slot *old = slots;
        size_t old_capacity = slot_capacity;
        slot_capacity = old_capacity ? old_capacity * 2 : 1 << 16;
        slots = calloc(slot_capacity, sizeof *slots);
        for (size_t i = 0; i < old_capacity; i++) {
            if (!old[i].used)
                continue;
            size_t at = old[i].key.a & (slot_capacity - 1);
            while (slots[at].used)
                at = (at + 1) & (slot_capacity - 1);
            slots[at] = old[i];
        }
        free(old);
    }
    size_t at = key.a & (slot_capacity - 1);
    while (slots[at].used && (slots[at].key.a != key.a || slots[at].key.b != key.b))
        at = (at + 1) & (slot_capacity - 1);
    if (!slots[at].used) {
        slots[at].used = 1;
        slots[at].key = key;
        slot_count++;
    }
    return &slots[at];
}

static void clear_slots(void)
{
    free(slots);
    slots = NULL;
    slot_capacity = slot_count = 0;
}

/* ---- hooks of the translated module ---- */

static int second_pass, remember_nodes;
static unsigned char open_site[10000]; /* by number of the site: met open at least once */

static void decide(uint32_t outcome)
{
    if (++steps > ENDLESS_AFTER && remember_nodes)
        longjmp(leave, ENDLESS);
    if (remember_nodes) {
        struct slot *node = find(trace);
        if (!second_pass)
            node->outcomes |= 1u << (outcome & 31);
        else if (node->outcomes & (node->outcomes - 1)) {
            decisions++;
            open_site[site] = 1;
            region_decisions += measuring;
        }
    }
    extend_trace(outcome);
}

static uint32_t branch_hook(uint32_t condition)
{
    conditionals++;
    region_conditionals += measuring;
    decide(condition != 0);
    return condition;
}

/* A select is a decision, since every one here reaches a branch or an address; never a conditional. */
static uint32_t select_hook(uint32_t condition)
{
    decide(condition != 0);
    return condition;
}

static uint32_t table_hook(uint32_t index, uint32_t targets)
{
    conditionals++;
    region_conditionals += measuring;
    decide(index < targets ? index : targets);
    return index;
}

/* A bulk operation counts as the loop it stands for: a conditional for every unit that it begins. */
static void bulk_hook(uint64_t units)
{
    conditionals += units;
    region_conditionals += measuring ? units : 0;
}

static void bulk_bytes_hook(uint64_t bytes)
{
    bulk_hook(bytes / 8 + (bytes % 8 != 0));
}

/* Old bytes of memory, to be put back after the run. */
static struct { uint64_t address; unsigned char old[8]; } *journal;
static size_t journal_count, journal_capacity;

static uint64_t touch_hook(uint64_t address)
{
    if (address + 8 > instance.w2c_memory.size)
        return address;
    if (journal_count == journal_capacity) {
        journal_capacity = journal_capacity ? 2 * journal_capacity : 4096;
        journal = realloc(journal, journal_capacity * sizeof *journal);
    }
    journal[journal_count].address = address;
    memcpy(journal[journal_count].old, instance.w2c_memory.data + address, 8);
    journal_count++;
    return address;
}

/* For memory.copy and memory.fill. */
static uint32_t touch_range_hook(uint32_t address, uint32_t count)
{
    for (uint64_t at = address; at < (uint64_t)address + count; at += 8)
        touch_hook(at);
    bulk_bytes_hook(count);
    return address;
}

/* ---- what wasm2c asks of its run-time library ---- */

uint32_t wasm_rt_call_stack_depth;

bool wasm_rt_is_initialized(void)
{
    return true;
}

void wasm_rt_trap(wasm_rt_trap_t code)
{
    (void)code;
    longjmp(leave, TRAPPED);
}

/* Only ever one module here, whose types are already distinct. */
uint32_t wasm_rt_register_func_type(uint32_t parameters, uint32_t results, ...)
{
    static uint32_t registered;
    (void)parameters;
    (void)results;
    return ++registered;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages)
{
    memory->pages = pages;
    memory->max_pages = max_pages;
    memory->size = pages * 65536u;
    memory->data = calloc(memory->size + 1, 1);
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t delta)
{
    uint32_t before = memory->pages;
    if ((uint64_t)before + delta > memory->max_pages || before + delta >= 65536)
        return (uint32_t)-1;
    uint32_t size = (before + delta) * 65536u;
    memory->data = realloc(memory->data, size);
    memset(memory->data + memory->size, 0, size - memory->size);
    memory->pages = before + delta;
    memory->size = size;
    bulk_hook(delta);
    return before;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory)
{
    free(memory->data);
}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t count, uint32_t max)
{
    table->size = count;
    table->max_size = max;
    table->data = calloc(count + 1, sizeof *table->data);
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table)
{
    free(table->data);
}

/* ---- the host functions ---- */

struct Z_pessimum_instance_t { int unused; };
static struct Z_pessimum_instance_t host;

static int64_t next_input(void)
{
    return inputs[input_count++];
}
u32 Z_pessimumZ_size(struct Z_pessimum_instance_t *h) { (void)h; return (u32)run_size; }
u32 Z_pessimumZ_input_i32(struct Z_pessimum_instance_t *h) { (void)h; return (u32)next_input(); }
u64 Z_pessimumZ_input_i64(struct Z_pessimum_instance_t *h) { (void)h; return (u64)next_input(); }
u32 Z_pessimumZ_input_u8(struct Z_pessimum_instance_t *h) { (void)h; return (u8)next_input(); }
u32 Z_pessimumZ_input_range_i32(struct Z_pessimum_instance_t *h, u32 lo, u32 hi)
{
    (void)h;
    int64_t value = next_input();
    if (value < (s32)lo || value > (s32)hi)
        longjmp(leave, ASSUMED_AWAY);
    return (u32)value;
}
void Z_pessimumZ_input_bytes(struct Z_pessimum_instance_t *h, u32 at, u32 count)
{
    (void)h;
    for (u32 i = 0; i < count; i++) {
        touch_hook(at + i);
        instance.w2c_memory.data[at + i] = (u8)next_input();
    }
    bulk_bytes_hook(count);
}
void Z_pessimumZ_assume(struct Z_pessimum_instance_t *h, u32 holds)
{
    (void)h;
    if (!holds)
        longjmp(leave, ASSUMED_AWAY);
}
void Z_pessimumZ_measure_begin(struct Z_pessimum_instance_t *h) { (void)h; measuring = regions_used = 1; }
void Z_pessimumZ_measure_end(struct Z_pessimum_instance_t *h) { (void)h; measuring = 0; }
void Z_pessimumZ_visit(struct Z_pessimum_instance_t *h) { (void)h; visits++; region_visits += measuring; }

/* ---- as much of WASI as a program that reads standard input needs ---- */

struct Z_wasi_snapshot_preview1_instance_t { int unused; };
static struct Z_wasi_snapshot_preview1_instance_t wasi;

static u32 word_at(u32 address)
{
    u32 word;
    memcpy(&word, instance.w2c_memory.data + address, 4);
    return word;
}

static void put_word(u32 address, u32 word)
{
    touch_hook(address);
    memcpy(instance.w2c_memory.data + address, &word, 4);
}

/* Standard input holds n bytes. */
u32 Z_wasi_snapshot_preview1Z_fd_read(struct Z_wasi_snapshot_preview1_instance_t *w, u32 fd, u32 vectors, u32 count, u32 got)
{
    (void)w;
    (void)fd;
    u32 read = 0;
    for (u32 v = 0; v < count; v++) {
        u32 at = word_at(vectors + 8 * v), room = word_at(vectors + 8 * v + 4);
        for (u32 i = 0; i < room && input_count < run_size; i++, read++) {
            touch_hook(at + i);
            instance.w2c_memory.data[at + i] = (u8)next_input();
        }
    }
    put_word(got, read);
    bulk_bytes_hook(read);
    return 0;
}

u32 Z_wasi_snapshot_preview1Z_fd_write(struct Z_wasi_snapshot_preview1_instance_t *w, u32 fd, u32 vectors, u32 count, u32 got)
{
    (void)w;
    (void)fd;
    u32 written = 0;
    for (u32 v = 0; v < count; v++)
        written += word_at(vectors + 8 * v + 4);
    put_word(got, written);
    bulk_bytes_hook(written);
    return 0;
}

void Z_wasi_snapshot_preview1Z_proc_exit(struct Z_wasi_snapshot_preview1_instance_t *w, u32 code)
{
    (void)w;
    (void)code;
    longjmp(leave, EXITED);
}

/* Room for an array argument of `count` elements, filled from the inputs. */
static uint64_t argument_end;
static u32 array(long count, int width)
{
    u32 at = (u32)argument_end;
    argument_end += (uint64_t)(count * width + 15) / 16 * 16;
    while (argument_end > instance.w2c_memory.size)
        if (wasm_rt_grow_memory(&instance.w2c_memory, 64) == (u32)-1)
            abort();
    for (long i = 0; i < count; i++) {
        int64_t value = next_input();
        memcpy(instance.w2c_memory.data + at + i * width, &value, width);
    }
    return at;
}
/* The same for floats: an input is the number that a float has. */
static u32 floats(long count, int width)
{
    u32 at = array(0, 1);
    argument_end += (uint64_t)(count * width + 15) / 16 * 16;
    while (argument_end > instance.w2c_memory.size)
        if (wasm_rt_grow_memory(&instance.w2c_memory, 64) == (u32)-1)
            abort();
    for (long i = 0; i < count; i++) {
        double wide = (double)next_input();
        float narrow = (float)wide;
        memcpy(instance.w2c_memory.data + at + i * width, width == 8 ? (void *)&wide : &narrow, width);
    }
    return at;
}
static u32 constant(const char *bytes, long count)
{
    u32 at = array(0, 1);
    argument_end += (uint64_t)(count + 15) / 16 * 16;
    memcpy(instance.w2c_memory.data + at, bytes, count);
    return at;
}

static uint64_t first_argument;

static enum end run_once(void)
{
    input_count = 0;
    conditionals = decisions = visits = steps = 0;
    region_conditionals = region_decisions = region_visits = 0;
    measuring = regions_used = 0;
    trace.a = 1;
    trace.b = 2;
    argument_end = first_argument;
    long n = run_size;
    (void)n;
    volatile enum end end = setjmp(leave);
    if (end == NORMAL) {
        ARGUMENTS;
        conditionals = 0; /* what room for the arguments has cost is not the program's */
        CALL;
    } else if (end == EXITED) {
        end = NORMAL;
    }
    while (journal_count > 0) {
        journal_count--;
        memcpy(instance.w2c_memory.data + journal[journal_count].address, journal[journal_count].old, 8);
    }
    wasm_rt_call_stack_depth = 0;
    init_globals(&instance);
    if (regions_used) {
        conditionals = region_conditionals;
        decisions = region_decisions;
        visits = region_visits;
    }
    return end;
}

/* ---- all inputs ---- */

static long paths, trapped, endless, runs;
static long worst_conditionals, least_conditionals, worst_decisions, worst_visits;
static int64_t *worst_input;
static long input_length;

static void try_one(void)
{
    enum end end = run_once();
    runs++;
    if (end == ASSUMED_AWAY)
        return;
    if (!second_pass) {
        struct slot *slot = find(trace);
        if (!(slot->end_seen & (1 << end))) {
            slot->end_seen |= 1 << end;
            paths += end == NORMAL;
            trapped += end == TRAPPED;
            endless += end == ENDLESS;
        }
    }
    if (end != NORMAL)
        return;
    if (conditionals > worst_conditionals) {
        worst_conditionals = conditionals;
        memcpy(worst_input, inputs, input_length * sizeof *inputs);
    }
    if (conditionals < least_conditionals)
        least_conditionals = conditionals;
    if (decisions > worst_decisions)
        worst_decisions = decisions;
    if (visits > worst_visits)
        worst_visits = visits;
}

static const int64_t *domain;
static long domain_count;

/* Every tuple of values of the domain. */
static void all_tuples(long place)
{
    if (place == input_length) {
        try_one();
        return;
    }
    for (long i = 0; i < domain_count; i++) {
        inputs[place] = domain[i];
        all_tuples(place + 1);
    }
}

/* Every way to order the inputs, ties included; each new one joins a rank or goes between two. */
static void weak_orders(long place, long ranks)
{
    if (place == input_length) {
        try_one();
        return;
    }
    for (long rank = 0; rank < ranks; rank++) {
        inputs[place] = rank;
        weak_orders(place + 1, ranks);
    }
    for (long gap = 0; gap <= ranks; gap++) {
        for (long i = 0; i < place; i++)
            inputs[i] += inputs[i] >= gap;
        inputs[place] = gap;
        weak_orders(place + 1, ranks + 1);
        for (long i = 0; i < place; i++)
            inputs[i] -= inputs[i] > gap;
    }
}

/*
 * Random tuples: what they show is only a lower bound. Half of them are mostly the
 * first value of the domain, so that long equal prefixes occur.
 */
static void random_tuples(long count)
{
    uint64_t state = 88172645463325252u;
    for (long k = 0; k < count; k++) {
        for (long i = 0; i < input_length; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            uint64_t draw = state >> 11;
            inputs[i] = k % 2 && draw % 16 ? domain[0] : domain[(draw >> 8) % (uint64_t)domain_count];
        }
        try_one();
    }
}

static void walk(const char *mode)
{
    if (!strcmp(mode, "weak-orders"))
        weak_orders(0, 0);
    else if (!strcmp(mode, "all"))
        all_tuples(0);
    else
        random_tuples(atol(mode));
}

/*
 * driver run n           the costs on the inputs given on standard input
 * driver MODE n d1 d2 …  the facts over a domain; MODE is weak-orders, all, or a number of samples
 */
int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    inputs = calloc(MAX_INPUTS, sizeof *inputs);
    worst_input = calloc(MAX_INPUTS, sizeof *worst_input);
    run_size = atol(argv[2]);
    Z_m_init_module();
    INSTANTIATE;
    first_argument = instance.w2c_memory.size;

    if (!strcmp(argv[1], "run")) {
        long long value;
        for (long i = 0; scanf("%lld", &value) == 1; i++)
            inputs[i] = value;
        enum end end = run_once();
        printf("{\"end\":%d,\"inputs\":%ld,\"conditionals\":%ld,\"visits\":%ld}\n",
               end, input_count, conditionals, visits);
        return 0;
    }

    domain_count = argc - 3;
    int64_t *values = calloc(domain_count + 1, sizeof *values);
    for (int i = 3; i < argc; i++)
        values[i - 3] = atoll(argv[i]);
    domain = values;
    input_length = INPUTS;

    for (remember_nodes = 1, second_pass = 0; second_pass < 2; second_pass++) {
        runs = 0;
        worst_conditionals = -1;
        least_conditionals = ENDLESS_AFTER;
        walk(argv[1]);
    }
    int open_sites = 0;
    for (size_t i = 0; i < sizeof open_site; i++)
        open_sites += open_site[i];
    printf("{\"open_sites\":%d,\"paths\":%ld,\"trapped\":%ld,\"endless\":%ld,\"runs\":%ld,\"conditionals\":%ld,"
           "\"least_conditionals\":%ld,\"decisions\":%ld,\"visits\":%ld,\"worst\":[",
           open_sites, paths, trapped, endless, runs, worst_conditionals, least_conditionals, worst_decisions,
           worst_visits);
    for (long i = 0; i < input_length; i++)
        printf("%s%lld", i ? "," : "", (long long)worst_input[i]);
    printf("]}\n");
    clear_slots();
    return 0;
}
