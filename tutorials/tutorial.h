/*
 * tutorial.h - what a row of the seed documents is, and what rows are written with.
 *
 * A row is one function.  It computes with the public API, and says what it
 * found through the functions below; they print it as text or gather it as
 * JSON, and count checks.
 *
 * Memory and failure: what seed_new(), seed_array(), seed_encoding() .. give is
 * released when the row ends.  None of these functions returns a failure: they
 * leave the row (longjmp), the command prints the sentence and exits with the
 * status it means.  So a row needs no clean-up of its own; what it opens by
 * other ways it hands to seed_defer() at once.
 */
#ifndef LOCANT_SEED_H
#define LOCANT_SEED_H

#include "../cli/cli.h"
#include "locant/figure.h"

struct seed; /* one row in progress */

struct seed_row {
    const char *id;      /* "S0.10"; NULL ends a table */
    const char *kind;    /* "text", "formula", "class", "function", "figure",
                            "experiment", "benchmark", "table", "homework",
                            "names" */
    const char *title;   /* what is seen, in a few words */
    void      (*run)(struct seed *s);
    const char *lines;   /* of the seed document, "190-250" */
    int         figures; /* how many it draws with -o */
    const char *wrong;   /* "E-0.1, E-0.2" where the seed errs: the row then
                            calls seed_wrong(); or NULL */
};

/* The rows of the five documents, in order. */
extern const struct seed_row seed_rows_s0[], seed_rows_s1[], seed_rows_s2[],
                             seed_rows_s3[], seed_rows_s4[];

/* ------------------------------------------------------------- what it says */

/* Start part 'a', 'b', ..: a heading; "locant tutorial S0.10b" shows it alone. */
void seed_part(struct seed *s, char letter, const char *title);

/* A line of prose; breaks itself at 80 columns. */
void seed_say(struct seed *s, const char *format, ...) LOCANT_PRINTF(2, 3);

/* "name: value"; in JSON a member of "values". */
void seed_real(struct seed *s, const char *name, double x);
void seed_integer(struct seed *s, const char *name, int64_t x);
void seed_text(struct seed *s, const char *name, const char *value);
void seed_shape(struct seed *s, const char *name, const locant_tensor *t);
/* n numbers on one line, each by 'format' ("%.4f"). */
void seed_numbers(struct seed *s, const char *name, const char *format,
                  const double *x, int64_t n);
/* A small matrix, a line a row. */
void seed_matrix(struct seed *s, const char *name, const char *format,
                 const double *x, int64_t rows, int64_t cols);

/*
 * A table.  Cells are separated by '|', so no cell has one:
 * seed_columns(s, "times", "method|ms"), then seed_cells(s, "%s|%.2f", name,
 * ms) per line, then seed_table_end().  In JSON a list of lists; a cell that
 * reads as a number is one.
 */
void seed_columns(struct seed *s, const char *name, const char *columns);
void seed_cells(struct seed *s, const char *format, ...) LOCANT_PRINTF(2, 3);
void seed_table_end(struct seed *s);

/*
 * Where the seed is wrong: its number, the right one, and one sentence why.
 * 'id' is the erratum, "E-0.5".
 */
void seed_wrong(struct seed *s, const char *id, const char *what, double seed,
                double right, const char *why);
void seed_wrong_text(struct seed *s, const char *id, const char *what,
                     const char *seed, const char *right, const char *why);

/*
 * A check: |got - expected| <= tolerance, all finite.  A failing one is shown,
 * and makes the command exit with 1.
 */
void seed_check(struct seed *s, const char *what, double got, double expected,
                double tolerance);
/* The same of a statement: 'holds' is nonzero. */
void seed_claim(struct seed *s, const char *what, int holds);

/* ------------------------------------------------------------------ figures */

/*
 * Draw, when -o asks for it: into NAME.svg, or NAME-a.svg where the row has
 * several ('letter' 0: the only one).  struct_size may be left 0.
 */
void seed_figure(struct seed *s, char letter, const locant_figure *figure);

/* A heat map of cells [rows, cols], columns along x; 'turned': rows along x. */
struct seed_map {
    const char   *title, *x_label, *y_label;
    const double *cells;
    int64_t       rows, cols;
    int           diverging, turned;
};
void seed_heat(struct seed *s, char letter, const struct seed_map *map);

/* Curves y [lines, n] over x [n] (NULL: 0, 1, ..), one label each. */
struct seed_plot {
    const char   *title, *x_label, *y_label;
    const char *const *labels;
    const double *x, *y;
    int64_t       lines, n;
};
void seed_curves(struct seed *s, char letter, const struct seed_plot *plot);

/* ---------------------------------------------------------------- resources */

/* Zeroed memory. */
void   *seed_new(struct seed *s, int64_t n, size_t size);
double *seed_reals(struct seed *s, int64_t n);
locant_tensor seed_array(struct seed *s, locant_dtype dtype, int rank,
                         const int64_t *shape);
/* SEED_F64(s, B, T, D): a dense zeroed array of doubles; so F32, I64. */
#define SEED_SHAPE(...) (int)(sizeof (int64_t[]){ __VA_ARGS__ } / 8),  \
                        (const int64_t[]){ __VA_ARGS__ }
#define SEED_F64(s, ...) seed_array(s, LOCANT_F64, SEED_SHAPE(__VA_ARGS__))
#define SEED_F32(s, ...) seed_array(s, LOCANT_F32, SEED_SHAPE(__VA_ARGS__))
#define SEED_I64(s, ...) seed_array(s, LOCANT_I64, SEED_SHAPE(__VA_ARGS__))
int64_t seed_count(const locant_tensor *t); /* its elements */

/* Leave the row unless 'status' is OK. */
void seed_try(struct seed *s, locant_status status);
/* Leave the row with a sentence; 'exit_status' as cli.h has them. */
void seed_fail(struct seed *s, int exit_status, const char *format, ...)
    LOCANT_PRINTF(3, 4);
/* Run release(what) when the row ends, last first. */
void seed_defer(struct seed *s, void (*release)(void *), void *what);
/* An empty folder of the row's own, removed with all in it at the end. */
const char *seed_folder(struct seed *s);
/* For long work: a line about progress on stderr (nothing under --check). */
void seed_progress(struct seed *s, const char *format, ...)
    LOCANT_PRINTF(2, 3);

/* ------------------------------------------------------------------ numbers */

/* Stream 'stream' of seed 42; the row says so in its last lines. */
locant_random seed_random(struct seed *s, uint64_t stream);
/* N(0, deviation^2) */
void   seed_fill_normal(double *x, int64_t n, double deviation,
                        locant_random *r);
/* order[n]: 0 .. n - 1 shuffled. */
void   seed_order(int64_t *order, int64_t n, locant_random *r);
double seed_mean(const double *x, int64_t n);
/* Square root of the mean square about the mean (numpy's std). */
double seed_deviation(const double *x, int64_t n);
double seed_min(const double *x, int64_t n);
double seed_max(const double *x, int64_t n);
double seed_max_difference(const double *x, const double *y, int64_t n);
double seed_mean_difference(const double *x, const double *y, int64_t n);
double seed_cosine(const double *x, const double *y, int64_t n);
double seed_seconds(void); /* monotonic */

/* ---------------------------------------------------------------- encodings */

/* An encoding by spec. */
const locant_encoding *seed_encoding(struct seed *s, const char *spec);
/* first, first + 1, ..  as I64 [n] */
locant_tensor seed_positions(struct seed *s, int64_t first, int64_t n);
/* Learned numbers of an encoding in a model of 'width' and 'heads'. */
int64_t seed_parameters(const locant_encoding *e, int64_t width, int64_t heads);
/* Its parameters at their initial values; NULL if none. */
locant_tensor *seed_params(struct seed *s, const locant_encoding *e,
                           int64_t width, int64_t heads);

/*
 * Rows first .. first + n - 1 of the table, F64 [n, width].  Entries of the
 * sinusoidal one are within 2^-43 of their size; twice that is SEED_ANGLE, what
 * they may differ by from sin() and cos().  (Rotations use cosines rounded to
 * float32: within 2^-24.)
 */
#define SEED_ANGLE 0x1p-42
locant_tensor seed_table_rows(struct seed *s, const locant_encoding *e,
                              int64_t first, int64_t n, int64_t width,
                              const locant_tensor *params);
/* b(h, i, j) for i < T, j < S: F64 [heads, T, S]. */
locant_tensor seed_bias(struct seed *s, const locant_encoding *e, int64_t heads,
                        int64_t T, int64_t S, const locant_tensor *params);
/* x [.., T, D] turned by positions first .. (may be in place). */
void seed_rotate(struct seed *s, locant_tensor *out, const locant_tensor *x,
                 const locant_encoding *e, int64_t first);

/* ----------------------------------------------------------- small networks */

/* y = x W + b, W [in, out]. */
struct seed_linear {
    int64_t in, out;
    double *w, *b; /* b NULL: none */
};

/* W and b uniform in +-in^(-1/2), as nn.Linear begins. */
struct seed_linear seed_linear_new(struct seed *s, locant_random *r, int64_t in,
                                   int64_t out, int has_bias);
/* y [rows, out], x [rows, in]; on the library's threads. */
void seed_linear(double *y, const struct seed_linear *l, const double *x,
                 int64_t rows);
/* y = (x - mean) / sqrt(variance + 1e-5) per row; may be in place. */
void seed_layer_norm(double *y, const double *x, int64_t rows, int64_t width);
/* [B, T, H, D] to [B, H, T, D], and back. */
void seed_split_heads(double *out, const double *x, int64_t B, int64_t T,
                      int64_t H, int64_t D);
void seed_join_heads(double *out, const double *x, int64_t B, int64_t T,
                     int64_t H, int64_t D);

/*
 * One attention problem in double: 'out' as locant_attention_forward() writes
 * it, F64 [B, H, T, D].
 */
void seed_attend(struct seed *s, locant_tensor *out, const locant_attention *a);
/*
 * Its weights F64 [B, H, T, S]: the same call, given the columns of an identity
 * for values, a.v being ignored.
 */
locant_tensor seed_weights(struct seed *s, const locant_attention *a);

/* Multi-head attention: W_q, W_k, W_v, W_o around locant_attention. */
struct seed_mha {
    int64_t            width, heads;
    struct seed_linear q, k, v, o;
    const locant_encoding *encoding; /* NULL: none */
    locant_mask        mask;
};

struct seed_mha seed_mha_new(struct seed *s, locant_random *r, int64_t width,
                             int64_t heads, int has_bias);
/* x, out F64 [B, T, width]; 'weights' NULL, or gets F64 [B, H, T, T]. */
void seed_mha(struct seed *s, locant_tensor *out, locant_tensor *weights,
              const struct seed_mha *m, const locant_tensor *x);

#endif /* LOCANT_SEED_H */
