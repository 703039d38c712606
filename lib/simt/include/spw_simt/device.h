/* What kernels call: indices, barriers, shuffles, votes, atomics, and the mathematics that is not C's. */
#ifndef SPW_SIMT_DEVICE_H
#define SPW_SIMT_DEVICE_H

/* threadIdx, blockIdx, blockDim and gridDim are written out by the rewriter. */
static constexpr int warpSize = 32;

/* --- barriers ------------------------------------------------------------------------------------- */

namespace spw_simt {
/* The first argument of what lanes or threads have to do together: a mask or a predicate, and which call of the source
 * this is. The rewriter writes f(::spw_simt::call{7}=mask, ...). */
struct counted {
    unsigned value, call;
    SPW_SIMT_INLINE counted(unsigned v, unsigned c = 0) : value(v), call(c) {}
};
struct call {
    unsigned number;
    SPW_SIMT_INLINE counted operator=(unsigned value) const { return counted(value, number); }
    SPW_SIMT_INLINE operator counted() const { return counted(0, number); }
};
} // namespace spw_simt

static SPW_SIMT_INLINE void __syncthreads(spw_simt::counted nothing = 0) {
    spw_simt_sync_block(0, nothing.call);
}
static SPW_SIMT_INLINE int __syncthreads_count(spw_simt::counted predicate) {
    return spw_simt_sync_block(predicate.value != 0, predicate.call);
}
static SPW_SIMT_INLINE int __syncthreads_or(spw_simt::counted predicate) {
    return spw_simt_sync_block(predicate.value != 0, predicate.call) > 0;
}
static SPW_SIMT_INLINE int __syncthreads_and(spw_simt::counted predicate) {
    return spw_simt_sync_block(predicate.value == 0, predicate.call) == 0;
}
static SPW_SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu) { spw_simt_sync_warp(mask); }
static SPW_SIMT_INLINE void __threadfence() { spw_simt_fence(1); }
static SPW_SIMT_INLINE void __threadfence_block() { spw_simt_fence(0); }
static SPW_SIMT_INLINE void __threadfence_system() { spw_simt_fence(1); }

/* --- shuffles and votes --------------------------------------------------------------------------- */

namespace spw_simt {
template <int Size> struct bits;
template <> struct bits<1> { using type = uint8_t; };
template <> struct bits<2> { using type = uint16_t; };
template <> struct bits<4> { using type = uint32_t; };
template <> struct bits<8> { using type = uint64_t; };

template <class T> SPW_SIMT_INLINE T shuffle(counted mask, T value, int source) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    using word = typename bits<sizeof(T)>::type;
    return __builtin_bit_cast(
        T, (word)spw_simt_shuffle(mask.value, __builtin_bit_cast(word, value), source, mask.call));
}

/* The first lane of the segment of `width` lanes that this lane is in. */
SPW_SIMT_INLINE int segment(int width) { return spw_simt_lane() & ~(width - 1); }
/* The lane that a shuffle reads from: its own where the other one is outside of the segment. */
SPW_SIMT_INLINE int lane_at(int lane, int width) { return segment(width) + (lane & (width - 1)); }
SPW_SIMT_INLINE int lane_down(unsigned delta, int width) {
    const int me = spw_simt_lane(), from = me + (int)delta;
    return from < segment(width) + width ? from : me;
}
SPW_SIMT_INLINE int lane_up(unsigned delta, int width) {
    const int me = spw_simt_lane(), from = me - (int)delta;
    return from >= segment(width) ? from : me;
}
SPW_SIMT_INLINE int lane_xor(int lanes, int width) {
    const int me = spw_simt_lane(), from = me ^ lanes;
    return from < segment(width) + width ? from : me;
}
} // namespace spw_simt

template <class T>
SPW_SIMT_INLINE T __shfl_sync(spw_simt::counted mask, T value, int lane, int width = 32) {
    return spw_simt::shuffle(mask, value, spw_simt::lane_at(lane, width));
}
template <class T>
SPW_SIMT_INLINE T __shfl_down_sync(spw_simt::counted mask, T value, unsigned delta,
                                   int width = 32) {
    return spw_simt::shuffle(mask, value, spw_simt::lane_down(delta, width));
}
template <class T>
SPW_SIMT_INLINE T __shfl_up_sync(spw_simt::counted mask, T value, unsigned delta, int width = 32) {
    return spw_simt::shuffle(mask, value, spw_simt::lane_up(delta, width));
}
template <class T>
SPW_SIMT_INLINE T __shfl_xor_sync(spw_simt::counted mask, T value, int lanes, int width = 32) {
    return spw_simt::shuffle(mask, value, spw_simt::lane_xor(lanes, width));
}

static SPW_SIMT_INLINE unsigned __ballot_sync(spw_simt::counted mask, int predicate) {
    return spw_simt_ballot(mask.value, predicate, mask.call);
}
static SPW_SIMT_INLINE int __any_sync(spw_simt::counted mask, int predicate) {
    return spw_simt_ballot(mask.value, predicate, mask.call) != 0;
}
static SPW_SIMT_INLINE int __all_sync(spw_simt::counted mask, int predicate) {
    return spw_simt_ballot(mask.value, !predicate, mask.call) == 0;
}
template <class T> SPW_SIMT_INLINE unsigned __match_any_sync(spw_simt::counted mask, T value) {
    return spw_simt_match(
        mask.value, __builtin_bit_cast(typename spw_simt::bits<sizeof(T)>::type, value), mask.call);
}
template <class T>
SPW_SIMT_INLINE unsigned __match_all_sync(spw_simt::counted mask, T value, int *all) {
    const unsigned same = __match_any_sync(mask, value);
    *all = same == mask.value;
    return *all ? mask.value : 0;
}

/* __reduce_add_sync and its like, of the lanes of the mask. */
#define SPW_SIMT_REDUCE(name, T, step)                                                             \
    static SPW_SIMT_INLINE T name(spw_simt::counted mask, T value) {                               \
        T all = 0;                                                                                 \
        for (unsigned rest = mask.value, first = 1; rest; rest &= rest - 1, first = 0) {           \
            const T other = spw_simt::shuffle(mask, value, __builtin_ctz(rest));                   \
            all = first ? other : (T)(step);                                                       \
        }                                                                                          \
        return all;                                                                                \
    }
#define SPW_SIMT_REDUCES(T)                                                                        \
    SPW_SIMT_REDUCE(__reduce_min_sync, T, other < all ? other : all)                               \
    SPW_SIMT_REDUCE(__reduce_max_sync, T, other > all ? other : all)
SPW_SIMT_REDUCE(__reduce_add_sync, unsigned, all + other)
SPW_SIMT_REDUCE(__reduce_add_sync, int, (unsigned)all + (unsigned)other)
SPW_SIMT_REDUCES(unsigned)
SPW_SIMT_REDUCES(int)
SPW_SIMT_REDUCE(__reduce_and_sync, unsigned, all &other)
SPW_SIMT_REDUCE(__reduce_or_sync, unsigned, all | other)
SPW_SIMT_REDUCE(__reduce_xor_sync, unsigned, all ^ other)

static SPW_SIMT_INLINE unsigned __activemask() { return spw_simt_active_mask(); }
static SPW_SIMT_INLINE unsigned __lanemask_lt() { return (1u << spw_simt_lane()) - 1; }

/* --- atomics: threads run in turn, so that a plain update is atomic -------------------------------- */

/* Each in three scopes: device, block, system. */
#define SPW_SIMT_ATOMIC_HOW(name, T, result, how)                                                  \
    SPW_SIMT_ATOMIC_OF(name, T, result, how)                                                       \
    SPW_SIMT_ATOMIC_OF(name##_block, T, result, (how) | SPW_SIMT_IN_BLOCK)                         \
    SPW_SIMT_ATOMIC_OF(name##_system, T, result, how)
#define SPW_SIMT_ATOMIC(name, T, result) SPW_SIMT_ATOMIC_HOW(name, T, result, SPW_SIMT_UPDATES)
#define SPW_SIMT_EXCHANGE(T)             SPW_SIMT_ATOMIC_HOW(atomicExch, T, value, SPW_SIMT_EXCHANGES)
#define SPW_SIMT_ATOMIC_OF(name, T, result, how)                                                   \
    inline SPW_SIMT_UNSEEN T name(T *address, T value) {                                           \
        spw_simt_atomic(address, sizeof(T), __builtin_return_address(0), how);                     \
        const T old = *address;                                                                    \
        *address = (T)(result);                                                                    \
        return old;                                                                                \
    }
#define SPW_SIMT_ATOMICS_BITS(T)                                                                   \
    SPW_SIMT_ATOMIC(atomicAnd, T, old &value)                                                      \
    SPW_SIMT_ATOMIC(atomicOr, T, old | value)                                                      \
    SPW_SIMT_ATOMIC(atomicXor, T, old ^ value)                                                     \
    SPW_SIMT_ATOMIC(atomicMin, T, old < value ? old : value)                                       \
    SPW_SIMT_ATOMIC(atomicMax, T, old > value ? old : value)
#define SPW_SIMT_ATOMIC_CAS(T)                                                                     \
    SPW_SIMT_ATOMIC_CAS_OF(atomicCAS, T, SPW_SIMT_COMPARES)                                        \
    SPW_SIMT_ATOMIC_CAS_OF(atomicCAS_block, T, SPW_SIMT_COMPARES | SPW_SIMT_IN_BLOCK)              \
    SPW_SIMT_ATOMIC_CAS_OF(atomicCAS_system, T, SPW_SIMT_COMPARES)
#define SPW_SIMT_ATOMIC_CAS_OF(name, T, how)                                                       \
    inline SPW_SIMT_UNSEEN T name(T *address, T compare, T value) {                                \
        spw_simt_atomic(address, sizeof(T), __builtin_return_address(0), how);                     \
        const T old = *address;                                                                    \
        if (old == compare) *address = value;                                                      \
        return old;                                                                                \
    }

SPW_SIMT_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)value)
SPW_SIMT_ATOMIC(atomicAdd, unsigned, old + value)
SPW_SIMT_ATOMIC(atomicAdd, unsigned long long, old + value)
SPW_SIMT_ATOMIC(atomicAdd, float, old + value)
SPW_SIMT_ATOMIC(atomicAdd, double, old + value)
SPW_SIMT_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)value)
SPW_SIMT_ATOMIC(atomicSub, unsigned, old - value)
SPW_SIMT_EXCHANGE(int)
SPW_SIMT_EXCHANGE(unsigned)
SPW_SIMT_EXCHANGE(unsigned long long)
SPW_SIMT_EXCHANGE(float)
SPW_SIMT_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
SPW_SIMT_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)
SPW_SIMT_ATOMICS_BITS(int)
SPW_SIMT_ATOMICS_BITS(unsigned)
SPW_SIMT_ATOMICS_BITS(long long)
SPW_SIMT_ATOMICS_BITS(unsigned long long)
SPW_SIMT_ATOMIC_CAS(int)
SPW_SIMT_ATOMIC_CAS(unsigned)
SPW_SIMT_ATOMIC_CAS(unsigned short)
SPW_SIMT_ATOMIC_CAS(unsigned long long)

/* --- loads with a hint: plain loads here ---------------------------------------------------------- */

#define SPW_SIMT_LOAD(name)                                                                        \
    template <class T> SPW_SIMT_INLINE T name(const T *p) { return *p; }
#define SPW_SIMT_STORE(name)                                                                       \
    template <class T, class V> SPW_SIMT_INLINE void name(T *p, V value) { *p = (T)value; }
/* clang-format off */
SPW_SIMT_LOAD(__ldg) SPW_SIMT_LOAD(__ldca) SPW_SIMT_LOAD(__ldcg) SPW_SIMT_LOAD(__ldcs)
SPW_SIMT_LOAD(__ldlu) SPW_SIMT_LOAD(__ldcv)
SPW_SIMT_STORE(__stwb) SPW_SIMT_STORE(__stcg) SPW_SIMT_STORE(__stcs) SPW_SIMT_STORE(__stwt)
/* clang-format on */

/* --- arithmetic ----------------------------------------------------------------------------------- */

#define SPW_SIMT_MIN_MAX(T)                                                                        \
    static SPW_SIMT_INLINE T min(T a, T b) { return b < a ? b : a; }                               \
    static SPW_SIMT_INLINE T max(T a, T b) { return a < b ? b : a; }
            SPW_SIMT_MIN_MAX(int) SPW_SIMT_MIN_MAX(unsigned) SPW_SIMT_MIN_MAX(long)
                SPW_SIMT_MIN_MAX(unsigned long) SPW_SIMT_MIN_MAX(long long)
                    SPW_SIMT_MIN_MAX(unsigned long long) SPW_SIMT_MIN_MAX(float)
                        SPW_SIMT_MIN_MAX(double)

                            static SPW_SIMT_INLINE double rsqrt(double x) {
    return 1 / sqrt(x);
}
static SPW_SIMT_INLINE float rsqrtf(float x) { return 1 / sqrtf(x); }
static SPW_SIMT_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
static SPW_SIMT_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static SPW_SIMT_INLINE int __ffs(int x) { return __builtin_ffs(x); }
static SPW_SIMT_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
static SPW_SIMT_INLINE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static SPW_SIMT_INLINE int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static SPW_SIMT_INLINE unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int k = 0; k < 32; k++) y |= (x >> k & 1) << (31 - k);
    return y;
}
static SPW_SIMT_INLINE int __mul24(int a, int b) { return a * b; }
static SPW_SIMT_INLINE double __fma_rn(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
static SPW_SIMT_INLINE float __fmaf_rn(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
static SPW_SIMT_INLINE double __dadd_rn(double a, double b) { return a + b; }
static SPW_SIMT_INLINE double __dmul_rn(double a, double b) { return a * b; }
static SPW_SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
static SPW_SIMT_INLINE long long __double_as_longlong(double x) {
    return __builtin_bit_cast(long long, x);
}
static SPW_SIMT_INLINE double __longlong_as_double(long long x) {
    return __builtin_bit_cast(double, x);
}
static SPW_SIMT_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static SPW_SIMT_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
static SPW_SIMT_INLINE void __nanosleep(unsigned) {}
static SPW_SIMT_INLINE void __trap() { spw_simt_trap(); }

#define SPW_SIMT_FUNCTION_1(name, T, A, result)                                                    \
    static SPW_SIMT_INLINE T name(A x) { return result; }
#define SPW_SIMT_FUNCTION_2(name, T, A, result)                                                    \
    static SPW_SIMT_INLINE T name(A x, A y) { return result; }
/* The fast ones are exact here. Macros: the C library has functions of these names. */
#define __expf   expf
#define __exp10f exp10f
#define __logf   logf
#define __log2f  log2f
#define __log10f log10f
#define __sinf   sinf
#define __cosf   cosf
#define __tanf   tanf
#define __powf   powf
SPW_SIMT_FUNCTION_1(__saturatef, float, float, x > 0 ? x < 1 ? x : 1 : 0)
SPW_SIMT_FUNCTION_1(__fsqrt_rn, float, float, sqrtf(x))
SPW_SIMT_FUNCTION_1(__frcp_rn, float, float, 1 / x)
SPW_SIMT_FUNCTION_1(__frsqrt_rn, float, float, 1 / sqrtf(x))
SPW_SIMT_FUNCTION_2(__fadd_rn, float, float, x + y)
SPW_SIMT_FUNCTION_2(__fsub_rn, float, float, x - y)
SPW_SIMT_FUNCTION_2(__fmul_rn, float, float, x *y)
SPW_SIMT_FUNCTION_2(__fdiv_rn, float, float, x / y)
SPW_SIMT_FUNCTION_1(__dsqrt_rn, double, double, sqrt(x))
SPW_SIMT_FUNCTION_1(__drcp_rn, double, double, 1 / x)
SPW_SIMT_FUNCTION_2(__dsub_rn, double, double, x - y)
SPW_SIMT_FUNCTION_2(__ddiv_rn, double, double, x / y)
SPW_SIMT_FUNCTION_2(__umul24, unsigned, unsigned, (x & 0xffffff) * (y & 0xffffff))
SPW_SIMT_FUNCTION_2(__mulhi, int, int, (int)((long long)x *y >> 32))
SPW_SIMT_FUNCTION_2(__umulhi, unsigned, unsigned, (unsigned)((unsigned long long)x *y >> 32))
SPW_SIMT_FUNCTION_1(__float_as_uint, unsigned, float, __builtin_bit_cast(unsigned, x))
SPW_SIMT_FUNCTION_1(__uint_as_float, float, unsigned, __builtin_bit_cast(float, x))
SPW_SIMT_FUNCTION_1(__double2int_rn, int, double, (int)rint(x))
SPW_SIMT_FUNCTION_1(__double2int_rz, int, double, (int)x)
SPW_SIMT_FUNCTION_1(__float2int_rn, int, float, (int)rintf(x))
SPW_SIMT_FUNCTION_1(__float2int_rz, int, float, (int)x)
SPW_SIMT_FUNCTION_1(__int2float_rn, float, int, (float)x)
SPW_SIMT_FUNCTION_1(__int2double_rn, double, int, (double)x)

static SPW_SIMT_INLINE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const unsigned long long both = (unsigned long long)y << 32 | x;
    unsigned result = 0;
    for (int k = 0; k < 4; k++)
        result |= (unsigned)(both >> 8 * (selector >> 4 * k & 7) & 0xff) << 8 * k;
    return result;
}
static SPW_SIMT_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)((((unsigned long long)high << 32 | low) << (shift & 31)) >> 32);
}
static SPW_SIMT_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((unsigned long long)high << 32 | low) >> (shift & 31));
}

/* Clocks count calls: the checker knows no time. Differences are above 0. */
inline SPW_SIMT_UNSEEN long long clock64() {
    static long long calls;
    return ++calls;
}

#endif
