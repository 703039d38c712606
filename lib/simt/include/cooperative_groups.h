/* cooperative_groups.h of the checker: the grid, blocks, tiles of a block or of a tile, coalesced groups. Blocks run one
 * after the other here, so a grid of several cannot wait for itself: grid_group::sync says so. */
#ifndef SPW_SIMT_COOPERATIVE_GROUPS_H
#define SPW_SIMT_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

SPW_SIMT_BOTH_SIDES_BEGIN
namespace cooperative_groups {
/* Groups shuffle any type that can be copied byte by byte, up to 32 bytes, a word after the other. */
template <class T> SPW_SIMT_INLINE T carry(unsigned mask, T value, int source) {
    static_assert(sizeof(T) <= 32, "a shuffle of a group moves at most 32 bytes");
    if constexpr (sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0) {
        return ::spw_simt::shuffle(mask, value, source);
    } else {
        uint64_t words[(sizeof(T) + 7) / 8] = {};
        __builtin_memcpy(words, &value, sizeof(T));
        for (uint64_t &word : words) word = ::spw_simt::shuffle(mask, word, source);
        __builtin_memcpy(&value, words, sizeof(T));
        return value;
    }
}

struct thread_block {
    static constexpr unsigned flat(uint3 at, uint3 size) {
        return (at.z * size.y + at.y) * size.x + at.x;
    }
    SPW_SIMT_INLINE void sync() const { spw_simt_sync_block(0, 0); }
    SPW_SIMT_INLINE unsigned thread_rank() const { return flat(threadIdx, blockDim); }
    SPW_SIMT_INLINE unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    SPW_SIMT_INLINE unsigned num_threads() const { return size(); }
    SPW_SIMT_INLINE uint3 group_index() const { return blockIdx; }
    SPW_SIMT_INLINE uint3 thread_index() const { return threadIdx; }
    SPW_SIMT_INLINE dim3 group_dim() const { return blockDim; }
};

static SPW_SIMT_INLINE thread_block this_thread_block() { return thread_block(); }

/* Size lanes in a row; Size is a power of two up to 32. */
template <unsigned Size, class Parent = thread_block> struct thread_block_tile {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, ... 32 lanes");

    SPW_SIMT_INLINE unsigned mask() const {
        return Size == 32 ? 0xffffffffu
                          : ((1u << (Size & 31)) - 1) << ::spw_simt::segment((int)Size);
    }
    SPW_SIMT_INLINE void sync() const { spw_simt_sync_warp(mask()); }
    SPW_SIMT_INLINE unsigned thread_rank() const { return (unsigned)spw_simt_lane() & (Size - 1); }
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    SPW_SIMT_INLINE unsigned meta_group_rank() const { return thread_block().thread_rank() / Size; }
    SPW_SIMT_INLINE unsigned meta_group_size() const {
        return (thread_block().size() + Size - 1) / Size;
    }
    template <class T> SPW_SIMT_INLINE T shfl(T value, int lane) const {
        return carry(mask(), value, ::spw_simt::lane_at(lane, (int)Size));
    }
    template <class T> SPW_SIMT_INLINE T shfl_down(T value, unsigned delta) const {
        return carry(mask(), value, ::spw_simt::lane_down(delta, (int)Size));
    }
    template <class T> SPW_SIMT_INLINE T shfl_up(T value, unsigned delta) const {
        return carry(mask(), value, ::spw_simt::lane_up(delta, (int)Size));
    }
    template <class T> SPW_SIMT_INLINE T shfl_xor(T value, unsigned lanes) const {
        return carry(mask(), value, ::spw_simt::lane_xor((int)lanes, (int)Size));
    }
    SPW_SIMT_INLINE unsigned ballot(int predicate) const {
        return __ballot_sync(mask(), predicate) >> ::spw_simt::segment((int)Size);
    }
    SPW_SIMT_INLINE int any(int predicate) const { return __any_sync(mask(), predicate); }
    SPW_SIMT_INLINE int all(int predicate) const { return __all_sync(mask(), predicate); }
};

template <unsigned Size>
SPW_SIMT_INLINE thread_block_tile<Size> tiled_partition(const thread_block &) {
    return thread_block_tile<Size>();
}
template <unsigned Size, unsigned Of, class Parent>
SPW_SIMT_INLINE thread_block_tile<Size, thread_block_tile<Of, Parent>>
tiled_partition(const thread_block_tile<Of, Parent> &) {
    static_assert(Size <= Of, "a tile of a tile is not larger than that");
    return thread_block_tile<Size, thread_block_tile<Of, Parent>>();
}

struct grid_group {
    SPW_SIMT_INLINE unsigned long long thread_rank() const {
        return block_rank() * thread_block().size() + thread_block().thread_rank();
    }
    SPW_SIMT_INLINE unsigned long long size() const { return num_blocks() * thread_block().size(); }
    SPW_SIMT_INLINE unsigned long long num_threads() const { return size(); }
    SPW_SIMT_INLINE unsigned long long num_blocks() const {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    SPW_SIMT_INLINE unsigned long long block_rank() const {
        return thread_block::flat(blockIdx, gridDim);
    }
    SPW_SIMT_INLINE bool is_valid() const { return true; }
    SPW_SIMT_INLINE void sync() const {
        if (num_blocks() > 1)
            spw_simt_unsupported(
                "grid.sync() with several blocks is not in the checker, where blocks run one after "
                "the other. The end of a launch is a barrier of the grid: make two kernels of this "
                "one.");
        spw_simt_sync_block(0, 0);
    }
};
static SPW_SIMT_INLINE grid_group this_grid() { return grid_group(); }

/* A block or a tile whose size is known at run time only. */
struct thread_group {
    unsigned lanes; /* a power of two up to 32; 0: the block */

    SPW_SIMT_INLINE thread_group(const thread_block &) : lanes(0) {}
    SPW_SIMT_INLINE explicit thread_group(unsigned size) : lanes(size) {}
    template <unsigned Size, class Parent>
    SPW_SIMT_INLINE thread_group(const thread_block_tile<Size, Parent> &) : lanes(Size) {}
    SPW_SIMT_INLINE unsigned size() const { return lanes ? lanes : thread_block().size(); }
    SPW_SIMT_INLINE unsigned num_threads() const { return size(); }
    SPW_SIMT_INLINE unsigned thread_rank() const {
        return lanes ? (unsigned)spw_simt_lane() & (lanes - 1) : thread_block().thread_rank();
    }
    SPW_SIMT_INLINE void sync() const {
        if (lanes)
            spw_simt_sync_warp(
                lanes == 32 ? 0xffffffffu : ((1u << lanes) - 1) << ::spw_simt::segment((int)lanes));
        else
            spw_simt_sync_block(0, 0);
    }
};
static SPW_SIMT_INLINE thread_group tiled_partition(const thread_group &, unsigned size) {
    return thread_group(size);
}

/* Some lanes of a warp: those that are here now, or that agree in a label. Ranks count them from the lowest. */
struct coalesced_group {
    unsigned lanes;
    unsigned group_rank = 0, n_groups = 1;

    SPW_SIMT_INLINE void sync() const { spw_simt_sync_warp(lanes); }
    SPW_SIMT_INLINE unsigned size() const { return (unsigned)__builtin_popcount(lanes); }
    SPW_SIMT_INLINE unsigned num_threads() const { return size(); }
    SPW_SIMT_INLINE unsigned thread_rank() const {
        return (unsigned)__builtin_popcount(lanes & ((1u << spw_simt_lane()) - 1));
    }
    SPW_SIMT_INLINE unsigned meta_group_rank() const { return group_rank; }
    SPW_SIMT_INLINE unsigned meta_group_size() const { return n_groups; }
    SPW_SIMT_INLINE unsigned mask() const { return lanes; }
    SPW_SIMT_INLINE int lane_of(unsigned rank) const {
        unsigned rest = lanes;
        for (; rank > 0; rank--) rest &= rest - 1;
        return __builtin_ctz(rest);
    }
    template <class T> SPW_SIMT_INLINE T shfl(T value, unsigned rank) const {
        return carry(lanes, value, lane_of(rank % size()));
    }
    template <class T> SPW_SIMT_INLINE T shfl_down(T value, unsigned delta) const {
        const unsigned me = thread_rank();
        return carry(lanes, value, lane_of(me + delta < size() ? me + delta : me));
    }
    template <class T> SPW_SIMT_INLINE T shfl_up(T value, unsigned delta) const {
        const unsigned me = thread_rank();
        return carry(lanes, value, lane_of(me >= delta ? me - delta : me));
    }
    SPW_SIMT_INLINE unsigned ballot(int predicate) const {
        const unsigned votes = __ballot_sync(lanes, predicate);
        unsigned packed = 0, rank = 0;
        for (unsigned rest = lanes; rest; rest &= rest - 1, rank++)
            packed |= (votes >> __builtin_ctz(rest) & 1) << rank;
        return packed;
    }
    SPW_SIMT_INLINE int any(int predicate) const { return __any_sync(lanes, predicate); }
    SPW_SIMT_INLINE int all(int predicate) const { return __all_sync(lanes, predicate); }
};

static SPW_SIMT_INLINE coalesced_group coalesced_threads() {
    return coalesced_group{spw_simt_active_mask()};
}

/* The lanes of a tile or of a coalesced group that have the same label. */
template <class Group, class Label>
SPW_SIMT_INLINE coalesced_group labeled_partition(const Group &group, Label label) {
    const unsigned same = spw_simt_match(group.mask(), (uint64_t)label, 0);
    const unsigned first = same & -same;
    const unsigned firsts = __ballot_sync(group.mask(), first == 1u << spw_simt_lane());
    return coalesced_group{same, (unsigned)__builtin_popcount(firsts & (first - 1)),
                           (unsigned)__builtin_popcount(firsts)};
}
template <class Group>
SPW_SIMT_INLINE coalesced_group binary_partition(const Group &group, bool predicate) {
    return labeled_partition(group, predicate);
}

/* reduce, as cooperative_groups/reduce.h has it: every lane gets the result. */
template <class T> struct plus {
    SPW_SIMT_INLINE T operator()(T a, T b) const { return a + b; }
};
template <class T> struct greater {
    SPW_SIMT_INLINE T operator()(T a, T b) const { return a > b ? a : b; }
};
template <class T> struct less {
    SPW_SIMT_INLINE T operator()(T a, T b) const { return a < b ? a : b; }
};
template <unsigned Size, class Parent, class T, class Op>
SPW_SIMT_INLINE T reduce(const thread_block_tile<Size, Parent> &tile, T value, Op op) {
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2)
        value = op(value, tile.shfl_xor(value, lanes));
    return value;
}

template <class T, class Op>
SPW_SIMT_INLINE T reduce(const coalesced_group &group, T value, Op op) {
    T result = group.shfl(value, 0);
    for (unsigned rank = 1; rank < group.size(); rank++)
        result = op(result, group.shfl(value, rank));
    return result;
}

template <class Group> SPW_SIMT_INLINE void sync(const Group &group) { group.sync(); }
template <class Group> SPW_SIMT_INLINE void synchronize(const Group &group) { group.sync(); }
} // namespace cooperative_groups
SPW_SIMT_BOTH_SIDES_END

#endif
