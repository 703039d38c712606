/* What a learner sees of the build: errors at the learner's line and column, whatever the rewriter put in
 * between; kernels that are called and host functions in kernels; and what the rewriter must survive. */

#include "test.h"
#include <libgen.h>
#include <unistd.h>

static char rewriter[4096], words[1 << 15];

static int set_up(void **state) {
    (void)state;
    char self[3072];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) return 1;
    self[n] = 0;
    snprintf(rewriter, sizeof rewriter, "%s/../../bin/simt-rewrite", dirname(self));
    return 0;
}

/* Compiles the text as answer.cu; what was printed is in words. The exit status. */
static int compile(const char *how, const char *text) {
    char command[8192];
    const char *name = put_text("answer.cu", text);
    snprintf(command, sizeof command,
             "REWRITE='%s' sh lib/simt/compile.sh tests %s %s/answer.so %s 2>&1", rewriter, name,
             own_folder(), how);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t n = fread(words, 1, sizeof words - 1, pipe);
    words[n] = 0;
    return pclose(pipe) / 256;
}

static void expect_words(const char *expected) {
    if (!strstr(words, expected)) fail_msg("no \"%s\" in:\n%s", expected, words);
}

TEST(an_error_in_a_launch_has_the_learners_line_and_column) {
    const char *const ways[] = {"--fast", "--check"};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(compile(ways[k], "#include <cuda_runtime.h>\n"
                                          "__global__ void k(int n) {}\n"
                                          "void f()\n"
                                          "{\n"
                                          "    k<<<1, 32>>>(unknown);\n"
                                          "}\n"),
                         1);
        expect_words("answer.cu:5:18: error: ");
        expect_words("was not declared");
    }
}

TEST(an_error_behind_an_index_or_a_shared_array_too) {
    assert_int_equal(compile("--fast",
                             "#include <cuda_runtime.h>\n"
                             "__global__ void k(double *y)\n"
                             "{\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x; y[j] = i;\n"
                             "    __shared__ double s[32]; s[i] = q;\n"
                             "}\n"),
                     1);
    expect_words("answer.cu:4:60: error: ");
    expect_words("answer.cu:5:37: error: ");
}

TEST(a_warning_does_not_stop_but_is_shown) {
    assert_int_equal(compile("--fast", "#include <cuda_runtime.h>\n"
                                       "__global__ void k(int n) { int unused; }\n"),
                     0);
    expect_words("answer.cu:2:32: warning: ");
}

TEST(a_kernel_called_like_a_function_is_refused) {
    assert_int_equal(compile("--fast", "#include <cuda_runtime.h>\n"
                                       "__global__ void k(int n) {}\n"
                                       "void f()\n"
                                       "{\n"
                                       "    k(3);\n"
                                       "}\n"),
                     1);
    expect_words("answer.cu:5:5: error: 'k' is a kernel");
    expect_words("k<<<blocks, threads>>>");
}

TEST(a_launch_without_an_end_is_refused) {
    assert_int_equal(compile("--fast", "#include <cuda_runtime.h>\n"
                                       "__global__ void k(int n) {}\n"
                                       "void f() { k<<<1, 2>>(3); }\n"),
                     1);
    expect_words("answer.cu:3:13: error: this launch has no '>>>'");
}

TEST(a_host_function_in_a_kernel_is_refused_where_clang_is) {
    if (system("command -v clang++ >/dev/null 2>&1") != 0) {
        print_message("skipped: there is no clang++, g++ cannot tell host from device\n");
        skip();
    }
    assert_int_equal(
        compile("--fast",
                "#include <cuda_runtime.h>\n"
                "#include <vector>\n"
                "static double half(double x) { return x / 2; }\n"
                "static __device__ double twice(double x) { return x * 2; }\n"
                "__global__ void k(double *y) { y[0] = half(twice(sqrt(min(1.0, 2.0)))); }\n"
                "void f(double *y) { k<<<1, 1>>>(y); }\n"),
        1);
    expect_words("answer.cu:5:39: error: ");
    expect_words("half");
    assert_int_equal(
        compile("--fast",
                "#include <cuda_runtime.h>\n"
                "#include <vector>\n"
                "static __device__ double twice(double x) { return x * 2; }\n"
                "__global__ void k(double *y) { y[0] = twice(sqrt(fabs(min(1.0, 2.0)))); }\n"
                "void f(double *y) { k<<<1, 1>>>(y); }\n"),
        0);
    assert_string_equal(words, "");
}

TEST(launches_of_every_shape_compile_without_a_word) {
    assert_int_equal(
        compile("--check", "#include <cuda_runtime.h>\n"
                           "namespace deep { template <class T, int N> __global__ void k(int n, T "
                           "*x) { if (n > N) x[0] = 0; } }\n"
                           "template <class T> __global__ void __launch_bounds__(256) g(T x, "
                           "double d) { (void)x; (void)d; }\n"
                           "__global__ void plain() {}\n"
                           "#define LAUNCH(kernel, ...) kernel<<<1, \\\n"
                           "    32>>>(__VA_ARGS__)\n"
                           "template <class F> void apply(F f) { f(); }\n"
                           "const char *text = \"<<<not a launch>>>\"; const char c = '<';\n"
                           "const char *raw = R\"x(k<<<1, 2>>>(\" __shared__)x\";\n"
                           "int shift(int a) { return a << 1 >> 0x1'0 ? 1 << 2 : 3; }\n"
                           "void f(double *x, cudaStream_t s, void (*pointer)(double *, double))\n"
                           "{\n"
                           "    deep::k<double, (1 << 2)><<<dim3(1, 2), 256, 0, s>>>(3, x);\n"
                           "    ::deep::k<double, 4>\n"
                           "        <<<1,\n"
                           "           32>>>(3, nullptr);\n"
                           "    g<double *><<<1, 1>>>(x, 0);\n"
                           "    LAUNCH(g<double *>, x, 1);\n"
                           "    if (x) plain<<<1, 1>>>(); else plain<<<2, 2>>>();\n"
                           "    apply([] { plain<<<1, 1>>>(); });\n"
                           "    pointer<<<1, 1>>>(x, 1);\n"
                           "    (pointer)<<<1, 1>>>(x, 1);\n"
                           "}\n"),
        0);
    assert_string_equal(words, "");
}

TEST(what_the_checker_has_not_is_refused_by_name) {
    static const struct {
        const char *line, *words;
    } none[] = {
        {"#include <cuda_fp16.h>", "the checker has no half precision (cuda_fp16.h): use float"},
        {"#include <thrust/device_vector.h>", "the checker has no Thrust"},
        {"#include <cub/cub.cuh>", "the checker has no CUB"},
        {"#include <cublas_v2.h>", "the checker has no cuBLAS"},
        {"void f() { cudaGraph_t g; }",
         "answer.cu:1:12: error: cudaGraph_t: the checker has no CUDA graphs"},
        {"__global__ void k() { asm(\"bar.sync 0;\"); }", "asm: the checker has no inline PTX"},
        {"void f(cudaTextureObject_t t);", "the checker has no textures. Read the array"},
    };
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        assert_int_equal(compile("--check", none[k].line), 1);
        expect_words(none[k].words);
    }
}

int main(void) { return run_all(set_up, NULL); }
