/*
 * bench.h - one table of cases, one runner.
 *
 * A family is one line of the table: a kind of work and the lists of sizes it
 * is done at.  A case is one family at one size, a row one case measured on one
 * instruction set with one number of threads.
 */
#ifndef BENCH_H
#define BENCH_H
#include "locant.h"
#include <stdbool.h>
#include <stdio.h>

/* ------------------------------------------------------------------ ranges */

enum { BENCH_RANGE = 64 };

struct bench_range {
    int     n; /* 0: not given */
    int64_t at[BENCH_RANGE];
};

/* NULL, or what the text should have been. */
const char *bench_range_parse(struct bench_range *out, const char *text);

/* -------------------------------------------------------------- statistics */

struct bench_summary {
    double min, median;
    double spread; /* distance of the quartiles / median */
};

/* Sorts the n values. */
struct bench_summary bench_summarise(double *x, int n);

/* The exponent of y ~ x^p: least squares of logs, n >= 2 different x. */
double bench_exponent(const double *x, const double *y, int n);

/* ------------------------------------------------------------------- cases */

/* What a speed is a part of. */
enum bench_roof {
    ROOF_NONE,
    ROOF_STREAM, /* reading and writing the same bytes in place */
    ROOF_READ,   /* reading them */
    ROOF_FMA,    /* fused multiply-adds from registers */
    ROOF_DOT     /* bfloat16 dot products; none where the CPU has them not */
};

enum bench_subject {
    SUBJECT_ANGLES, SUBJECT_ROTATE, SUBJECT_INPUT, SUBJECT_FORWARD,
    SUBJECT_BACKWARD, SUBJECT_STORAGE, SUBJECT_DECODE, SUBJECT_MASKS,
    SUBJECT_CONTENT, SUBJECT_KERNELS, SUBJECT_TRAIN, SUBJECT_MEMORY, SUBJECTS
};

/* One table of the output. */
struct bench_title {
    const char *key, *title, *goal;
    const char *beside; /* title of the column that compares; NULL: none */
};
extern const struct bench_title bench_titles[SUBJECTS];

enum { MASK_FULL = 1, MASK_CAUSAL = 2 };

struct bench_work;
struct bench_kernels;

/*
 * Lists of sizes are ranges as on the command line, lists of words are split at
 * blanks.  'quick' stands for 'tokens' under --quick; NULL: left out there.
 */
struct bench_family {
    enum bench_subject subject;
    const char *name;
    const struct bench_work *work;
    const char *specs;     /* encodings; -e replaces them */
    bool        fixed;     /* but not here */
    const char *dtypes;    /* NULL: f32 */
    const char *tokens, *quick;
    bool        longer;    /* the line above at other sizes: not with -n */
    const char *dims;
    int64_t     heads, kv_heads; /* 0: as many as heads */
    int64_t     queries;   /* 0: as many as tokens */
    unsigned    masks;     /* 0: MASK_FULL */
    int64_t     window, documents; /* what the work counts; 0: none */
    bool        turned;    /* keys come turned from the cache */
    int64_t     layers;    /* of a model to train: -d has no row of it */
    int64_t     step;      /* tokens of a step; 0: one sequence */
    bool        grows;     /* its last row says how time grows with tokens */
};

struct bench_case {
    const struct bench_family *family;
    const struct bench_work *work;
    char         spec[128]; /* encoding */
    locant_dtype dtype;
    int64_t      batch, heads, kv_heads, queries, tokens, dim, layers;
    int64_t      window, documents;
    bool         causal;
    const struct bench_kernels *of; /* of a kernel */
    int          kernel;   /* its row there, or -1 */
    char         name[384];
};

struct bench_result;

/*
 * One kind of work.  'setup' allocates and returns NULL when it cannot, with
 * the reason in locant_last_error(); 'check' returns NULL when the results are
 * right, else what is wrong.
 */
struct bench_work {
    const char *unit; /* "GB/s", "GFLOP/s", "ns/.." */
    enum bench_roof roof;
    bool every_isa;   /* else measured once, on the best */
    bool plain_c;     /* on no instruction set of ours */
    bool one_thread;
    unsigned doors;   /* of the encodings it takes */
    void *(*setup)(const struct bench_case *c);
    const char *(*check)(void *state);
    void (*run)(void *state);
    void (*teardown)(void *state);
    double (*amount)(const struct bench_case *c); /* pairs, bytes or flops */
    /* The case a row is compared with in the same breath; false: none. */
    bool (*beside)(struct bench_case *other, const struct bench_case *c);
    /* In place of all these: fill the result, or say why not. */
    const char *(*measure)(struct bench_result *r, bool quick);
};

extern const struct bench_work
    work_angle, work_angle_libm, work_rotate, work_rotate_qk,
    work_rotate_naive, work_rerotate, work_input, work_forward, work_backward,
    work_decode, work_train, work_memory;

/*
 * Floating-point operations that training takes for each token of a case's
 * model: three times those of its forward pass, two for each weight that
 * multiplies and two for each layer, channel and token of the sequence (a
 * causal query sees half of it, once for scores and once for values).
 */
double bench_train_flops(const struct bench_case *c);

/* Line i of the table; NULL past the end. */
const struct bench_family *bench_family_at(int i);

/* ----------------------------------------------------------------- kernels */

/* One function of a struct of kernels, on operands that lie in cache. */
struct bench_kernel {
    const char *name;
    size_t      member;    /* offset in the struct */
    const struct bench_work *work;
    double      amount;    /* numbers, flops or bytes; in place, both ways */
    double      tolerance; /* against the base kernel; 0: exact */
};

/* work_moves counts bytes, work_each numbers. */
extern const struct bench_work work_each, work_flops, work_dots, work_moves;

/* The functions of one struct, and what they are called with. */
struct bench_kernels {
    const char *name;      /* "lct_kernels" */
    size_t      size;      /* of the struct; its name comes first, */
    size_t      flag;      /* and the member here is no function; 0: none */
    const struct bench_kernel *(*at)(int i); /* row i; NULL past the end */
    size_t      bytes;     /* of operands, which begin with .. */
    size_t      floats;    /* .. what a tolerance is for */
    void (*fill)(void *operands);
    /* Row i by the instruction set in use, or by base. */
    void (*call)(int i, bool base, void *operands);
    const char *(*isa)(void);
};

extern const struct bench_kernels bench_kernels;
/* Without liblocant_lab it has no rows. */
extern const struct bench_kernels bench_nn;

/* ----------------------------------------------------------------- options */

enum bench_format { FORMAT_MARKDOWN, FORMAT_JSON, FORMAT_CSV, FORMAT_SQL,
                    FORMAT_LINES };

/* As typed; NULL: not given. */
struct bench_request {
    const char *tokens, *dims, *threads, *spec, *only, *isa, *append;
    int format; /* enum bench_format */
    bool quick, list;
};

struct bench_options {
    struct bench_range tokens, dims, threads;
    char spec[128]; /* canonical: without blanks; "": not given */
    const char *only, *isa, *append;
    enum bench_format format;
    bool quick, list;
};

/*
 * False, and a sentence in 'why' with the option, its value and what it should
 * be.
 */
bool bench_options_read(struct bench_options *out,
                        const struct bench_request *typed, char *why,
                        size_t size);

/* Expand the table: *out is to be freed.  Returns how many, or -1. */
int bench_cases(struct bench_case **out, const struct bench_options *o);

/* ----------------------------------------------------------------- results */

/* What was measured; times are of one call. */
struct bench_result {
    const struct bench_case *c;
    const char *isa;
    int         threads, samples;
    double      min_ns, median_ns, spread;
    double      speed;       /* in the unit, at the median */
    double      roof;        /* in the unit; 0: none */
    double      part;        /* of the roof, both at their fastest */
    double      part_median; /* of that roof, at the median */
    double      beside;      /* of the other's speed, both at their fastest;
                                0: no other */
    double      beside_median;
    double      cpus;        /* CPU time / time of a round of samples, the
                                least; 0: not known */
    char        note[512];
    bool        cannot;      /* the note says why */
};

/* The machine and the build, as the head of a run says it. */
struct bench_machine {
    char cpu[128], date[32];
    const char *isa, *commit, *compiler, *flags, *version;
    int threads;
    double stream, read, fma, bf16; /* GB/s, GB/s, GFLOP/s; 0: has none */
};
void bench_machine_ask(struct bench_machine *m);

/* Where rows go. */
struct bench_sink {
    FILE *file;
    enum bench_format format;
    bool quick;
    int rows, subject; /* printed so far; the last subject or -1 */
    const struct bench_machine *machine;
};
void bench_print_head(struct bench_sink *s);
void bench_print_row(struct bench_sink *s, const struct bench_result *r);
void bench_print_foot(struct bench_sink *s);
void bench_row_json(FILE *f, const struct bench_result *r);
void bench_row_csv(const struct bench_sink *s, const struct bench_result *r);
void bench_row_sql(const struct bench_sink *s, const struct bench_result *r);
void bench_machine_json(FILE *f, const struct bench_machine *m, bool quick);

/* ------------------------------------------------------------------ timing */

double bench_now(void); /* ns */
double bench_cpu(void); /* ns of all threads of this process */

/* Fill all of r but case, isa and threads.  NULL, or what is wrong with the
 * results; a case that cannot be set up is not wrong. */
const char *bench_measure(struct bench_result *r, bool quick);

/* What bounds a case on that instruction set: products of bfloat16 are dot
   products where it has them. */
enum bench_roof bench_bound(const struct bench_case *c, const char *isa);

/*
 * The fastest of about 'budget' ns with the threads of now: GB/s or GFLOP/s.
 * A sample takes about a millisecond, so that waking threads does not count.
 */
double bench_roof(enum bench_roof roof, size_t bytes, double budget);
void bench_roof_release(void);

/* ---------------------------------------------------------------- operands */

/* Fail for want of memory, in the words of a row that cannot be set up. */
locant_status bench_no_memory(void);

/* Dense, zero, to be released; false when there is no memory. */
bool bench_tensor(locant_tensor *out, locant_dtype dtype, int rank,
                  const int64_t *shape);

enum { BENCH_PARAMS = 16 };

/* An encoding with the parameters it begins training with. */
struct bench_encoding {
    locant_encoding *e;
    locant_tensor values[BENCH_PARAMS], gradients[BENCH_PARAMS];
    const locant_tensor *params; /* values; NULL: it has none */
    locant_tensor *dparams;      /* gradients; NULL: it has none */
};

/* A length the spec leaves out becomes 'length'. */
locant_status bench_encoding_open(struct bench_encoding *out, const char *spec,
                                  int64_t length, const locant_sizes *sizes);
void bench_encoding_close(struct bench_encoding *encoding);

/* A copy of t, dense, in F64. */
bool bench_as_double(locant_tensor *out, const locant_tensor *t);
/* Largest distance of dense t from F64; INFINITY for want of memory. */
double bench_distance(const locant_tensor *t, const locant_tensor *want);
/* Unit roundoff of a storage type. */
double bench_roundoff(locant_dtype dtype);
int64_t bench_elements(const locant_tensor *t);

/* first, first + 1, .. as I64 [n]. */
bool bench_count(locant_tensor *out, int64_t first, int64_t n);
/*
 * n normal numbers that 'dtype' (F32, F16, BF16) holds exactly, and the same
 * ones in 'wide'; either may be NULL.
 */
void bench_fill(void *data, locant_dtype dtype, float *wide, size_t n,
                uint64_t seed);
/* wide = data */
void bench_widen(float *wide, const void *data, locant_dtype dtype, size_t n);

/* --------------------------------------------------------------- attention */

enum { BENCH_Q, BENCH_K, BENCH_V, BENCH_DOUT, BENCH_INPUTS };

/* An attention problem with its outputs; 'status' is of the last run. */
struct bench_attention {
    struct bench_case c;
    struct bench_encoding encoding;
    locant_tensor input[BENCH_INPUTS], wide[BENCH_INPUTS]; /* wide: in F32 */
    locant_tensor out, lse, dq, dk, dv, x, docs;
    locant_attention problem;
    void *workspace;
    size_t workspace_bytes;
    locant_status status;
};
/* NULL when it cannot; gradients have memory only if wanted. */
struct bench_attention *bench_attention_open(const struct bench_case *c,
                                             bool gradients);
void bench_attention_close(struct bench_attention *a);
void bench_attention_forward(void *attention);
void bench_attention_backward(void *attention);

/* --------------------------------------------------------------------- run */

/* 0, 1 (a result was wrong), 2 (no such case) or 3 (the output failed). */
int bench_run(const struct bench_options *o, FILE *out);
/* The same for these cases. */
int bench_run_cases(const struct bench_options *o, FILE *out,
                    const struct bench_case *cases, int n);
#endif
