/* What kernels call: indices, barriers, shuffles, votes, atomics, and the mathematics that is not C's. */
#ifndef SPW_SIMT_DEVICE_H
#define SPW_SIMT_DEVICE_H

/* threadIdx, blockIdx, blockDim and gridDim are written out by the rewriter. */
static constexpr int warpSize = 32;

/* --- barriers ------------------------------------------------------------------------------------- */

static SPW_SIMT_INLINE void __syncthreads()
{
    spw_simt_sync_block(0);
}
static SPW_SIMT_INLINE int __syncthreads_count(int predicate)
{
    return spw_simt_sync_block(predicate != 0);
}
static SPW_SIMT_INLINE int __syncthreads_or(int predicate)
{
    return spw_simt_sync_block(predicate != 0) > 0;
}
static SPW_SIMT_INLINE int __syncthreads_and(int predicate)
{
    return spw_simt_sync_block(predicate == 0) == 0;
}
static SPW_SIMT_INLINE void __syncwarp(unsigned mask = 0xffffffffu)
{
    spw_simt_sync_warp(mask);
}
static SPW_SIMT_INLINE void __threadfence()
{
    spw_simt_fence();
}
static SPW_SIMT_INLINE void __threadfence_block()
{
}
static SPW_SIMT_INLINE void __threadfence_system()
{
    spw_simt_fence();
}

/* --- shuffles and votes --------------------------------------------------------------------------- */

namespace spw_simt
{
template <int Size> struct bits;
template <> struct bits<1> {
    using type = uint8_t;
};
template <> struct bits<2> {
    using type = uint16_t;
};
template <> struct bits<4> {
    using type = uint32_t;
};
template <> struct bits<8> {
    using type = uint64_t;
};

template <class T> SPW_SIMT_INLINE T shuffle(unsigned mask, T value, int source)
{
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    using word = typename bits<sizeof(T)>::type;
    return __builtin_bit_cast(
        T, (word)spw_simt_shuffle(mask, __builtin_bit_cast(word, value), source));
}

/* The first lane of the segment of `width` lanes that this lane is in. */
SPW_SIMT_INLINE int segment(int width)
{
    return spw_simt_lane() & ~(width - 1);
}
} // namespace spw_simt

template <class T> SPW_SIMT_INLINE T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return spw_simt::shuffle(mask, value, spw_simt::segment(width) + (lane & (width - 1)));
}
template <class T>
SPW_SIMT_INLINE T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int me = spw_simt_lane(), from = me + (int)delta;
    return spw_simt::shuffle(mask, value, from < spw_simt::segment(width) + width ? from : me);
}
template <class T>
SPW_SIMT_INLINE T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    const int me = spw_simt_lane(), from = me - (int)delta;
    return spw_simt::shuffle(mask, value, from >= spw_simt::segment(width) ? from : me);
}
template <class T>
SPW_SIMT_INLINE T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32)
{
    const int me = spw_simt_lane(), from = me ^ lanes;
    return spw_simt::shuffle(mask, value, from < spw_simt::segment(width) + width ? from : me);
}

static SPW_SIMT_INLINE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return spw_simt_ballot(mask, predicate);
}
static SPW_SIMT_INLINE int __any_sync(unsigned mask, int predicate)
{
    return spw_simt_ballot(mask, predicate) != 0;
}
static SPW_SIMT_INLINE int __all_sync(unsigned mask, int predicate)
{
    return spw_simt_ballot(mask, !predicate) == 0;
}
template <class T> SPW_SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value)
{
    return spw_simt_match(mask,
                          __builtin_bit_cast(typename spw_simt::bits<sizeof(T)>::type, value));
}
static SPW_SIMT_INLINE unsigned __activemask()
{
    return spw_simt_active_mask();
}
static SPW_SIMT_INLINE unsigned __lanemask_lt()
{
    return (1u << spw_simt_lane()) - 1;
}

/* --- atomics: threads run in turn, so that a plain update is atomic -------------------------------- */

#define SPW_SIMT_ATOMIC(name, T, result)                                                           \
    inline SPW_SIMT_UNSEEN T name(T *address, T value)                                             \
    {                                                                                              \
        spw_simt_atomic(address, sizeof(T), __builtin_return_address(0));                          \
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
    inline SPW_SIMT_UNSEEN T atomicCAS(T *address, T compare, T value)                             \
    {                                                                                              \
        spw_simt_atomic(address, sizeof(T), __builtin_return_address(0));                          \
        const T old = *address;                                                                    \
        if (old == compare) *address = value;                                                      \
        return old;                                                                                \
    }

SPW_SIMT_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)value)
SPW_SIMT_ATOMIC(atomicAdd, unsigned, old + value)
SPW_SIMT_ATOMIC(atomicAdd, unsigned long long, old + value)
SPW_SIMT_ATOMIC(atomicAdd, float, old + value)
SPW_SIMT_ATOMIC(atomicAdd, double, old + value)
SPW_SIMT_ATOMIC(atomicAdd_block, int, (unsigned)old + (unsigned)value)
SPW_SIMT_ATOMIC(atomicAdd_block, double, old + value)
SPW_SIMT_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)value)
SPW_SIMT_ATOMIC(atomicSub, unsigned, old - value)
SPW_SIMT_ATOMIC(atomicExch, int, value)
SPW_SIMT_ATOMIC(atomicExch, unsigned, value)
SPW_SIMT_ATOMIC(atomicExch, unsigned long long, value)
SPW_SIMT_ATOMIC(atomicExch, float, value)
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

template <class T> SPW_SIMT_INLINE T __ldg(const T *p)
{
    return *p;
}
template <class T> SPW_SIMT_INLINE T __ldcs(const T *p)
{
    return *p;
}
template <class T> SPW_SIMT_INLINE T __ldcg(const T *p)
{
    return *p;
}
template <class T> SPW_SIMT_INLINE void __stcs(T *p, T value)
{
    *p = value;
}
template <class T> SPW_SIMT_INLINE void __stcg(T *p, T value)
{
    *p = value;
}

/* --- arithmetic ----------------------------------------------------------------------------------- */

#define SPW_SIMT_MIN_MAX(T)                                                                        \
    static SPW_SIMT_INLINE T min(T a, T b)                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static SPW_SIMT_INLINE T max(T a, T b)                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
SPW_SIMT_MIN_MAX(int)
SPW_SIMT_MIN_MAX(unsigned)
SPW_SIMT_MIN_MAX(long)
SPW_SIMT_MIN_MAX(unsigned long)
SPW_SIMT_MIN_MAX(long long)
SPW_SIMT_MIN_MAX(unsigned long long)
SPW_SIMT_MIN_MAX(float)
SPW_SIMT_MIN_MAX(double)

static SPW_SIMT_INLINE double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static SPW_SIMT_INLINE float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}
static SPW_SIMT_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static SPW_SIMT_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static SPW_SIMT_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}
static SPW_SIMT_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
static SPW_SIMT_INLINE int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static SPW_SIMT_INLINE int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static SPW_SIMT_INLINE unsigned __brev(unsigned x)
{
    unsigned y = 0;
    for (int k = 0; k < 32; k++) y |= (x >> k & 1) << (31 - k);
    return y;
}
static SPW_SIMT_INLINE int __mul24(int a, int b)
{
    return a * b;
}
static SPW_SIMT_INLINE double __fma_rn(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
static SPW_SIMT_INLINE float __fmaf_rn(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
static SPW_SIMT_INLINE double __dadd_rn(double a, double b)
{
    return a + b;
}
static SPW_SIMT_INLINE double __dmul_rn(double a, double b)
{
    return a * b;
}
static SPW_SIMT_INLINE float __fdividef(float a, float b)
{
    return a / b;
}
static SPW_SIMT_INLINE long long __double_as_longlong(double x)
{
    return __builtin_bit_cast(long long, x);
}
static SPW_SIMT_INLINE double __longlong_as_double(long long x)
{
    return __builtin_bit_cast(double, x);
}
static SPW_SIMT_INLINE int __float_as_int(float x)
{
    return __builtin_bit_cast(int, x);
}
static SPW_SIMT_INLINE float __int_as_float(int x)
{
    return __builtin_bit_cast(float, x);
}
static SPW_SIMT_INLINE void __nanosleep(unsigned)
{
}

#endif
