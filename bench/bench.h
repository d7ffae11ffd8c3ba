/*
 * bench.h - one table of cases, one runner.
 *
 * A family is one line of the table: a kind of work and its lists of sizes.  A
 * case is one family at one size.  A row is one case measured on one
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
    int n; /* how many values; 0: not given */
    int64_t at[BENCH_RANGE];
};

/* Returns NULL, or an error message: what the text should be. */
const char *bench_range_parse(struct bench_range *out, const char *text);

/* -------------------------------------------------------------- statistics */

struct bench_summary {
    double min, median;
    double spread; /* interquartile range / median */
};

/* Also sorts the n values. */
struct bench_summary bench_summarise(double *x, int n);

/* The exponent p of y ~ x^p by least squares of logarithms; two x differ. */
double bench_exponent(const double *x, const double *y, int n);

/* ------------------------------------------------------------------- cases */

/* The peak speed of the machine that a case is compared with. */
enum bench_peak {
    PEAK_NONE,
    PEAK_STREAM, /* reading and writing memory in place */
    PEAK_READ,   /* reading memory */
    PEAK_FMA,    /* multiply-adds (FMA) in registers */
    PEAK_DOT     /* bfloat16 dot products, if the CPU has them */
};

/* clang-format off */
enum bench_subject {
    SUBJECT_ANGLES, SUBJECT_ROTATE, SUBJECT_INPUT, SUBJECT_FORWARD,
    SUBJECT_BACKWARD, SUBJECT_STORAGE, SUBJECT_DECODE, SUBJECT_CACHES,
    SUBJECT_MASKS, SUBJECT_PARTS,
    SUBJECT_CONTENT, SUBJECT_KERNELS, SUBJECT_TRAIN, SUBJECT_MEMORY,
    SUBJECT_MODELS, SUBJECTS
};
/* clang-format on */

/* A subject is one table of the output. */
struct bench_title {
    const char *key, *title, *goal;
    const char *baseline; /* title of the column of_baseline, or NULL */
};
extern const struct bench_title bench_titles[SUBJECTS];

enum { MASK_FULL = 1, MASK_CAUSAL = 2 };

/* A dense bias [1, 1 or heads, queries, tokens]; backward has its gradient. */
enum bench_dense { DENSE_NONE, DENSE_SHARED, DENSE_BY_HEAD };

/* The sizes of a checkpoint: a decoder with SwiGLU and tied embeddings. */
struct bench_shape {
    const char *model_type; /* "llama"; "qwen2" has biases of q, k, v */
    int64_t layers, width, heads, kv_heads, dim, ff, vocab;
    bool biases;
};

struct bench_work;
struct bench_kernels;

/*
 * Sizes are ranges as on the command line; lists of words are split at blanks.
 * With --quick, 'quick' replaces 'tokens'; without it the family is left out.
 */
struct bench_family {
    enum bench_subject subject;
    const char *name;
    const struct bench_work *work;
    const char *specs; /* encodings; -e replaces them unless 'fixed' */
    bool fixed;
    const char *dtypes; /* NULL: f32 */
    const char *tokens, *quick;
    bool longer; /* more sizes of the line above; left out with -n */
    const char *dims;
    int64_t heads, kv_heads;   /* 0: as many as heads */
    int64_t queries;           /* 0: as many as tokens */
    unsigned masks;            /* 0: MASK_FULL */
    int64_t window, documents; /* for counting the work; 0: none */
    enum bench_dense dense;
    bool keys_rotated;  /* the cache holds rotated keys */
    int64_t block;      /* rows of a block of a paged cache; 0: none */
    int64_t pool;       /* tokens that its pool has room for */
    int64_t values;     /* channels of a value; 0: as many as of a key;
                                  left out with -d */
    bool of_keys;       /* values are the first channels of keys */
    bool keeps;         /* decoding keeps a state */
    bool parts;         /* keys are taken in parts, with carried state */
    bool packed;        /* documents are packed sequences */
    locant_quant quant; /* of the cache */
    int64_t layers;     /* of the model to train; left out with -d */
    int64_t step;       /* tokens of a training step; 0: one sequence */
    bool grows;         /* the last row notes how time grows */
    const struct bench_shape *shape; /* of the checkpoint; left out with -d */
};

struct bench_case {
    const struct bench_family *family;
    const struct bench_work *work;
    char spec[128]; /* encoding */
    locant_dtype dtype;
    int64_t batch, heads, kv_heads, queries, tokens, dim, layers;
    int64_t values; /* channels of a value; 0: dim */
    int64_t window, documents, block, pool;
    enum bench_dense dense;
    locant_quant quant;
    bool keeps, parts, packed, causal;
    const struct bench_kernels *of;    /* of a kernel's case: its struct */
    const struct bench_kernel *kernel; /* and its row */
    char name[384];
};

struct bench_result;

/*
 * One kind of work.  'setup' allocates; it returns NULL on failure, with the
 * reason in locant_last_error().  'check' returns NULL if the results are
 * right, else what is wrong.
 */
struct bench_work {
    const char *unit; /* "GB/s", "GFLOP/s", "ns/.." */
    enum bench_peak peak;
    bool every_isa; /* measured on each instruction set, else on the best */
    bool plain_c;   /* does not use our kernels */
    bool one_thread;
    unsigned doors; /* an encoding must use one of these */
    void *(*setup)(const struct bench_case *c);
    const char *(*check)(void *state);
    void (*run)(void *state);
    void (*teardown)(void *state);
    /* work of one call: pairs, bytes or flops */
    double (*amount)(const struct bench_case *c);
    /* Sets the case to compare with, sample by sample; its work may differ.
       False: there is none. */
    bool (*baseline)(struct bench_case *other, const struct bench_case *c);
    /* Used instead of the functions above, if not NULL: fills in the result;
       returns NULL, or what is wrong. */
    const char *(*measure)(struct bench_result *r, bool quick);
};

extern const struct bench_work work_angle, work_angle_libm, work_rotate,
    work_rotate_qk, work_rotate_elsewhere, work_rotate_naive, work_rerotate,
    work_input, work_forward, work_backward, work_decode, work_paged,
    work_pieces, work_pieces_backward, work_quant, work_append,
    work_quant_rerotate, work_train, work_memory, work_prompt, work_tokens,
    work_model_memory, work_open;

/*
 * Floating-point operations of training a case's model, per token: three times
 * those of the forward pass.  A forward pass takes two for each weight of a
 * matrix, and two for each layer, channel and token of the sequence, because a
 * causal query sees half of the tokens, once for scores and once for values.
 */
double bench_train_flops(const struct bench_case *c);

/* Floating-point operations of a prompt of a checkpoint, without its logits:
   two for each weight of a matrix and token, and attention as in
   bench_train_flops(). */
double bench_model_flops(const struct bench_shape *s, int64_t tokens);

/*
 * The folder of a checkpoint of random weights, in F32 or BF16; NULL: it cannot
 * be written.  It lives until another is asked for, or bench_checkpoint_release
 * is called.
 */
const char *bench_checkpoint(const struct bench_shape *shape,
                             locant_dtype dtype, bool sparse);
void bench_checkpoint_release(void);

/* Line i of the table; NULL past the end. */
const struct bench_family *bench_family_at(int i);

/* ----------------------------------------------------------------- kernels */

/* A row for one function of a struct of kernels. */
struct bench_kernel {
    const char *name;
    size_t member; /* offset in the struct */
    const struct bench_work *work;
    double amount;    /* per call: numbers, flops, or bytes read and written */
    double tolerance; /* relative, against the base kernel; 0: exact */
    /* 'table' points to the struct of an instruction set */
    void (*call)(const void *table, void *operands);
};

/* work_moves counts bytes, work_each counts numbers. */
extern const struct bench_work work_each, work_flops, work_dots, work_moves;

/* The functions of one struct, and their operands. */
struct bench_kernels {
    const char *name;  /* "lct_kernels" */
    size_t size;       /* of the struct, whose first member is its name */
    size_t untimed[2]; /* offsets of members that are not timed; 0: none */
    const struct bench_kernel *rows; /* the last has no name */
    size_t bytes;                    /* of the operands */
    size_t floats; /* that begin them and have a tolerance; the rest has none */
    void (*fill)(void *operands);
    const void *base;           /* the struct of base kernels */
    const void *(*table)(void); /* the one of the current instruction set */
};

extern const struct bench_kernels bench_kernels;
/* Without liblocant_lab it has no rows. */
extern const struct bench_kernels bench_nn;

/* ----------------------------------------------------------------- options */

enum bench_format {
    FORMAT_MARKDOWN,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_SQL,
    FORMAT_LINES
};

/* Options as the user typed them; NULL: not given. */
struct bench_request {
    const char *tokens, *dims, *threads, *spec, *only, *isa, *append;
    int format; /* enum bench_format */
    bool quick, list;
};

enum { BENCH_ISAS = 8 };

struct bench_isas {
    int n; /* 0: not given */
    const char *at[BENCH_ISAS];
};

struct bench_options {
    struct bench_range tokens, dims, threads;
    struct bench_isas isas;
    char spec[128]; /* canonical: without blanks; "": not given */
    const char *only, *append;
    enum bench_format format;
    bool quick, list;
};

/* False on error: 'why' then names the option, its value and what is
   allowed. */
bool bench_options_read(struct bench_options *out,
                        const struct bench_request *typed, char *why,
                        size_t size);

/* Expands the table into *out, which the caller frees.  Returns the number of
   cases, or -1 if there is no memory. */
int bench_cases(struct bench_case **out, const struct bench_options *o);

/* ----------------------------------------------------------------- results */

/* Results of one row; times are per call. */
struct bench_result {
    const struct bench_case *c;
    const char *isa;
    int threads, samples;
    double min_ns, median_ns, spread;
    double speed;              /* by the median, in the unit of the work */
    double peak;               /* in the unit of the work; 0: none */
    double of_peak;            /* speed of the fastest call / peak */
    double of_peak_median;     /* speed / peak */
    double of_baseline;        /* ratio of fastest speeds; 0: no baseline */
    double of_baseline_median; /* ratio of the medians */
    double cpus;               /* CPU time / wall time, the least of all rounds;
                                0: not known */
    char note[512];
    bool cannot; /* not measured; the note says why */
};

/* The machine and the build, for the head of the output. */
struct bench_machine {
    char cpu[128], date[32];
    const char *isa, *commit, *compiler, *flags, *version;
    int threads;
    double stream, read; /* GB/s */
    double fma, bf16;    /* GFLOP/s; 0: no such instruction */
};
/* Fill in m; measures the peaks. */
void bench_machine_ask(struct bench_machine *m);

/* A destination of rows. */
struct bench_sink {
    FILE *file;
    enum bench_format format;
    bool quick;
    int rows;    /* printed so far */
    int subject; /* of the last row; -1: none yet */
    const struct bench_machine *machine;
};
void bench_print_head(struct bench_sink *s);
void bench_print_row(struct bench_sink *s, const struct bench_result *r);
void bench_print_foot(struct bench_sink *s);
void bench_row_json(FILE *f, const struct bench_result *r);
/* r NULL: the names of the columns, or the table. */
void bench_row_csv(const struct bench_sink *s, const struct bench_result *r);
void bench_row_sql(const struct bench_sink *s, const struct bench_result *r);
/* The object stays open, so that rows can follow. */
void bench_machine_json(FILE *f, const struct bench_machine *m, bool quick);

/* ------------------------------------------------------------------ timing */

double bench_clock_wall(void); /* ns */
double bench_clock_cpu(void);  /* ns of all threads of this process */

/* Measure the row of r's case, isa and threads.  Returns NULL, or what is wrong
   with the results.  A case that cannot be set up is not wrong. */
const char *bench_measure(struct bench_result *r, bool quick);
/* Append to the note of a row, after "; ". */
void bench_note(struct bench_result *r, const char *format, ...)
    LOCANT_PRINTF(2, 3);
/* Append a note if threads waited for each other or for other processes. */
void bench_note_idle(struct bench_result *r);
/* Set 'cannot' for the reason 'why'; returns NULL, because nothing is wrong. */
const char *bench_cannot(struct bench_result *r, const char *why);

/* The peak that limits a case on an instruction set.  For bfloat16 attention
   that is dot products, if the set has them. */
enum bench_peak bench_bound(const struct bench_case *c, const char *isa);

/* The fastest speed in about 'budget' ns, on 'bytes' of memory or in registers,
   with locant_threads() threads, in GB/s or GFLOP/s; 0: there is none. */
double bench_peak_speed(enum bench_peak peak, size_t bytes, double budget);
void bench_peak_release(void);

/* What a child process says of its memory. */
struct bench_memory {
    double extra, operands, workspace; /* bytes */
    double ns;
    char why[256]; /* why it cannot be measured, or "" */
};

/*
 * Run 'body' in a child process.  It sets operands and workspace, and 'why' if
 * it fails; 'extra' then is its largest resident set less that at its start,
 * and less the operands.  Returns NULL, or what is wrong.
 */
const char *bench_memory_ask(struct bench_memory *answer,
                             void (*body)(struct bench_memory *answer,
                                          const void *context),
                             const void *context);

/* ---------------------------------------------------------------- operands */

/* Fails with NOMEM. */
locant_status bench_no_memory(void);

/* Memory set to zero; NULL, with the error NOMEM, if there is none. */
void *bench_alloc(size_t bytes);

/* Make a dense tensor of zeros, for the caller to release; false: no memory. */
bool bench_tensor(locant_tensor *out, locant_dtype dtype, int rank,
                  const int64_t *shape);

void bench_release(locant_tensor *t, int n);

enum { BENCH_PARAMS = 16 };

/* An encoding with its initial parameters. */
struct bench_encoding {
    locant_encoding *e;
    locant_tensor values[BENCH_PARAMS], gradients[BENCH_PARAMS];
    const locant_tensor *params; /* values; NULL: it has none */
    locant_tensor *dparams;      /* gradients; NULL: it has none */
};

/* A length that the spec leaves out becomes 'length'. */
locant_status bench_encoding_open(struct bench_encoding *out, const char *spec,
                                  int64_t length, const locant_sizes *sizes);
void bench_encoding_close(struct bench_encoding *encoding);

/* Make a dense copy of t in F64, which the caller releases. */
bool bench_as_double(locant_tensor *out, const locant_tensor *t);
/* Largest difference of dense t from 'want' (F64); INFINITY without memory. */
double bench_distance(const locant_tensor *t, const locant_tensor *want);
/* Unit roundoff of a storage type. */
double bench_roundoff(locant_dtype dtype);
int64_t bench_elements(const locant_tensor *t);
/* Elements of the queries, or of the input, of a case. */
size_t bench_case_elements(const struct bench_case *c);

/* Make the tensor first, first + 1, .. as I64 [n]. */
bool bench_count(locant_tensor *out, int64_t first, int64_t n);
/*
 * Write n normal numbers that 'dtype' (F32, F16, BF16) represents exactly to
 * 'data', and the same in F32 to 'wide'.  Either may be NULL.
 */
void bench_fill(void *data, locant_dtype dtype, float *wide, size_t n,
                uint64_t seed);
/* Convert data to F32. */
void bench_widen(float *wide, const void *data, locant_dtype dtype, size_t n);

/* --------------------------------------------------------------- attention */

/* clang-format off */
enum bench_operand {
    BENCH_Q, BENCH_K, BENCH_V, BENCH_DOUT, BENCH_INPUTS,
    BENCH_OUT = BENCH_INPUTS, BENCH_LSE, BENCH_DQ, BENCH_DK, BENCH_DV,
    BENCH_DBIAS, BENCH_BIAS, BENCH_X, BENCH_OPERANDS
};
/* clang-format on */

/* An attention problem with its outputs. */
struct bench_attention {
    struct bench_case c;
    struct bench_encoding encoding;
    locant_tensor t[BENCH_OPERANDS];  /* those not needed have no data */
    locant_tensor wide[BENCH_INPUTS]; /* the same in F32 */
    locant_tensor docs, values, cuts; /* cuts: lengths of packed sequences */
    locant_tensor blocks, length;     /* of a paged cache */
    locant_tensor state;              /* of decoding, or carried */
    locant_attention problem;
    void *workspace;
    size_t workspace_bytes;
    locant_status status; /* of the last call */
};
/* Channels of a value. */
static inline int64_t bench_values(const struct bench_case *c)
{
    return c->values > 0 ? c->values : c->dim;
}

/* The values among the operands t of a case. */
locant_tensor bench_attention_values(const struct bench_case *c,
                                     const locant_tensor t[BENCH_INPUTS]);

/* NULL on failure.  'gradients': allocate them, too. */
struct bench_attention *bench_attention_open(const struct bench_case *c,
                                             bool gradients);
void bench_attention_close(struct bench_attention *a);
void bench_attention_forward(void *attention);
void bench_attention_backward(void *attention);

/* --------------------------------------------------------------------- run */

/* Returns 0, 1 (a result was wrong), 2 (no such case) or 3 (no memory, or
   output failed). */
int bench_run(const struct bench_options *o, FILE *out);
/* The same for the given cases. */
int bench_run_cases(const struct bench_options *o, FILE *out,
                    const struct bench_case *cases, int n);
#endif
