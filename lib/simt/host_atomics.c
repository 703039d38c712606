/* std::atomic in host code: with -fsanitize=thread gcc calls these for it. They are what they would be without; the order
 * asked for is the strongest. Kernels have atomicAdd and the like, which come another way. */
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
#define UPDATE(type, size, name, builtin)                                                                  \
    type __tsan_atomic##size##_##name(volatile void *p, type v, int order);                                \
    type __tsan_atomic##size##_##name(volatile void *p, type v, int order)                                 \
    {                                                                                                      \
        (void)order;                                                                                       \
        return builtin((volatile type *)p, v, __ATOMIC_SEQ_CST);                                           \
    }
#define EXCHANGE(type, size, name)                                                                         \
    bool __tsan_atomic##size##_##name(volatile void *p, void *expected, type v, int order, int failed);    \
    bool __tsan_atomic##size##_##name(volatile void *p, void *expected, type v, int order, int failed)     \
    {                                                                                                      \
        (void)order, (void)failed;                                                                         \
        return __atomic_compare_exchange_n((volatile type *)p, (type *)expected, v, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST);                                              \
    }
#define ATOMICS(type, size)                                                                                \
    type __tsan_atomic##size##_load(const volatile void *p, int order);                                    \
    type __tsan_atomic##size##_load(const volatile void *p, int order)                                     \
    {                                                                                                      \
        (void)order;                                                                                       \
        return __atomic_load_n((const volatile type *)p, __ATOMIC_SEQ_CST);                                \
    }                                                                                                      \
    void __tsan_atomic##size##_store(volatile void *p, type v, int order);                                 \
    void __tsan_atomic##size##_store(volatile void *p, type v, int order)                                  \
    {                                                                                                      \
        (void)order;                                                                                       \
        __atomic_store_n((volatile type *)p, v, __ATOMIC_SEQ_CST);                                         \
    }                                                                                                      \
    UPDATE(type, size, exchange, __atomic_exchange_n)                                                      \
    UPDATE(type, size, fetch_add, __atomic_fetch_add)                                                      \
    UPDATE(type, size, fetch_sub, __atomic_fetch_sub)                                                      \
    UPDATE(type, size, fetch_and, __atomic_fetch_and)                                                      \
    UPDATE(type, size, fetch_or, __atomic_fetch_or)                                                        \
    UPDATE(type, size, fetch_xor, __atomic_fetch_xor)                                                      \
    UPDATE(type, size, fetch_nand, __atomic_fetch_nand)                                                    \
    EXCHANGE(type, size, compare_exchange_strong)                                                          \
    EXCHANGE(type, size, compare_exchange_weak)

ATOMICS(uint8_t, 8)
ATOMICS(uint16_t, 16)
ATOMICS(uint32_t, 32)
ATOMICS(uint64_t, 64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order) { (void)order; __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order) { (void)order; }
/* clang-format on */
