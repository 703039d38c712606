/* simt/rewrite.c -- makes plain C++ of preprocessed CUDA: a filter between `g++ -E` and `g++`.
 *
 *     spmv<double, (1<<2)><<<grid, 256>>>(n, x);
 *     ::spw_simt::launch(spmv<double, (1<<2)>,"spmv<double, (1<<2)>").with(grid, 256)(n, x);
 *
 *     __shared__ double tile[32][33];       extern __shared__ double part[];
 *     static thread_local double tile[32][33];  spw_simt_shared_array(...);
 *                                           double *const part = ::spw_simt::dynamic();
 *
 *     __constant__ double c[8];    ->  the same, and static const ::spw_simt::file_variable spw_device_c(...);
 *     threadIdx.x  ->  (::spw_simt_thread_index()).x        and blockIdx, blockDim, gridDim
 *
 *     memcpy(to, from, n)          ->  spw_simt_moves(to, from, n)     and memmove, memset
 *
 *     __global__                   ->  blanked; but a kernel that is called like a function is an error
 *
 *     axpy<<<grid, 256>>>(2.f, x, y);      of a template whose arguments have to be deduced
 *     ::spw_simt::launch_deduced([](auto...spw_a){axpy(spw_a...);},"axpy").with(grid, 256)(2.f, x, y);
 *
 *     cudaLaunchKernel((void *)spmv, grid, 256, arguments)
 *     ::spw_simt::launch_packed("spmv",spmv, grid, 256, arguments)
 *
 *     __shfl_sync(mask, v, 0)  ->  __shfl_sync(::spw_simt::call{7}=mask, v, 0)       and votes, __syncthreads
 *
 * What the checker does not have (graphs, textures, PTX ...) is refused by name, see refuse().
 *
 * After -E there are no comments and no macros, so a list of tokens is enough, and launches in headers
 * and macros work too. Where the text becomes longer, a line marker and spaces follow, so that the
 * compiler's errors still name the learner's line *and* column. */
#include "simt/rewrite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- launches ------------------------------------------------------------------------------------- */

/* The first token of the expression that ends before k: name, ns::name<a, (b)>, (expression), a.b[c]. */
static int expression_start(int k) {
    for (;;) {
        k--;
        if (is(k, ">")) {
            int depth = 0;
            for (; k >= 0; k--) {
                if (closes(k))
                    k = partner(k, -1);
                else if (is(k, ">"))
                    depth++;
                else if (is(k, "<") && --depth == 0)
                    break;
            }
            k--;
        }
        while (is(k, "]")) k = partner(k, -1) - 1;
        if (is(k, ")")) k = partner(k, -1);
        if (k < 0) return 0;
        if (is(k - 1, ":") && is(k - 2, ":")) {
            if (!is_word(k - 3) && !is(k - 3, ">")) return k - 2;
            if (is(k - 3, "return")) return k - 2;
            k -= 2;
        } else if (is(k - 1, ".")) {
            k -= 1;
        } else if (is(k - 1, ">") && is(k - 2, "-")) {
            k -= 2;
        } else {
            return k;
        }
    }
}

/* The source text of tokens a .. b-1 as the inside of a string, white space made one blank. */
static char *as_string(int a, int b) {
    const int from = the.tokens[a].at, to = the.tokens[b - 1].at + the.tokens[b - 1].size;
    char *out = malloc(2 * (size_t)(to - from) + 1), *o = out;
    if (!out) exit(5);
    for (int at = from; at < to; at++) {
        const char c = the.text[at];
        if (c == '\n' && the.text[at + 1] == '#')
            while (at + 1 < to && the.text[at + 1] != '\n') at++;
        if (isspace((unsigned char)c)) {
            if (o > out && o[-1] != ' ') *o++ = ' ';
        } else {
            if (c == '"' || c == '\\') *o++ = '\\';
            *o++ = c;
        }
    }
    *o = 0;
    return out;
}

/* Of a list < ... > that ends at token k: how many there are, and where it begins; MANY with a pack. */
enum { MANY = 1000 };
static int count_in_angles(int k, int *begin) {
    int depth = 0, count = 1;
    const int end = k;
    for (; k >= 0; k--) {
        if (closes(k)) {
            k = partner(k, -1);
        } else if (is(k, ">")) {
            depth++;
        } else if (is(k, "<") && --depth == 0) {
            break;
        } else if (depth == 1 && is(k, ",")) {
            count++;
        } else if (depth == 1 && is(k, ".") && is(k - 1, ".")) {
            count = MANY;
        }
    }
    *begin = k;
    return k + 1 == end ? 0 : count;
}

/* The name before the launch at token k, and how many arguments its template is given there. */
static int launched_name(int k, int *given) {
    int name = k - 1;
    *given = 0;
    if (!is(name, ">")) return name;
    *given = count_in_angles(name, &name);
    return name - 1;
}

/* Does the launch before token k leave arguments of the kernel's template to be deduced, or of the kernel to their
 * defaults? */
static bool is_deduced(int k) {
    int given;
    const int name = launched_name(k, &given);
    for (int q = 0; is_word(name) && q < the.n_kernels; q++)
        if (same(the.kernels[q].name, name) &&
            (the.kernels[q].parameters > given || the.kernels[q].has_defaults))
            return true;
    return false;
}

/* A function of the file that is launched and no kernel. g++ would take it, nvcc does not. */
static void want_kernel(int k) {
    int given;
    const int name = launched_name(k, &given);
    if (!is_word(name) || !the.tokens[name].in_function) return;
    for (int q = 0; q < the.n_kernels; q++)
        if (same(the.kernels[q].name, name)) return;
    for (int q = 0; q < the.n_tokens; q++)
        if (!the.tokens[q].in_function && is_word(q) && same(q, name) && is(q + 1, "(") &&
            is_word(q - 1)) {
            complain(k,
                     "'%.*s' is launched and has no __global__: a function with __global__ is a "
                     "kernel, which "
                     "the host launches; one with __device__ is called by kernels",
                     the.tokens[name].size, the.text + the.tokens[name].at);
            return;
        }
}

static int rewrite_launch(int k) {
    want_kernel(k);
    const int start = expression_start(k);
    int end = k + 3;
    while (end < the.n_tokens && !triple(end, ">") && !is(end, ";") && !closes(end))
        end = opens(end) ? partner(end, 1) + 1 : end + 1;
    if (!triple(end, ">")) {
        complain(k, "this launch has no '>>>'");
        return k + 2;
    }
    char *name = as_string(start, k);
    char *with = malloc(strlen(name) + 40);
    if (!with) exit(5);
    const bool deduced = is_deduced(k);
    sprintf(with, "%s,\"%s\").with(", deduced ? "(spw_a...);}" : "", name);
    replace(the.tokens[start].at, 0, 0,
            deduced ? "::spw_simt::launch_deduced([](auto...spw_a)"
                      "__attribute__((noinline,no_sanitize(\"thread\"))){"
                    : "::spw_simt::launch(");
    splice(k, 3, with);
    splice(end, 3, ")");
    free(name);
    free(with);
    return k + 2;
}

/* cudaLaunchKernel((void *)kernel, ...): the name keeps its type, so that the arguments can be unpacked. */
static int rewrite_packed_launch(int k) {
    int first = k + 2, end;
    while (is(first, "(") || is(first, "&")) {
        const int close = is(first, "&") ? first : partner(first, 1);
        for (int q = first; q <= close; q++) blank(q);
        first = close + 1;
    }
    if (is(first, "reinterpret_cast") || is(first, "static_cast")) {
        int open = first;
        while (open < the.n_tokens && !is(open, "(")) open++;
        for (int q = first; q <= open; q++) blank(q);
        blank(partner(open, 1));
        first = open + 1;
    }
    for (end = first; end < the.n_tokens && !is(end, ",") && !is(end, ")"); end++)
        if (is(end, "<"))
            for (int depth = 0; end < the.n_tokens; end++)
                if ((depth += is(end, "<") - is(end, ">")) == 0) break;
    char *name = as_string(first, end);
    char *with = malloc(strlen(name) + 8);
    if (!with) exit(5);
    sprintf(with, "(\"%s\",", name);
    splice(k + 1, 1, with);
    free(name);
    free(with);
    splice(k, the.tokens[k].size, "::spw_simt::launch_packed");
    return k;
}

/* --- variables with an address space -------------------------------------------------------------- */

static int statement_end(int k) {
    while (k < the.n_tokens && !is(k, ";")) k = opens(k) ? partner(k, 1) + 1 : k + 1;
    return k;
}

static bool qualifies(int k) {
    static const char *const words[] = {"extern", "static", "volatile", "const", "__shared__"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        if (is(k, words[w])) return true;
    return false;
}

/* extern __shared__ T name[];  or  name[][33];  or  extern T __shared__ name[]; */
static void rewrite_dynamic_shared(int first, int end) {
    int name = first, type = first;
    while (name < end && !(is_word(name) && is(name + 1, "[") && is(name + 2, "]"))) name++;
    if (name == end) {
        complain(first,
                 "extern __shared__ wants an array without a size: extern __shared__ T name[];");
        return;
    }
    while (qualifies(type)) type++;
    for (int q = first; q < name; q++)
        if (is(q, "extern") || is(q, "static") || is(q, "__shared__")) blank(q);
    const token *t = &the.tokens[name];
    const int brackets = the.tokens[name + 2].at + 1 - t->at;
    char by[512];
    if (t->in_function) {
        const bool more = is(name + 3, "[");
        snprintf(by, sizeof by, more ? "(*const %.*s)" : "*const %.*s=::spw_simt::dynamic()",
                 t->size, the.text + t->at);
        if (more) replace(the.tokens[end].at, 0, 0, "=::spw_simt::dynamic()");
        replace(
            the.tokens[end].at + 1, 0, 2,
            " ::spw_simt_dynamic_array(\"%.*s\",sizeof(::spw_simt::element<decltype(%.*s[0])>));",
            t->size, the.text + t->at, t->size, the.text + t->at);
        resume_after(end);
        splice(name, brackets, by);
        return;
    }
    /* Outside functions there is no place for a pointer: it would be a host variable that kernels read. */
    replace(the.tokens[type].at, 0, 0, "static const ::spw_simt::dynamic_array<");
    snprintf(by, sizeof by, "> %.*s{}", t->size, the.text + t->at);
    splice(name, brackets, by);
}

/* The names that `T a[2], *b = x, c` declares: tokens k .. end-1. Inside a function a call makes them known, outside
 * an object with a constructor. kind: shared, device, constant or managed. */
static void announce(int k, int end, const char *kind) {
    const bool in_function = the.tokens[k].in_function;
    int name = -1, angle = 0;
    bool named = false;
    for (; k <= end; k++) {
        if (k == end || (is(k, ",") && angle == 0)) {
            if (name >= 0) {
                const token *t = &the.tokens[name];
                const int n = t->size;
                const char *of = the.text + t->at;
                if (!in_function)
                    replace(the.tokens[end].at + 1, 0, 2,
                            " static const ::spw_simt::file_%s spw_%s_%.*s", kind, kind, n, of);
                replace(the.tokens[end].at + 1, 0, 2,
                        "%s(&%.*s,sizeof(%.*s),sizeof(::spw_simt::element<decltype(%.*s)>),"
                        "\"%.*s\");",
                        in_function ? " ::spw_simt_shared_array" : "", n, of, n, of, n, of, n, of);
            }
            name = -1;
            named = false;
        } else if (opens(k)) {
            if (is(k, "[")) named = true;
            k = partner(k, 1);
        } else if (is(k, "<")) {
            angle++;
        } else if (is(k, ">")) {
            angle--;
        } else if (is(k, "=")) {
            named = true;
        } else if (is_word(k) && angle == 0 && !named) {
            name = k;
        }
    }
}

static int rewrite_shared(int k) {
    int first = k;
    bool is_extern = false, is_static = false;
    while (is_word(first - 1)) first--;
    const int end = statement_end(k);
    for (int q = first; q < k || qualifies(q); q++) {
        is_extern |= is(q, "extern");
        is_static |= is(q, "static");
    }
    if (is_extern) {
        rewrite_dynamic_shared(first, end);
        return end;
    }
    const char *const where = the.tokens[k].in_function ? "static thread_local" : "static";
    splice(k, the.tokens[k].size, is_static ? where + strlen("static") : where);
    announce(k + 1, end, "shared");
    resume_after(end);
    return end;
}

/* __device__ stands before functions, lambdas and variables; only the last are made known. */
static int rewrite_device(int k) {
    bool is_const = is(k - 1, "const"), is_constant = is(k, "__constant__"),
         is_managed = is(k, "__managed__"), is_extern = is(k - 1, "extern");
    int at = k + 1, last = k;
    for (; at < the.n_tokens; at++) {
        if (is(at, "__attribute__") || is(at, "alignas"))
            at = partner(at + 1, 1);
        else if (is(at, "__device__") || is(at, "__constant__") || is(at, "__managed__"))
            is_constant |= is(last = at, "__constant__"), is_managed |= is(at, "__managed__");
        else if (is(at, "__host__") || is(at, "__global__"))
            break;
        else if (is(at, "const") || is(at, "constexpr"))
            is_const = true;
        else if (is(at, "(") || is(at, "{") || is(at, "[") || is(at, ";") || is(at, "="))
            break;
    }
    const bool is_variable =
        is(at, ";") || is(at, "=") || is(at, "{") || (is(at, "[") && at > last + 1);
    for (int q = k; q <= last; q++)
        if (q != k && (is(q, "__device__") || is(q, "__constant__") || is(q, "__managed__")))
            blank(q);
    if (!is_variable || is_extern) {
        blank(k);
        return last;
    }
    splice(k, the.tokens[k].size,
           is_const ? "__attribute__((aligned(256),section(\"spw_constant\")))"
                    : "__attribute__((aligned(256),section(\"spw_device\")))");
    if (the.tokens[k].in_function || is(k - 1, ">")) return last;
    const int end = statement_end(k);
    announce(last + 1, end,
             is_const || is_constant ? "constant"
             : is_managed            ? "managed"
                                     : "device");
    resume_after(end);
    return last;
}

/* --- kernels called like functions ---------------------------------------------------------------- */

static int note_kernel(int k) {
    blank(k);
    for (int at = k + 1; at < the.n_tokens && !is(at, ";") && !is(at, "{"); at++) {
        if (is(at, "__attribute__")) {
            at = partner(at + 1, 1);
        } else if (is_word(at) && is(at + 1, "(")) {
            the.kernels = grown(the.kernels, the.n_kernels, sizeof *the.kernels);
            int begin = k - 1;
            while (is_word(begin)) begin--;
            const bool is_template = is(begin, ">");
            const int parameters = is_template ? count_in_angles(begin, &begin) : 0;
            struct kernel *const kernel = &the.kernels[the.n_kernels++];
            *kernel = (struct kernel){at, is_template && is(begin - 1, "template") ? parameters : 0,
                                      false};
            for (int q = partner(at + 1, 1); q > at; q--) kernel->has_defaults |= is(q, "=");
            return at;
        }
    }
    return k;
}

/* std::sort, s.sort and p->sort are not a kernel `sort`. */
static void check_call(int k) {
    if (!is(k + 1, "(") || is(k - 1, ".") || is(k - 1, ">") || !the.tokens[k].in_function) return;
    if (is(k - 1, ":") && is(k - 2, ":") && is_word(k - 3)) return;
    if (is_word(k - 1) && !is(k - 1, "return") && !is(k - 1, "else") && !is(k - 1, "do")) return;
    for (int q = 0; q < the.n_kernels; q++) {
        if (!same(the.kernels[q].name, k)) continue;
        complain(
            k, "'%.*s' is a kernel: it is not called but launched, %.*s<<<blocks, threads>>>(...)",
            the.tokens[k].size, the.text + the.tokens[k].at, the.tokens[k].size,
            the.text + the.tokens[k].at);
        return;
    }
}

/* --- indices -------------------------------------------------------------------------------------- */

static bool rewrite_index(int k) {
    static const char *const names[][2] = {{"threadIdx", "(::spw_simt_thread_index())"},
                                           {"blockIdx", "(::spw_simt_block_index())"},
                                           {"blockDim", "(::spw_simt_block_size())"},
                                           {"gridDim", "(::spw_simt_grid_size())"}};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (!is(k, names[n][0])) continue;
        splice(k, the.tokens[k].size, names[n][1]);
        return true;
    }
    return false;
}

/* In a file of the system's or ours? */
static bool is_systems(int k) {
    const int m = the.tokens[k].marker;
    return m >= 0 && the.markers[m].flags[0];
}

/* --- what lanes do together ----------------------------------------------------------------------- */

/* Each call in the learner's source gets a number: two on one line are two, and what the compiler copies is one. */
static bool rewrite_meeting(int k) {
    static int calls;
    const token *t = &the.tokens[k];
    const char *name = the.text + t->at;
    const bool is_barrier = t->size >= 13 && memcmp(name, "__syncthreads", 13) == 0;
    const bool is_warp =
        t->size > 7 && memcmp(name, "__", 2) == 0 && memcmp(name + t->size - 5, "_sync", 5) == 0;
    if (!(is_barrier || is_warp) || !is(k + 1, "(") || !t->in_function) return false;
    if (is_systems(k)) return false;
    char by[64];
    snprintf(by, sizeof by, "(::spw_simt::call{%d}%s", ++calls, is(k + 2, ")") ? "" : "=");
    splice(k + 1, 1, by);
    return true;
}

static bool rewrite_bytes(int k) {
    const bool moves = is(k, "memcpy") || is(k, "memmove");
    if (!(moves || is(k, "memset")) || !is(k + 1, "(") || !the.tokens[k].in_function) return false;
    if (is(k - 1, ".") || (is(k - 1, ">") && is(k - 2, "-"))) return false;
    if (is_systems(k)) return false;
    splice(k, the.tokens[k].size, moves ? "spw_simt_moves" : "spw_simt_sets");
    return true;
}

/* --- what is not here ----------------------------------------------------------------------------- */

/* The first name that begins so, in a file that is not the system's. */
static bool refuse(int k) {
    static const struct {
        const char *name; /* one that begins so, where it ends in '*' */
        const char *what;
    } none[] = {
        {"asm", "inline PTX. Most of it has an intrinsic, which is here"},
        {"__asm__", "inline PTX. Most of it has an intrinsic, which is here"},
        {"cudaGraph*", "CUDA graphs. Launch the kernels one by one"},
        {"cudaStreamBeginCapture", "CUDA graphs. Launch the kernels one by one"},
        {"cudaTextureObject*", "textures. Read the array, through const __restrict__ or __ldg"},
        {"cudaSurfaceObject*", "surfaces. Read and write the array"},
        {"cudaArray*", "CUDA arrays. Use cudaMalloc or cudaMallocPitch"},
        {"cudaMallocArray", "CUDA arrays. Use cudaMalloc or cudaMallocPitch"},
        {"__half*", "half precision. Use float"},
        {"__nv_bfloat16*", "bfloat16. Use float"},
        {"nvcuda", "tensor cores. Write the loop"},
        {"__pipeline_*",
         "asynchronous copies to shared memory. Load and store, and __syncthreads()"},
        {"memcpy_async",
         "asynchronous copies to shared memory. Load and store, and __syncthreads()"},
    };
    const token *t = &the.tokens[k];
    if (is_systems(k)) return false;
    for (size_t n = 0; n < sizeof none / sizeof *none; n++) {
        const char *star = strchr(none[n].name, '*');
        const size_t size = star ? (size_t)(star - none[n].name) : strlen(none[n].name);
        if (star ? (size_t)t->size < size : (size_t)t->size != size) continue;
        if (memcmp(the.text + t->at, none[n].name, size) != 0) continue;
        complain(k, "%.*s: the checker has no %s", t->size, the.text + t->at, none[n].what);
        return true;
    }
    return false;
}

static void rewrite(void) {
    for (int k = 0; k < the.n_tokens; k++) {
        if (triple(k, "<"))
            k = rewrite_launch(k);
        else if (is(k, "__shared__"))
            k = rewrite_shared(k);
        else if (is(k, "__device__") || is(k, "__constant__") || is(k, "__managed__"))
            k = rewrite_device(k);
        else if (is(k, "__global__"))
            k = note_kernel(k);
        else if (is(k, "__host__"))
            blank(k);
        else if (is(k, "__noinline__") && !is(k - 1, "(") && !is(k - 1, ","))
            splice(k, the.tokens[k].size, "__attribute__((noinline))");
        else if ((is(k, "cudaLaunchKernel") || is(k, "cudaLaunchCooperativeKernel")) &&
                 is(k + 1, "("))
            k = rewrite_packed_launch(k);
        else if (is_word(k) && !rewrite_index(k) && !rewrite_meeting(k) && !rewrite_bytes(k) &&
                 !refuse(k))
            check_call(k);
    }
}

int main(void) {
    int n;
    do {
        char *text = realloc(the.text, (size_t)the.size + (1 << 20) + 2);
        if (!text) return 5;
        the.text = text;
        n = (int)fread(the.text + the.size, 1, 1 << 20, stdin);
        the.size += n;
    } while (n > 0);
    the.text[the.size] = the.text[the.size + 1] = 0;
    split();
    mark_scopes();
    rewrite();
    write_out(stdout);
    puts("\nstatic char spw_simt_last[256]"
         "__attribute__((used,aligned(256),section(\"spw_device\")));"
         "static const char spw_simt_last_constant[256]"
         "__attribute__((used,aligned(256),section(\"spw_constant\")))={0};");
    free(the.text);
    free(the.tokens);
    free(the.edits);
    free(the.markers);
    free(the.kernels);
    return the.errors ? 1 : ferror(stdout) ? 5 : 0;
}
