/* Which blocks were launched, and how many of them a multiprocessor holds at the same time: its occupancy. The limits
 * are those of compute capability 9.0, as cudaGetDeviceProperties has them here; the rule is that of NVIDIA's
 * cuda_occupancy.h. */
#include "simt/state.h"

#include <stdio.h>
#include <string.h>

enum {
    WARPS = 64,
    BLOCKS = 32,
    REGISTERS = 65536,
    PARTITIONS = 4, /* of the registers; a warp has all of its own in one */
    REGISTER_UNIT = 256,
    SHARED = 228 << 10,
    SHARED_UNIT = 128,
    SHARED_OF_SYSTEM = 1024, /* of each block */
    MOST_REGISTERS = 255,
    MAX_KNOWN = 64
};

/* What nvcc said, by a kernel's name without namespace and template arguments: of several instances the most. */
static struct {
    char kernel[SPW_SIMT_NAME];
    int registers;
} known[MAX_KNOWN];
static int n_known;

/* "void deep::sum<double, 4>(int)" -> "sum" */
static void base_name(const char *kernel, char *name) {
    size_t length = strcspn(kernel, "<("), from = length;
    while (from > 0 && !strchr(" :", kernel[from - 1])) from--;
    snprintf(name, SPW_SIMT_NAME, "%.*s", (int)(length - from), kernel + from);
}

void spw_simt_know_registers(const char *kernel, int registers) {
    char name[SPW_SIMT_NAME];
    int k = 0;
    base_name(kernel, name);
    while (k < n_known && strcmp(known[k].kernel, name) != 0) k++;
    if (k == MAX_KNOWN) return;
    if (k == n_known) memcpy(known[n_known++].kernel, name, sizeof name);
    if (registers > known[k].registers) known[k].registers = registers;
}

static int registers_of(const char *kernel) {
    char name[SPW_SIMT_NAME];
    base_name(kernel, name);
    for (int k = 0; k < n_known; k++)
        if (strcmp(known[k].kernel, name) == 0) return known[k].registers;
    return 0;
}

void spw_simt_note_shape(spw_simt_state *s, const spw_simt_launch *l) {
    const int64_t blocks = (int64_t)l->grid.x * l->grid.y * l->grid.z;
    const int threads = (int)(l->block.x * l->block.y * l->block.z),
              room = sizeof s->shapes / sizeof *s->shapes;
    const size_t shared = l->shared + s->now.static_shared;
    int k = 0;
    while (k < s->n_shapes && (strcmp(s->shapes[k].kernel, l->kernel) != 0 ||
                               s->shapes[k].threads != threads || s->shapes[k].shared != shared))
        k++;
    if (k == room) return;
    spw_simt_shape *shape = &s->shapes[k];
    if (k == s->n_shapes) {
        *shape = (spw_simt_shape){.threads = threads, .shared = shared};
        snprintf(shape->kernel, sizeof shape->kernel, "%s", l->kernel);
        shape->registers = registers_of(l->kernel);
        s->n_shapes++;
    }
    shape->launches++;
    if (blocks > shape->blocks) shape->blocks = blocks;
}

int spw_simt_shape_count(void) { return spw_simt_now->n_shapes; }

const spw_simt_shape *spw_simt_shape_at(int k) { return &spw_simt_now->shapes[k]; }

/* Warps that the registers have room for. */
static int warps_by_registers(int registers) {
    const int warp = (registers * WARP + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    return REGISTERS / PARTITIONS / warp * PARTITIONS;
}

int spw_simt_resident_blocks(const spw_simt_shape *shape, const char **limit, int *most_registers) {
    const int warps = (shape->threads + WARP - 1) / WARP;
    const size_t shared =
        (shape->shared + SHARED_OF_SYSTEM + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    int blocks = WARPS / warps, fewer;
    *limit = "warps";
    if (BLOCKS < blocks) blocks = BLOCKS, *limit = "blocks";
    if ((fewer = (int)(SHARED / shared)) < blocks) blocks = fewer, *limit = "shared memory";
    *most_registers = MOST_REGISTERS;
    while (*most_registers > 1 && warps_by_registers(*most_registers) / warps < blocks)
        --*most_registers;
    if (shape->registers && (fewer = warps_by_registers(shape->registers) / warps) < blocks)
        blocks = fewer, *limit = "registers";
    return blocks;
}
