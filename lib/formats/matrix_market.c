/* formats/matrix_market.c -- the reader of the exchange format.
 *
 * It works in four steps, all but the first parallel:
 *   1. header    banner, comments and the line of sizes; what they promise is compared with the length
 *                of the text before anything is allocated.
 *   2. count     The rest, or a block of it, is cut at ends of lines into pieces of 64 KB. Lines and entries of each are
 *                counted; the sums say where each piece stores its first entry.
 *   3. parse     Each piece is parsed into its place in the arrays, up to its first bad line.
 *   4. mirror    The other half of a symmetric matrix is put behind the half that was read.
 * The pieces do not depend on the number of threads, and the first bad line of the first bad piece is
 * the first bad line of the file: result and message are always the same. */
#include "formats/matrix_market.h"

#include "base/memory.h"
#include "base/number.h"
#include "formats/text_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    HEAD = 1 << 20,       /* read at first, and enough for most headers */
    HEAD_MAX = 16 << 20,  /* banner and comments */
    ENTRY_MAX = 1024,     /* bytes of text per entry, on average */
    TEXT_EXTRA = 1 << 20, /* and so many more: small files may be odd */
    PIECE = 1 << 16,      /* bytes of text parsed at a time */
    QUOTE_MAX = 24        /* characters of the text in a message */
};

/* In the order of the lists of words in parse_banner. */
enum field { FIELD_REAL, FIELD_INTEGER, FIELD_PATTERN, FIELD_COMPLEX, FIELD_UNKNOWN };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, SYMMETRY_UNKNOWN };

typedef struct header {
    const char *name;
    enum field field;
    enum symmetry symmetry;
    spw_idx n_rows, n_cols, n_entries;
    int64_t size_line; /* number of the line of sizes; 0 while the header is not complete */
    int64_t length;    /* bytes up to the end of that line */
    int64_t text_max;  /* no more text than this can belong to so many entries */
    spw_idx n_left;    /* entries that are still to come */
    int64_t next_line; /* number of the line that is parsed next */
} header;

typedef struct piece {
    const char *begin, *end;
    int64_t first_line, n_lines;    /* numbers of lines begin with 1 */
    int64_t first_entry, n_entries; /* as many as there are lines that are not blank */
    int64_t first_mirrored, n_mirrored;
    const char *bad; /* the first line that is wrong, or NULL */
    int64_t bad_line;
} piece;

typedef struct line {
    const char *begin, *end; /* without LF and CR LF */
    const char *next;        /* where the next line begins */
    int64_t number;
} line;

/* --- messages ------------------------------------------------------------------------------------ */

static spw_status fail(spw_status status, const char *name, int64_t line_number, const char *format,
                       va_list args) {
    char reason[400];
    vsnprintf(reason, sizeof reason, format, args);
    /* Of a very long path the end is shown, so that there is room for the reason. */
    const size_t length = strlen(name), shown = 500;
    return spw_error(status, "%s%s:%" PRId64 ": %s", length > shown ? "..." : "",
                     length > shown ? name + length - shown : name, line_number, reason);
}

/* The text is not what it should be: "FILE:LINE: reason". */
SPW_PRINTF(3, 4)
static spw_status malformed(const header *H, int64_t line_number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const spw_status status = fail(SPW_ERR_FORMAT, H->name, line_number, format, args);
    va_end(args);
    return status;
}

/* It is, but for 32-bit indices. */
SPW_PRINTF(3, 4)
static spw_status out_of_range(const header *H, int64_t line_number, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const spw_status status = fail(SPW_ERR_RANGE, H->name, line_number, format, args);
    va_end(args);
    return status;
}

typedef struct quote {
    char text[QUOTE_MAX + 32];
} quote;

/* What stands at `at`, as a message may show it: a word in quotes, or "the end of the line". */
static quote what_is_at(const char *at, const char *end) {
    quote q;
    if (at == end) {
        snprintf(q.text, sizeof q.text, "the end of the line");
        return q;
    }
    if (*at == '\0') {
        snprintf(q.text, sizeof q.text, "a NUL byte");
        return q;
    }
    int n = 0;
    q.text[n++] = '"';
    while (at < end && *at != ' ' && *at != '\t' && n <= QUOTE_MAX) {
        q.text[n++] = *at >= ' ' && *at <= '~' ? *at : '?';
        at++;
    }
    snprintf(q.text + n, sizeof q.text - (size_t)n, "%s\"",
             at < end && *at != ' ' && *at != '\t' ? "..." : "");
    return q;
}

/* --- lines and words ----------------------------------------------------------------------------- */

static line line_at(const char *begin, const char *end, int64_t number) {
    line L = {.begin = begin, .number = number};
    const char *const feed = memchr(begin, '\n', (size_t)(end - begin));
    L.end = feed ? feed : end;
    L.next = feed ? feed + 1 : end;
    if (L.end > begin && L.end[-1] == '\r') L.end--;
    return L;
}

static inline const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    return at;
}

static inline int ends_word(const char *at, const char *end) {
    return at == end || *at == ' ' || *at == '\t';
}

/* Is the word at `at` this one, in small letters or capitals? */
static int is_word(const char *at, const char *end, const char *word) {
    for (; *word; word++, at++) {
        if (at == end) return 0;
        const char small = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        if (small != *word) return 0;
    }
    return ends_word(at, end);
}

static const char *skip_word(const char *at, const char *end) {
    while (!ends_word(at, end)) at++;
    return at;
}

/* Reads digits up to the end of a word. Returns where they end, NULL if there is something else.
 * A number that is too large for any index becomes INT64_MAX. */
static inline const char *read_count(const char *at, const char *end, int64_t *count) {
    int64_t n = 0;
    const char *const begin = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        n = n > SPW_IDX_MAX ? INT64_MAX : n * 10 + (*at - '0');
    *count = n > SPW_IDX_MAX ? INT64_MAX : n;
    return at > begin && ends_word(at, end) ? at : NULL;
}

/* --- header -------------------------------------------------------------------------------------- */

static const char BANNER[] = "%%matrixmarket";

/* Is the text a tar archive? That is what the SuiteSparse collection hands out. */
static int is_tar(const char *text, int64_t length) {
    return length > 262 && memcmp(text + 257, "ustar", 5) == 0;
}

/* Steps to the next word of the line and tells which of the list it is; the number of the list's words
 * if it is none of them. */
static int next_word(const char **at, const char *end, const char *const words[]) {
    int w = 0;
    *at = skip_blanks(skip_word(*at, end), end);
    while (words[w] && !is_word(*at, end, words[w])) w++;
    return w;
}

static spw_status parse_banner(header *H, line L) {
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real", "integer", "pattern", "complex", NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian",
                                             NULL};
    const char *at = L.begin;

    if (next_word(&at, L.end, objects) != 0)
        return malformed(H, 1, "found %s, expected \"matrix\", the only object read",
                         what_is_at(at, L.end).text);

    const int format = next_word(&at, L.end, formats);
    if (format == 1)
        return malformed(H, 1, "the matrix is dense (\"array\"), only \"coordinate\" is read");
    if (format != 0)
        return malformed(H, 1, "found %s, expected the format \"coordinate\"",
                         what_is_at(at, L.end).text);

    H->field = (enum field)next_word(&at, L.end, fields);
    if (H->field == FIELD_COMPLEX)
        return malformed(
            H, 1, "the matrix is complex, only \"real\", \"integer\" and \"pattern\" are read");
    if (H->field == FIELD_UNKNOWN)
        return malformed(H, 1, "found %s, expected the field \"real\", \"integer\" or \"pattern\"",
                         what_is_at(at, L.end).text);

    H->symmetry = (enum symmetry)next_word(&at, L.end, symmetries);
    if (H->symmetry == HERMITIAN)
        return malformed(H, 1, "the matrix is hermitian, that is, complex: it is not read");
    if (H->symmetry == SYMMETRY_UNKNOWN)
        return malformed(H, 1,
                         "found %s, expected \"general\", \"symmetric\" or \"skew-symmetric\"",
                         what_is_at(at, L.end).text);

    if (H->symmetry == SKEW && H->field == FIELD_PATTERN)
        return malformed(H, 1, "a pattern has no signs: it cannot be skew-symmetric");

    at = skip_blanks(skip_word(at, L.end), L.end);
    if (at < L.end)
        return malformed(H, 1, "found %s behind the banner", what_is_at(at, L.end).text);
    return SPW_OK;
}

static spw_status parse_sizes(header *H, line L) {
    static const char *const what[] = {"rows", "columns", "entries"};
    int64_t sizes[3];
    const char *at = L.begin;
    for (int i = 0; i < 3; i++) {
        at = skip_blanks(at, L.end);
        const char *const word = at;
        at = read_count(word, L.end, &sizes[i]);
        if (!at)
            return malformed(H, L.number, "found %s, expected the number of %s",
                             what_is_at(word, L.end).text, what[i]);
        if (sizes[i] > SPW_IDX_MAX)
            return out_of_range(H, L.number, "%s %s are more than %d, the most that 32 bits hold",
                                what_is_at(word, L.end).text, what[i], SPW_IDX_MAX);
    }
    at = skip_blanks(at, L.end);
    if (at < L.end)
        return malformed(H, L.number, "found %s behind the numbers of rows, columns and entries",
                         what_is_at(at, L.end).text);
    if (H->symmetry != GENERAL && sizes[0] != sizes[1])
        return malformed(H, L.number,
                         "a symmetric matrix must be square, this one has %" PRId64
                         " rows and %" PRId64 " columns",
                         sizes[0], sizes[1]);
    H->n_rows = (spw_idx)sizes[0];
    H->n_cols = (spw_idx)sizes[1];
    H->n_entries = H->n_left = (spw_idx)sizes[2];
    return SPW_OK;
}

/* Parses the header. `whole`: the text ends here. If not, H->size_line stays 0 where more is needed. */
static spw_status parse_header(const char *name, const char *text, int64_t length, int whole,
                               header *H) {
    *H = (header){.name = name};
    if (whole && length == 0) return malformed(H, 1, "the file is empty");
    const char *const end = text + length;

    line L = line_at(text, end, 1);
    const int64_t banner = sizeof BANNER - 1;
    if (!is_word(text, length > banner ? text + banner : end, BANNER) ||
        !ends_word(text + banner, L.end))
        return malformed(
            H, 1,
            is_tar(text, length)
                ? "this is a tar archive: unpack it (tar -xf) and take the .mtx file in it"
                : "the file does not begin with %%%%MatrixMarket, so it is no Matrix Market file");
    if (L.next == end && !whole) return SPW_OK;
    spw_status status = parse_banner(H, L);
    if (status) return status;

    for (;;) {
        if (L.next == end && whole)
            return malformed(
                H, L.number,
                "the file ends before the line with the numbers of rows, columns and entries");
        L = line_at(L.next, end, L.number + 1);
        if (L.next == end && !whole) return SPW_OK;
        const char *const nul = memchr(L.begin, '\0', (size_t)(L.end - L.begin));
        if (nul) return malformed(H, L.number, "found a NUL byte: this is not text");
        const char *const first = skip_blanks(L.begin, L.end);
        if (first < L.end && *first != '%') break;
    }
    status = parse_sizes(H, L);
    if (status) return status;
    H->size_line = L.number;
    H->next_line = L.number + 1;
    H->length = L.next - text;
    H->text_max = H->length + TEXT_EXTRA + (int64_t)ENTRY_MAX * H->n_entries;
    return SPW_OK;
}

static spw_status too_much_text(const header *H) {
    return malformed(H, H->size_line, "%d entries, but far more text follows than so many can take",
                     H->n_entries);
}

/* --- entries ------------------------------------------------------------------------------------- */

typedef struct entry {
    spw_idx row, col; /* from 0 */
    double val;
} entry;

static spw_status bad_index(const header *H, line L, const char *at, const char *what, spw_idx n) {
    int64_t index;
    if (!read_count(at, L.end, &index))
        return malformed(H, L.number, "found %s, expected the index of a %s",
                         what_is_at(at, L.end).text, what);
    if (index == 0) return malformed(H, L.number, "%s 0: indices begin with 1", what);
    return malformed(H, L.number, "%s %s is outside the matrix: line %" PRId64 " says %d", what,
                     what_is_at(at, L.end).text, H->size_line, n);
}

static spw_status bad_position(const header *H, line L, entry e) {
    if (e.row == e.col)
        return malformed(
            H, L.number,
            "entry (%d, %d) is on the diagonal of a skew-symmetric matrix, which is not stored",
            e.row + 1, e.col + 1);
    return malformed(
        H, L.number,
        "entry (%d, %d) is above the diagonal, of a symmetric matrix only the lower half is stored",
        e.row + 1, e.col + 1);
}

static spw_status bad_value(const header *H, line L, const char *at, spw_number problem) {
    const quote found = what_is_at(at, L.end);
    if (problem == SPW_NUMBER_TOO_LARGE)
        return malformed(H, L.number, "the value %s is too large for a double", found.text);
    if (problem == SPW_NUMBER_TOO_LONG)
        return malformed(H, L.number, "the value %s has more than %d characters", found.text,
                         SPW_NUMBER_LENGTH_MAX);
    return malformed(H, L.number, "found %s, expected %s", found.text,
                     H->field == FIELD_INTEGER ? "an integer" : "a finite number");
}

/* An integer that a double cannot hold would come out as another one, and is refused. */
static spw_number read_integer(const char **text, const char *end, double *value) {
    const char *at = *text;
    uint64_t n = 0;
    if (at < end && (*at == '+' || *at == '-')) at++;
    const char *const first = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        n = n > UINT64_MAX / 10 - 1 ? UINT64_MAX : n * 10 + (uint64_t)(*at - '0');
    if (at == first) return SPW_NUMBER_NONE;
    const double d = (double)n;
    if (n > UINT64_C(1) << 53 && (d >= 0x1p64 || (uint64_t)d != n)) return SPW_NUMBER_TOO_LARGE;
    *value = **text == '-' ? 0 - d : d;
    *text = at;
    return SPW_NUMBER_OK;
}

static inline spw_status parse_entry(const header *H, line L, entry *e) {
    int64_t row, col;
    const char *at = skip_blanks(L.begin, L.end), *word = at;
    at = read_count(word, L.end, &row);
    if (!at || row < 1 || row > H->n_rows) return bad_index(H, L, word, "row", H->n_rows);
    word = skip_blanks(at, L.end);
    at = read_count(word, L.end, &col);
    if (!at || col < 1 || col > H->n_cols) return bad_index(H, L, word, "column", H->n_cols);
    *e = (entry){(spw_idx)(row - 1), (spw_idx)(col - 1), 1};
    if ((H->symmetry != GENERAL && row < col) || (H->symmetry == SKEW && row == col))
        return bad_position(H, L, *e);

    if (H->field != FIELD_PATTERN) {
        word = at = skip_blanks(at, L.end);
        const spw_number problem = H->field == FIELD_INTEGER ? read_integer(&at, L.end, &e->val)
                                                             : spw_number_read(&at, L.end, &e->val);
        if (problem) return bad_value(H, L, word, problem);
        if (!ends_word(at, L.end)) return bad_value(H, L, word, SPW_NUMBER_NONE);
    }
    word = skip_blanks(at, L.end);
    if (word < L.end)
        return malformed(H, L.number, "found %s behind entry (%d, %d)",
                         what_is_at(word, L.end).text, e->row + 1, e->col + 1);
    return SPW_OK;
}

/* --- pieces -------------------------------------------------------------------------------------- */

/* Cuts begin .. end at ends of lines. A line that is longer than a piece leaves the next ones empty. */
static void cut(const char *begin, const char *end, piece *pieces, int64_t n_pieces) {
    const char *at = begin;
    for (int64_t p = 0; p < n_pieces; p++) {
        const char *const target = end - begin > (p + 1) * PIECE ? begin + (p + 1) * PIECE : end;
        pieces[p] = (piece){.begin = at};
        if (at < target) {
            const char *const feed = memchr(target - 1, '\n', (size_t)(end - (target - 1)));
            at = feed ? feed + 1 : end;
        }
        pieces[p].end = at;
    }
}

static void count_piece(piece *P) {
    for (const char *at = P->begin; at < P->end;) {
        const line L = line_at(at, P->end, 0);
        P->n_lines++;
        P->n_entries += skip_blanks(L.begin, L.end) < L.end;
        at = L.next;
    }
}

/* Returns the number of entries in the text. */
static int64_t count_all(const header *H, piece *pieces, int64_t n_pieces) {
#pragma omp parallel for schedule(dynamic) if (n_pieces > 1)
    for (int64_t p = 0; p < n_pieces; p++) count_piece(&pieces[p]);

    int64_t next_line = H->next_line, n_entries = 0;
    for (int64_t p = 0; p < n_pieces; p++) {
        pieces[p].first_line = next_line;
        pieces[p].first_entry = n_entries;
        next_line += pieces[p].n_lines;
        n_entries += pieces[p].n_entries;
    }
    return n_entries;
}

/* Entries that are more than the header says are bad lines. */
static void parse_piece(const header *H, piece *P, spw_coo *A) {
    int64_t number = P->first_line, k = P->first_entry;
    for (const char *at = P->begin; at < P->end; number++) {
        const line L = line_at(at, P->end, number);
        at = L.next;
        if (skip_blanks(L.begin, L.end) == L.end) continue;
        entry e;
        if (k >= H->n_left || parse_entry(H, L, &e)) {
            P->bad = L.begin;
            P->bad_line = number;
            return;
        }
        A->row_idx[k] = e.row;
        A->col_idx[k] = e.col;
        A->val[k] = e.val;
        P->n_mirrored += H->symmetry != GENERAL && e.row != e.col;
        k++;
    }
}

/* Says what is wrong with the first bad line. The threads that found bad lines have messages of their
 * own; this one belongs to the caller's. */
static spw_status report(const header *H, const piece *P, int64_t n_found) {
    const line L = line_at(P->bad, P->end, P->bad_line);
    entry e;
    const spw_status status = parse_entry(H, L, &e);
    if (n_found <= H->n_left) return status;
    /* The first line too many, or a wrong one before it? */
    int64_t k = P->first_entry;
    for (const char *at = P->begin; at < P->bad;) {
        const line before = line_at(at, P->end, 0);
        k += skip_blanks(before.begin, before.end) < before.end;
        at = before.next;
    }
    if (k < H->n_left) return status;
    if (status)
        return malformed(
            H, L.number, "found %s behind the last of the %d entries that line %" PRId64 " says",
            what_is_at(skip_blanks(L.begin, L.end), L.end).text, H->n_entries, H->size_line);
    return malformed(H, L.number, "one entry too many: line %" PRId64 " says %d", H->size_line,
                     H->n_entries);
}

/* n_found: entries in front of the mirrored ones. */
static void mirror(const header *H, const piece *P, int64_t n_found, spw_coo *A) {
    const double sign = H->symmetry == SKEW ? -1 : 1;
    int64_t to = n_found + P->first_mirrored;
    for (int64_t k = P->first_entry; k < P->first_entry + P->n_entries; k++) {
        if (A->row_idx[k] == A->col_idx[k]) continue;
        A->row_idx[to] = A->col_idx[k];
        A->col_idx[to] = A->row_idx[k];
        A->val[to] = sign * A->val[k];
        to++;
    }
}

static spw_status parse_pieces(header *H, piece *pieces, int64_t n_pieces, int64_t n_found,
                               spw_coo *A) {
#pragma omp parallel for schedule(dynamic) if (n_pieces > 1)
    for (int64_t p = 0; p < n_pieces; p++) parse_piece(H, &pieces[p], A);

    int64_t n_mirrored = 0;
    for (int64_t p = 0; p < n_pieces; p++) {
        if (pieces[p].bad) return report(H, &pieces[p], n_found);
        pieces[p].first_mirrored = n_mirrored;
        n_mirrored += pieces[p].n_mirrored;
    }
    if (n_mirrored > SPW_IDX_MAX - n_found)
        return out_of_range(H, H->size_line,
                            "%d entries and %" PRId64
                            " mirrored ones are more than %d, the most that 32 bits hold",
                            H->n_entries, n_mirrored, SPW_IDX_MAX);
#pragma omp parallel for schedule(dynamic) if (n_pieces > 1)
    for (int64_t p = 0; p < n_pieces; p++)
        if (pieces[p].n_mirrored > 0) mirror(H, &pieces[p], n_found, A);
    A->nnz = (spw_idx)(n_found + n_mirrored);
    H->n_left -= (spw_idx)n_found;
    for (int64_t p = 0; p < n_pieces; p++) H->next_line += pieces[p].n_lines;
    return SPW_OK;
}

/* Whole lines; their entries, and behind these the mirrored ones. On failure *A is all zero. */
static spw_status parse_lines(header *H, const char *text, int64_t length, spw_coo *A) {
    const int64_t n_pieces = (length + PIECE - 1) / PIECE;
    piece *pieces = NULL;
    *A = (spw_coo){0};
    spw_status status = SPW_ALLOC(&pieces, n_pieces);
    if (!status) {
        cut(text, text + length, pieces, n_pieces);
        const int64_t n_found = count_all(H, pieces, n_pieces);
        /* How many entries are on the diagonal is not known yet. Pages that are not written cost nothing. */
        int64_t room = n_found < H->n_left ? n_found : H->n_left;
        if (H->symmetry != GENERAL) room = 2 * room < SPW_IDX_MAX ? 2 * room : SPW_IDX_MAX;
        status = spw_coo_create(H->n_rows, H->n_cols, room, A);
        if (status)
            status = spw_error(status, "%s: %s", H->name, spw_message());
        else
            status = parse_pieces(H, pieces, n_pieces, n_found, A);
    }
    if (status) spw_coo_destroy(A);
    spw_free(pieces);
    return status;
}

static spw_status at_end(const header *H) {
    if (H->n_left == 0) return SPW_OK;
    return malformed(H, H->next_line - 1,
                     "the file ends after %d entries: line %" PRId64 " says %d",
                     H->n_entries - H->n_left, H->size_line, H->n_entries);
}

/* Before any room is made for entries. */
static spw_status too_many_entries(const header *H, int64_t left) {
    const int64_t shortest = H->field == FIELD_PATTERN ? 4 : 6; /* "1 1\n", "1 1 1\n" */
    if (H->n_entries <= (left + 1) / shortest) return SPW_OK;
    return malformed(H, H->size_line,
                     "%d entries, but the %" PRId64 " bytes that follow can hold %" PRId64
                     " at most",
                     H->n_entries, left, (left + 1) / shortest);
}

static spw_status parse_body(header *H, const char *text, int64_t length, spw_coo *A) {
    const int64_t left = length - H->length;
    if (length > H->text_max) return too_much_text(H);
    spw_status status = too_many_entries(H, left);
    if (!status) status = parse_lines(H, text + H->length, left, A);
    if (!status) status = at_end(H);
    if (!status) status = spw_coo_validate(A);
    if (status) spw_coo_destroy(A);
    return status;
}

spw_status spw_coo_parse_matrix_market(const char *name, const char *text, size_t length,
                                       spw_coo *A) {
    *A = (spw_coo){0};
    header H;
    const spw_status status = parse_header(name, text, (int64_t)length, 1, &H);
    return status ? status : parse_body(&H, text, (int64_t)length, A);
}

/* --- files --------------------------------------------------------------------------------------- */

typedef struct buffer {
    char *text;
    int64_t length, room;
} buffer;

/* Makes room for `room` bytes and reads until it is full or the text ends. */
static spw_status fill(spw_text_file *file, buffer *B, int64_t room) {
    char *text;
    int64_t got;
    spw_status status = SPW_ALLOC(&text, room);
    if (status) return spw_error(status, "%s: %s", file->path, spw_message());
    if (B->length > 0) memcpy(text, B->text, (size_t)B->length);
    spw_free(B->text);
    B->text = text;
    B->room = room;
    status = spw_text_read(file, B->text + B->length, B->room - B->length, &got);
    B->length += got;
    return status;
}

/* Reads up to the end of the header, and parses it. */
static spw_status read_header(spw_text_file *file, buffer *B, header *H) {
    for (int64_t room = HEAD; room <= HEAD_MAX; room *= 2) {
        spw_status status = fill(file, B, room);
        if (!status) status = parse_header(file->path, B->text, B->length, file->at_end, H);
        if (status || H->size_line > 0) return status;
    }
    return malformed(H, 1,
                     "the first %d MB hold no line with the numbers of rows, columns and entries",
                     HEAD_MAX >> 20);
}

static spw_status read_body(spw_text_file *file, buffer *B, const header *H) {
    if (!file->is_gzip && file->file_bytes > H->text_max) return too_much_text(H);
    while (!file->at_end) {
        if (B->length > H->text_max) return too_much_text(H);
        int64_t room = 2 * B->room;
        /* Text shrinks to a quarter or less in gzip: that is the first guess. */
        if (room < 4 * file->file_bytes) room = 4 * file->file_bytes;
        if (!file->is_gzip) room = file->file_bytes;
        if (room > H->text_max + 1) room = H->text_max + 1;
        const spw_status status = fill(file, B, room);
        if (status) return status;
    }
    return SPW_OK;
}

spw_status spw_coo_read_matrix_market(const char *path, spw_coo *A) {
    *A = (spw_coo){0};
    spw_text_file file;
    buffer B = {0};
    header H;
    spw_status status = spw_text_open(path, &file);
    if (!status) status = read_header(&file, &B, &H);
    if (!status) status = read_body(&file, &B, &H);
    if (!status) status = parse_body(&H, B.text, B.length, A);
    spw_free(B.text);
    spw_text_close(&file);
    return status;
}

/* The lines of B behind the first `used` bytes come to its front, and as much text behind them as there is room; a line
 * that is longer than a block gets more. *whole: where the last line ends that is there as a whole. */
static spw_status next_block(spw_text_file *file, buffer *B, int64_t used, int64_t *whole) {
    B->length -= used;
    memmove(B->text, B->text + used, (size_t)B->length);
    const int64_t room = used && B->length < SPW_TEXT_BLOCK ? SPW_TEXT_BLOCK : 2 * B->length;
    const spw_status status = fill(file, B, room);
    *whole = B->length;
    while (!status && !file->at_end && *whole > 0 && B->text[*whole - 1] != '\n') --*whole;
    return status;
}

spw_status spw_coo_read_blocks(const char *path, spw_take_block *take, void *context) {
    spw_text_file file;
    buffer B = {0};
    header H = {0};
    spw_status status = spw_text_open(path, &file);
    if (!status) status = read_header(&file, &B, &H);
    int64_t used = H.length, seen = 0; /* of B: parsed; of the text in front of B */
    bool goes_on = true;
    while (!status && goes_on) {
        spw_coo block = {0};
        seen += used;
        status = next_block(&file, &B, used, &used);
        if (!status && seen + B.length > H.text_max) status = too_much_text(&H);
        goes_on = !file.at_end;
        if (!status) status = parse_lines(&H, B.text, used, &block);
        if (!status && !goes_on) status = at_end(&H);
        if (!status) status = take(context, &block);
        spw_coo_destroy(&block);
    }
    spw_free(B.text);
    spw_text_close(&file);
    return status;
}
