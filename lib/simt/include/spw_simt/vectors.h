/* uint3, dim3 and the short vectors. One of 8 or 16 bytes is a union with a vector of the compiler, so
 * that a copy is one access, as it is in nvcc's code. */
#ifndef SPW_SIMT_VECTORS_H
#define SPW_SIMT_VECTORS_H

typedef spw_simt_index uint3;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned vx = 1, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define SPW_SIMT_VECTOR_1(T, N)                                                                    \
    struct N##1 {                                                                                  \
        T x;                                                                                       \
    };                                                                                             \
    static SPW_SIMT_INLINE N##1 make_##N##1(T x) { return N##1 {x}; }
#define SPW_SIMT_VECTOR_2(T, N)                                                                    \
    struct alignas(2 * sizeof(T)) N##2 {                                                           \
        union {                                                                                    \
            struct {                                                                               \
                T x, y;                                                                            \
            };                                                                                     \
            T whole __attribute__((vector_size(2 * sizeof(T))));                                   \
        };                                                                                         \
    };                                                                                             \
    static SPW_SIMT_INLINE N##2 make_##N##2(T x, T y) { return N##2 {{{x, y}}}; }
#define SPW_SIMT_VECTOR_3(T, N)                                                                    \
    struct N##3 {                                                                                  \
        T x, y, z;                                                                                 \
    };                                                                                             \
    static SPW_SIMT_INLINE N##3 make_##N##3(T x, T y, T z) { return N##3 {x, y, z}; }
#define SPW_SIMT_VECTOR_4(T, N)                                                                    \
    struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) N##4 {                                 \
        union {                                                                                    \
            struct {                                                                               \
                T x, y, z, w;                                                                      \
            };                                                                                     \
            T whole __attribute__((vector_size(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16)));         \
        };                                                                                         \
    };                                                                                             \
    static SPW_SIMT_INLINE N##4 make_##N##4(T x, T y, T z, T w) { return N##4 {{{x, y, z, w}}}; }
#define SPW_SIMT_VECTORS(T, N)                                                                     \
    SPW_SIMT_VECTOR_1(T, N) SPW_SIMT_VECTOR_2(T, N) SPW_SIMT_VECTOR_3(T, N) SPW_SIMT_VECTOR_4(T, N)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
SPW_SIMT_VECTORS(char, char)
SPW_SIMT_VECTORS(unsigned char, uchar)
SPW_SIMT_VECTORS(short, short)
SPW_SIMT_VECTORS(unsigned short, ushort)
SPW_SIMT_VECTORS(int, int)
SPW_SIMT_VECTORS(float, float)
SPW_SIMT_VECTORS(long long, longlong)
SPW_SIMT_VECTORS(unsigned long long, ulonglong)
SPW_SIMT_VECTORS(double, double)
SPW_SIMT_VECTOR_1(unsigned, uint)
SPW_SIMT_VECTOR_2(unsigned, uint)
SPW_SIMT_VECTOR_4(unsigned, uint)
#pragma GCC diagnostic pop

static SPW_SIMT_INLINE uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
    return uint3{x, y, z};
}

#endif
