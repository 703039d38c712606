/* What the rewriter puts in the place of <<< >>> and of extern __shared__. */
#ifndef SPW_SIMT_LAUNCH_H
#define SPW_SIMT_LAUNCH_H

#ifdef __CUDA__
/* clang asks for these two by name before it accepts a launch. */
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = nullptr);
#else

namespace std {
using ::spw_simt_moves;
using ::spw_simt_sets;
} // namespace std

namespace spw_simt {
template <class T> inline void note_argument(const T &) {}
template <class T> inline std::enable_if_t<!std::is_function<T>::value> note_argument(T *const &p) {
    spw_simt_argument((const void *)p);
}

/* Launches kernel with arguments that lie in the caller, and stay until it is over. */
template <class K, class... A>
SPW_SIMT_UNSEEN void launch_with(spw_simt_launch how, K kernel, A &...arguments) {
    auto call = [&]() SPW_SIMT_UNSEEN { kernel(arguments...); };
    how.call = [](const void *c) SPW_SIMT_UNSEEN { (*(const decltype(call) *)c)(); };
    how.arguments = &call;
    how.size = sizeof call;
    (note_argument(arguments), ...);
    spw_simt_launch_kernel(&how);
}

/* A launch that waits for its arguments. They are converted to the kernel's own parameter types, as in
 * any call, and every thread gets a copy. */
template <class... P> struct launcher {
    void (*kernel)(P...);
    spw_simt_launch how;

    launcher with(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr,
                  const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        how.stream = stream;
        how.grid = grid;
        how.block = block;
        how.shared = shared;
        how.file = file;
        how.line = line;
        return *this;
    }

    SPW_SIMT_UNSEEN void operator()(P... arguments) { launch_with(how, kernel, arguments...); }
};

/* The same for a template kernel whose arguments have to be deduced: call is a lambda around it. */
template <class F> struct deduced_launcher {
    F kernel;
    launcher<> how;

    deduced_launcher with(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr,
                          const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        how.with(grid, block, shared, stream, file, line);
        return *this;
    }

    template <class... A> SPW_SIMT_UNSEEN void operator()(A... arguments) {
        launch_with(how.how, kernel, arguments...);
    }
};

template <class F> deduced_launcher<F> launch_deduced(F kernel, const char *name) {
    deduced_launcher<F> l{kernel, {nullptr, {}}};
    l.how.how.kernel = name;
    return l;
}

/* cudaLaunchKernel: pointers to the arguments. */
template <class... P, size_t... I>
inline void launch_packed(launcher<P...> &l, void **arguments, std::index_sequence<I...>) {
    (void)arguments;
    l(*(std::remove_reference_t<P> *)arguments[I]...);
}
template <class... P>
cudaError_t launch_packed(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
                          void **arguments, size_t shared = 0, cudaStream_t stream = nullptr,
                          const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    launcher<P...> l{kernel, {}};
    l.how.kernel = name;
    l.with(grid, block, shared, stream, file, line);
    launch_packed(l, arguments, std::index_sequence_for<P...>());
    return cudaPeekAtLastError();
}

/* A variable with __device__, __constant__ or __managed__. */
struct file_variable {
    const volatile void *variable;
    file_variable(const volatile void *v, size_t size, size_t element, const char *name, int kind)
        : variable(v) {
        spw_simt_file_variable(v, size, element, name, kind);
    }
    ~file_variable() { spw_simt_file_variable_gone(variable); }
};
struct file_device : file_variable {
    file_device(const volatile void *v, size_t size, size_t element, const char *name)
        : file_variable(v, size, element, name, SPW_SIMT_DEVICE) {}
};
struct file_managed : file_variable {
    file_managed(const volatile void *v, size_t size, size_t element, const char *name)
        : file_variable(v, size, element, name, SPW_SIMT_MANAGED) {}
};
struct file_constant : file_variable {
    file_constant(const volatile void *v, size_t size, size_t element, const char *name)
        : file_variable(v, size, element, name, SPW_SIMT_CONSTANT) {}
};

/* A shared array that is declared outside of functions. */
struct file_shared {
    const volatile void *array;
    file_shared(const volatile void *a, size_t size, size_t element, const char *name) : array(a) {
        spw_simt_file_shared(a, size, element, name);
    }
    ~file_shared() { spw_simt_file_shared_gone(array); }
};

template <class... P> launcher<P...> launch(void (*kernel)(P...), const char *name) {
    launcher<P...> l{kernel, {}};
    l.how.kernel = name;
    return l;
}

/* The block's dynamic shared memory, as a pointer to whatever is wanted. */
struct dynamic {
    template <class T> SPW_SIMT_INLINE operator T *() const {
        return (T *)spw_simt_dynamic_shared();
    }
};

template <class T> struct dynamic_array {
    SPW_SIMT_INLINE operator T *() const { return (T *)spw_simt_dynamic_shared(); }
    template <class U> SPW_SIMT_INLINE explicit operator U *() const {
        return (U *)spw_simt_dynamic_shared();
    }
};

/* double[32][33] -> double */
template <class T> struct element_of { using type = T; };
template <class T> struct element_of<T &> : element_of<T> {};
template <class T, size_t N> struct element_of<T[N]> : element_of<T> {};
template <class T> using element = typename element_of<T>::type;
} // namespace spw_simt

/* Here and, by the rewriter, behind the last variable: what lies just outside of them all is no host variable. */
static char spw_simt_first[256] __attribute__((used, aligned(256), section("spw_device")));
static const char spw_simt_first_constant[256]
    __attribute__((used, aligned(256), section("spw_constant"))) = {0};
extern char __start_spw_device[] __attribute__((weak, visibility("hidden")));
extern char __stop_spw_device[] __attribute__((weak, visibility("hidden")));
extern char __start_spw_constant[] __attribute__((weak, visibility("hidden")));
extern char __stop_spw_constant[] __attribute__((weak, visibility("hidden")));

static __attribute__((constructor, used)) void spw_simt_register_sections() {
    spw_simt_device_section(__start_spw_device, __stop_spw_device);
    spw_simt_device_section(__start_spw_constant, __stop_spw_constant);
}
static __attribute__((destructor, used)) void spw_simt_forget_sections() {
    spw_simt_section_gone(__start_spw_device);
    spw_simt_section_gone(__start_spw_constant);
}

#endif
#endif
