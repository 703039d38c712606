#define _GNU_SOURCE /* realpath */
#include "judge/refusal.h"

#include "judge/answer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what may be called ----------------------------------------------------------------------------- */

/* Names between blanks; one that ends in * stands for all that begin so. Mathematics is without f and l. */
static const char mathematics[] = " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos "
                                  "cosh erf erfc exp exp10 exp2 expm1 fabs fdim floor"
                                  " fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint "
                                  "llround log log10 log1p log2 logb lrint lround modf nan"
                                  " nearbyint nextafter nexttoward pow remainder remquo rint round "
                                  "scalbln scalbn sin sincos sinh sqrt tan tanh"
                                  " tgamma trunc ";
static const char others[] =
    " _ZGV* __fpclassify* __isinf* __isnan* __finite* __signbit* abs labs llabs div ldiv lldiv"
    " malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign qsort bsearch"
    " memcpy memmove memset memcmp memchr mempcpy memrchr strlen strnlen strcmp strncmp strcasecmp "
    "strcpy strncpy strcat"
    " strncat strchr strrchr strstr strspn strcspn strpbrk strdup strerror strtol strtoll strtoul "
    "strtoull strtod strtof"
    " atoi atol atof rand srand rand_r random srandom drand48 srand48 erand48 __*_chk "
    "__ctype_b_loc toupper tolower"
    " printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf puts putchar fputs fputc "
    "putc fwrite fflush"
    " perror stdout stderr __errno_location __assert_fail __assert_rtn __assert abort exit"
    " clock time clock_gettime gettimeofday difftime sysconf get_nprocs sched_getcpu sched_yield"
    " GOMP_* omp_* __kmpc_* pthread_* sem_* thrd_* mtx_* cnd_* tss_* call_once __atomic_* __sync_*"
    " __gmon_start__ _ITM_* __cxa_* __tls_get_addr _GLOBAL_OFFSET_TABLE_ __stack_chk_fail "
    "__dso_handle"
    " __asan_* __ubsan_* __tsan_* __sanitizer_*"
    " _Zn* _Zd* _ZSt* _ZNSt* _ZNKSt* _ZNSo* _ZNSi* _ZNSs* _ZNKSo* _ZNKSs* _ZT* "
    "__gxx_personality_v0 _Unwind_Resume ";

/* What CUDA's headers call (simt/shim.h), behind spw_simt_; what the judge calls itself is not among it. */
static const char of_checker[] =
    " thread_index block_index block_size grid_size lane in_kernel sync_block sync_warp fence "
    "shuffle ballot match active_mask atomic moves sets dynamic_shared shared_array file_shared "
    "file_shared_gone dynamic_array argument launch_kernel unsupported trap device_section "
    "section_gone file_variable file_variable_gone malloc free reset_device memcpy memset "
    "copy_symbol symbol memory_info multiprocessors error last_error allow_shared handle_create "
    "handle_destroy handle_check synchronize stream_wait on_stream event_record event_elapsed ";

/* Of the C++ library. */
static const char *const of_files[] = {"filebuf", "fstream", "filesystem", NULL};

static bool in(const char *list, const char *name, size_t length) {
    char word[80];
    if (snprintf(word, sizeof word, " %.*s ", (int)length, name) >= (int)sizeof word) return false;
    return strstr(list, word) != NULL;
}

static const char *of_file(const char *name) {
    const char *const *f = of_files;
    while (*f && !strstr(name, *f)) f++;
    return *f;
}

bool spw_may_call(const char *name) {
    const size_t length = strlen(name);
    if (length == 0 || strpbrk(name, " *")) return false;
    if (in(mathematics, name, length) || in(others, name, length)) return true;
    if (strncmp(name, "spw_simt_", 9) == 0) return in(of_checker, name + 9, length - 9);
    if (of_file(name)) return false;
    if ((name[length - 1] == 'f' || name[length - 1] == 'l') && in(mathematics, name, length - 1))
        return true;
    for (const char *w = others + 1; *w; w += strcspn(w, " ") + 1) {
        const size_t end = strcspn(w, " "), star = strcspn(w, "*");
        if (star >= end || strncmp(w, name, star) != 0) continue;
        /* what stands behind the star is the name's end */
        const size_t tail = end - star - 1;
        if (tail <= length - star && strncmp(w + star + 1, name + length - tail, tail) == 0)
            return true;
    }
    return false;
}

static bool borrows(const char *answer, const char *const *allowed, spw_refusal *r) {
    char name[256];
    FILE *file;
    bool found = false;
    if (spw_answer_sibling(answer, "undefined", &file)) return false;
    while (!found && fscanf(file, "%255s", name) == 1)
        found = !spw_may_call(name) && !spw_is_listed(name, allowed);
    fclose(file);
    if (!found) return false;
    r->code = "borrowed-symbol";
    if (strncmp(name, "spw_", 4) == 0) {
        snprintf(r->what, sizeof r->what, "it calls %s: that is the library's own.", name);
        r->allowed = "Here you write yourself what you need of it.";
    } else if (of_file(name)) {
        snprintf(r->what, sizeof r->what, "it opens files (%s).", of_file(name));
        r->allowed = "It may compute and print.";
    } else {
        snprintf(r->what, sizeof r->what, "it calls %s, which it does not define.", name);
        r->allowed = "It may call C's mathematics, memory, strings, printf, OpenMP and pthreads.";
    }
    return true;
}

/* --- what may be included --------------------------------------------------------------------------- */

/* Types, and hardly a function. */
static const char *const types[] = {
    "lib/base/index.h",   "lib/base/status.h",   "lib/perf/cost.h",
    "lib/formats/coo.h",  "lib/formats/csr.h",   "lib/formats/ell.h",
    "lib/formats/sell.h", "lib/formats/sellp.h", NULL};

enum { MOST_FILES = 4096 };
typedef struct files {
    char *name[MOST_FILES]; /* within the workbook, or absolute; the first is the source */
    int n;
    char *lost; /* the first that leads nowhere, or for which there was no room; NULL: none */
} files;

static void release(files *f) {
    for (int k = 0; k < f->n; k++) free(f->name[k]);
    free(f->lost);
    *f = (files){.n = 0};
}

/* Takes up a name that a compiler wrote: where it leads. */
static void add(files *f, const char *name) {
    char *root = realpath(".", NULL), *real = realpath(name, NULL);
    const size_t length = root ? strlen(root) : 0;
    if (real && f->n < MOST_FILES) {
        const bool inside = root && strncmp(real, root, length) == 0 && real[length] == '/';
        f->name[f->n++] = strdup(inside ? real + length + 1 : real);
    } else if (!f->lost) {
        f->lost = strdup(name);
    }
    free(root);
    free(real);
}

/* The first rule of ANSWER.d, as compilers write it for make: a blank in a name is "\ ", a line goes on behind "\". */
static void read_files(const char *answer, files *f) {
    char name[PATH_MAX];
    size_t length = 0;
    bool goal = true;
    FILE *file;
    f->n = 0;
    if (spw_answer_sibling(answer, "d", &file)) return;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        const bool escaped = c == '\\';
        if (escaped) c = fgetc(file);
        if (c == EOF) break;
        if ((c == ' ' || c == '\t' || c == '\r') && escaped) {
            if (length + 1 < sizeof name) name[length++] = (char)c;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            name[length] = 0;
            if (length && !goal) add(f, name);
            if (length && name[length - 1] == ':') goal = false;
            length = 0;
            if (c == '\n' && !escaped) break;
        } else if (length + 1 < sizeof name) {
            name[length++] = (char)c;
        }
    }
    fclose(file);
}

static bool begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Beside the source, and not a part of the exercise's driver. */
static bool is_beside(const char *name, const char *source) {
    const char *slash = strrchr(source, '/');
    const size_t folder = slash ? (size_t)(slash - source) + 1 : 0;
    const char *base = name + folder;
    return strncmp(name, source, folder) == 0 && !begins(base, "driver") &&
           !begins(base, "problem");
}

static bool may_include(const char *name, const char *source, const files *solution) {
    if (name[0] == '/' || begins(name, "lib/simt/include/") || spw_is_listed(name, types))
        return true;
    if (!begins(source, "solutions/") && is_beside(name, source)) return true;
    for (int k = 1; k < solution->n; k++)
        if (strcmp(name, solution->name[k]) == 0) return true;
    return false;
}

static bool includes(const char *answer, const char *reference, spw_refusal *r) {
    static files mine, solution;
    bool found = false;
    read_files(answer, &mine);
    read_files(reference, &solution);
    for (int k = 1; k < mine.n && !found; k++) {
        found = !may_include(mine.name[k], mine.name[0], &solution);
        if (!found) continue;
        r->code = "refused-header";
        snprintf(r->what, sizeof r->what, "it includes %.400s.", mine.name[k]);
        r->allowed =
            "It may include the system's headers, the exercise's, and files of yours beside it.";
    }
    if (!found && mine.lost) {
        found = true;
        r->code = "refused-header";
        if (mine.n == MOST_FILES)
            snprintf(r->what, sizeof r->what, "it includes %d files and more.", MOST_FILES);
        else
            snprintf(r->what, sizeof r->what, "it includes %.400s, which is not there any more.",
                     mine.lost);
        r->allowed = "It may include files that stay where they are, and not so many.";
    }
    release(&mine);
    release(&solution);
    return found;
}

/* --- what may be in it ------------------------------------------------------------------------------ */

static bool begins_early(const char *answer, spw_refusal *r) {
    char name[512], state[16];
    int line = 0;
    FILE *file;
    bool found = false;
    r->code = "startup";
    r->allowed = "It is what its functions do when they are called, written in C.";
    if (!spw_answer_sibling(answer, "functions", &file)) {
        while (!found && fscanf(file, "%511s %d %15s", name, &line, state) == 3)
            found = strcmp(state, "refused") == 0;
        fclose(file);
        if (found)
            snprintf(r->what, sizeof r->what, "line %d holds %s.", line,
                     strcmp(name, "section") == 0 ? "a section of its own"
                     : strcmp(name, "startup") == 0
                         ? "a constructor or destructor, which runs when nobody calls it"
                     : strcmp(name, "unseen") == 0 ? "accesses to memory that no tool would see"
                     : strcmp(name, "raw") == 0    ? "a raw string, R\"...\""
                     : strcmp(name, "marker") == 0 ? "a marker that gives it another file or line"
                                                   : "assembly");
    }
    if (!found && !spw_answer_sibling(answer, "startup", &file)) {
        found = fscanf(file, "%511s", name) == 1;
        fclose(file);
        snprintf(r->what, sizeof r->what,
                 "it has a %.16s, which runs before it is called, when it is loaded.", name);
    }
    return found;
}

bool spw_answer_is_refused(const char *answer, const char *reference, const char *const *allowed,
                           spw_refusal *refusal) {
    return borrows(answer, allowed, refusal) || includes(answer, reference, refusal) ||
           begins_early(answer, refusal);
}
