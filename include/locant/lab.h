/*
 * lab.h - train small Transformers that differ in nothing but their positional
 * encoding, and compare them honestly.
 *
 * A run = (model, encoding, data, seed).  Runs live in one SQLite store; their
 * checkpoints are safetensors files beside it.  A run that was stopped or
 * killed continues from its last checkpoint to the same bits.
 */
#ifndef LOCANT_LAB_H
#define LOCANT_LAB_H

#include "core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ corpus */

typedef struct locant_corpus locant_corpus;

typedef enum locant_corpus_kind {
    LOCANT_CORPUS_HEADERS   = 0, /* the C headers of this machine */
    LOCANT_CORPUS_FILES     = 1, /* 'paths': files, and folders walked */
    LOCANT_CORPUS_GENERATED = 2  /* built-in seeded generator of C-like text */
} locant_corpus_kind;

/*
 * What a store keeps of a text that a run in it is trained on.  A kept text is
 * what later runs, evaluations and reports read, however the files it came from
 * change.  That of the generator is made again instead.
 */
typedef enum locant_keep {
    LOCANT_KEEP_DEFAULT = 0, /* of HEADERS the text, of FILES their paths */
    LOCANT_KEEP_TEXT    = 1, /* also of FILES, after a progress notice */
    LOCANT_KEEP_HASH    = 2  /* its SHA-256 alone */
} locant_keep;

typedef struct locant_corpus_options {
    size_t             struct_size;
    locant_corpus_kind kind;
    const char *const *paths;   /* FILES */
    size_t             n_paths;
    uint64_t           seed;    /* of the order, and of the generator */
    size_t             max_bytes; /* at most 256 MiB; 0: 16 MiB, or 4 MiB of
                                     GENERATED */
    locant_keep        keep;
} locant_corpus_options;

#define LOCANT_CORPUS_INIT { .struct_size = sizeof(locant_corpus_options) }

typedef struct locant_corpus_info {
    locant_corpus_kind kind;
    char   sha256[65];  /* of the concatenated text, hexadecimal */
    size_t files, bytes;
    size_t train_bytes, valid_bytes, test_bytes;
    size_t unreadable;          /* folders and files left out: they may not
                                   be read */
    char unreadable_path[88];   /* the end of the first; printable ASCII */
} locant_corpus_info;

/*
 * Read, clean (duplicates by content, 64 KiB per file found by walking, leading
 * comment of a header) and split a corpus 90/5/5 by the hash of its
 * folder; FILES in too few folders are split by file, and too few files by
 * cutting their text.  Text under 1 MiB (64 KiB for FILES and GENERATED) is
 * refused.  Walking skips what is not text, names that start with a dot, links
 * to folders, and what may not be read: the info counts the last.
 * Errors: NULL, PARAM, IO, FORMAT (too little text), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_corpus_create(locant_corpus **out, const locant_corpus_options *options);
LOCANT_API void locant_corpus_free(locant_corpus *corpus);
LOCANT_API const locant_corpus_info *
locant_corpus_info_of(const locant_corpus *corpus);

/* ------------------------------------------------------------------- store */

typedef struct locant_store locant_store;

/*
 * Open or create the store in 'directory': directory/runs.db and
 * directory/checkpoints/.  Any number of processes may have it open.
 * Errors: NULL, IO, FORMAT (not ours, newer), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_open(locant_store **out, const char *directory);
/* Open an existing store for reading only. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_open_readonly(locant_store **out, const char *directory);
LOCANT_API void locant_store_close(locant_store *store);

/*
 * Instruction sets round sums differently, so a run whose sittings used two of
 * them has the bits of neither.  Each sitting is recorded with the one it used
 * (locant_isa()), and locant_train() refuses to go on under another, as when a
 * store has moved to another machine.  With 'allowed' it goes on all the same;
 * 0, the default: it refuses.
 */
LOCANT_API void locant_store_any_isa(locant_store *store, int allowed);

typedef struct locant_run_info {
    int64_t id;
    char    status[16];   /* "running", "interrupted", "done", "failed" */
    char    encoding[256];
    char    model[128];   /* "layers=3,width=64,heads=4,kv_heads=4,ff=256,.." */
    char    corpus_sha256[65];
    uint64_t seed;
    int64_t step, steps, batch, length;
    int64_t parameters, encoding_parameters;
    double  train_loss;     /* of the last recorded step, nats per byte */
    double  seconds;        /* of training, all sittings */
    double  tokens_per_second;
    char    started[32];    /* UTC, ISO 8601 */
    int64_t parent;         /* run whose parameters it began with; 0: none */
    char    source[32];     /* "text", or the name of a task */
    char    message[512];   /* why it failed or went back; "": nothing */
    double  gradient_norm;  /* of the last recorded step, before clipping */
    double  encoding_gradient_norm; /* of the encoding's parameters; NAN: it has
                               none, or an older locant trained the run */
    char    build[512];     /* "locant .., avx2, gcc .., -O3 ..": what its last
                               sitting computed with; "": not known */
} locant_run_info;

/*
 * Called per run, in order of id; nonzero stops.  A store may be a stranger's:
 * every value is in the range of the option that sets it, or FORMAT names the
 * store, the run and the value.
 */
typedef int (*locant_run_visitor)(const locant_run_info *run, void *context);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_runs(locant_store *store, locant_run_visitor visit, void *context);

/* One run by id.  Errors: NULL, PARAM (no such run), IO, FORMAT. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_run(locant_run_info *out, locant_store *store, int64_t id);

/* Remove a run, its metrics, evaluations and checkpoint. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_remove(locant_store *store, int64_t id);

/*
 * Run one read-only SQL statement; 'row' gets the names of n columns, the
 * values as text, and a letter for the kind of each: i integer, r real, t text,
 * n NULL, whose value is NULL.  Reals have as many digits as it takes to read
 * them back to the bit.  Errors: NULL, PARAM (not a query, or SQL error).
 */
typedef int (*locant_sql_visitor)(int n, const char *const *names,
                                  const char *const *values, const char *kinds,
                                  void *context);
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_sql(locant_store *store, const char *query, locant_sql_visitor row,
                 void *context);

/* ---------------------------------------------------------------- progress */

typedef struct locant_progress {
    const char *phase;       /* "train", "evaluate", "report" */
    const char *encoding;    /* spec, or NULL */
    uint64_t    seed;
    int64_t     step, steps; /* of this run */
    double      loss;        /* NAN if none */
    double      rate;        /* tokens per second of this run */
    int64_t     done, total; /* of the whole job, in tokens; a report counts
                                trained ones thrice, as they cost that */
    double      elapsed, left; /* seconds; left is NAN until it can be told */
    const char *notice;      /* a sentence the user should read, or NULL */
} locant_progress;

/*
 * Called from worker threads, one at a time, at most ten times a second and
 * run.  A nonzero answer asks to stop: the step in progress ends, a checkpoint
 * is written, and the call returns LOCANT_ERR_INTERRUPTED.
 */
typedef int (*locant_progress_fn)(const locant_progress *progress,
                                  void *context);

/* ------------------------------------------------------------------- train */

struct locant_source; /* rows of a task: locant_task_options() sets it */

typedef struct locant_train_options {
    size_t  struct_size;
    const char *encoding;     /* spec */
    uint64_t seed;
    int64_t layers, width, heads, kv_heads, ff; /* kv_heads 0: heads */
    int     rms_norm;         /* 0: layer norm */
    int64_t batch, length, steps;
    double  learning_rate;    /* peak */
    int64_t checkpoint_every; /* steps; 0: 100 */
    locant_progress_fn progress;
    void   *context;
    int64_t memory;           /* tokens each layer remembers; see below */
    const struct locant_source *source; /* the lab's own batches; NULL: text */
    int64_t parent;           /* run to go on from with other data; 0: none */
    int     constant_rate;    /* 1: learning_rate at every step, neither warm-up
                                 nor decay: for a short fine-tune */
} locant_train_options;

/* The quick preset's model: 3 layers, width 64, 4 heads, ff 256, 16 x 128. */
#define LOCANT_TRAIN_INIT                                                     \
    { .struct_size = sizeof(locant_train_options), .encoding = "none",        \
      .seed = 1, .layers = 3, .width = 64, .heads = 4, .ff = 256,             \
      .batch = 16, .length = 128, .steps = 600, .learning_rate = 3e-3 }

/*
 * With memory (segment recurrence, arXiv:1901.02860v3) each row of a batch goes
 * through the text from its own place on, a segment of 'length' tokens a step,
 * and attends to the 'memory' tokens before the segment too.  At the end of the
 * text a row goes on at its beginning.  Evaluation reads every window in
 * segments of the trained length, carrying memory from one to the next, and the
 * validation text from its beginning on as one row.  An encoding that adds
 * positions to the input is refused: those of memory and segment would collide.
 */

/*
 * With a parent, which must be done, the run begins with the parent's
 * parameters instead of drawn ones and is of its sizes: layers to rms_norm say
 * nothing.  Its encoding may be another one with the same parameters, as those
 * of a rope with another scaling.  Optimiser and steps begin anew.
 */

/*
 * Train one run, or continue it if the store has it unfinished, or return at
 * once if it is done.  The run's identity is everything but progress and
 * checkpoint_every.  Checkpoints hold parameters, optimiser state, memory and
 * step.  With a source, 'corpus' may be NULL.
 * A checkpoint that is damaged gives way to the one before it, and the run's
 * message and a notice say so.
 * '*run' is also written when a run that exists could not be finished.  A loss
 * that is not finite marks the run "failed", keeps the last finite checkpoint,
 * and is PARAM.
 * Errors: NULL, PARAM (also another instruction set than the last sitting's,
 * see locant_store_any_isa()), SHAPE, IO, FORMAT (a damaged checkpoint), NOMEM,
 * INTERRUPTED, UNSUPPORTED (another process is training this run).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_train(int64_t *run, locant_store *store, const locant_corpus *corpus,
             const locant_train_options *options);

/*
 * Would locant_train() take these?  Nothing is written, and no store needed; of
 * a run with a parent only what the parent does not decide is judged.
 * Errors: those of locant_train() about its arguments, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_train_check(const locant_corpus *corpus,
                   const locant_train_options *options);

/*
 * The text a run was trained on: as the store keeps it, else read again from
 * where it came, which the store knows.
 * Errors: NULL, PARAM (no such run), UNSUPPORTED (not recorded), FORMAT (the
 * text has changed since; what is kept is damaged), and those of
 * locant_corpus_create().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_corpus(locant_corpus **out, locant_store *store, int64_t run);

/*
 * The C headers that a run of this store was trained on last, as it keeps them:
 * what the next run is to be compared with.  *out is NULL where it keeps none.
 * Errors: NULL, IO, FORMAT (damaged), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_headers(locant_corpus **out, locant_store *store);

/*
 * The kept text whose SHA-256 begins so.
 * Errors: NULL, PARAM (none, or several), IO, FORMAT (damaged), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_kept_text(locant_corpus **out, locant_store *store,
                       const char *sha256);

/*
 * Continue a run with the options it was begun with, which the store knows.
 * 'corpus' may be NULL for a run of a task.
 * Errors: PARAM (no such run), UNSUPPORTED (not recorded), FORMAT (another
 * text), and those of locant_train().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resume(locant_store *store, int64_t run, const locant_corpus *corpus,
              locant_progress_fn progress, void *context);

/* ---------------------------------------------------------------- evaluate */

enum { LOCANT_EVAL_LENGTHS = 5, LOCANT_EVAL_BUCKETS = 64 };

/*
 * Losses in nats per byte; NAN where the encoding is undefined (a learned table
 * beyond its length).
 */
typedef struct locant_evaluation {
    int64_t length[LOCANT_EVAL_LENGTHS];    /* 128, 256, 512, 1024, 2048 */
    double  same_targets[LOCANT_EVAL_LENGTHS]; /* P1: last 64 bytes scored */
    double  by_position[LOCANT_EVAL_BUCKETS];  /* P2: at 2048, 32 wide */
    double  own_window;                     /* P4: window 128, stride 16 */
    double  valid;                     /* validation at the trained length */
    double  shuffled;      /* P1 at 128, plus the mean rise of 8 targets a block
                              when all but the last 8 bytes are shuffled */
    double  causality;     /* largest |P2 - forward at 128| over positions
                              below 128; half its length for a shorter table.
                              Where positions depend on the length: largest
                              change that another second half of the window of
                              128 makes to the losses of the first */
    int64_t blocks;        /* targets = 64 x blocks */
    double  tokens_per_second; /* forward at 2048 */
    double  non_overlapping[LOCANT_EVAL_LENGTHS]; /* P3: all targets of the last
                              2048 bytes, cut into windows of each length; early
                              bytes of a window, which know little, count too */
} locant_evaluation;

/*
 * Evaluate a finished run on 'blocks' blocks of the test split (0: 96) by
 * protocols P1 to P4, record it in the store, and write *out.  Recorded
 * before with the same corpus and blocks: read back.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_evaluate(locant_evaluation *out, locant_store *store, int64_t run,
                const locant_corpus *corpus, int64_t blocks);

/* What stands for the rows that a learned table does not have. */
enum locant_eval_policy {
    LOCANT_POLICY_NONE     = 0, /* nothing: undefined */
    LOCANT_POLICY_CLAMP    = 1, /* the last row */
    LOCANT_POLICY_WRAP     = 2, /* the rows from the first on, again */
    LOCANT_POLICY_RESAMPLE = 3  /* a window longer than the table: its rows
                                   drawn out over the window, linearly, first
                                   and last where they were */
};
/* "none", "clamp", "wrap", "resample"; NULL past the end. */
LOCANT_API const char *locant_eval_policy_name(enum locant_eval_policy policy);

typedef struct locant_eval_options {
    size_t      struct_size;
    int64_t     blocks;      /* 0: 96 */
    const char *encoding;    /* spec; NULL: the trained one */
    enum locant_eval_policy policy;
    const int64_t *lengths;  /* rising, 64 .. 2048; NULL: 128, 256, .. 2048 */
    size_t      n_lengths;   /* at most LOCANT_EVAL_LENGTHS */
} locant_eval_options;

#define LOCANT_EVAL_INIT { .struct_size = sizeof(locant_eval_options) }

/*
 * Evaluate a finished run under another encoding, or beyond the end of its
 * table: P1 at the lengths, in that order, and P2 where the last of them is
 * 2048, of the targets of locant_evaluate(); the rest of *out is NAN.  Nothing
 * is trained: tensors go to the parameters of the same name and part, those of
 * t5 to those of temperature(kind=logn)+t5.  Lengths a spec leaves out are the
 * trained one.  Recorded in the store under spec, policy and lengths; recorded
 * before: read back.
 * Errors: as locant_evaluate(), PARAM (options, a parameter without partner, a
 * policy for what has no end), UNSUPPORTED (a table that cannot be longer).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_evaluate_as(locant_evaluation *out, locant_store *store, int64_t run,
                   const locant_corpus *corpus,
                   const locant_eval_options *options);

/* ------------------------------------------------------------------ report */

typedef enum locant_preset {
    LOCANT_PRESET_SMOKE = 0, /* a minute; proves the path, not the science */
    LOCANT_PRESET_QUICK = 1, /* 8 encodings x 2 seeds x 600 steps */
    LOCANT_PRESET_HOUR  = 2,
    LOCANT_PRESET_FULL  = 3,
    /* sinusoidal, rope, alibi x 3 seeds; judged at twice the trained length */
    LOCANT_PRESET_HOMEWORK = 4
} locant_preset;

/* Long jobs that a report can do besides, each with a section of its own. */
enum {
    LOCANT_WITH_EXTENSION = 1, /* reading beyond the trained length with RoPE:
                                  PI, NTK, YaRN, ReRoPE, Self-Extend, .. */
    LOCANT_WITH_TASKS = 2,     /* models of the report's encodings trained on
                                  tasks and scored */
    LOCANT_WITH_SURFACE = 4    /* loss by (trained length, length read) */
};

typedef struct locant_report_options {
    size_t        struct_size;
    locant_preset preset;
    const char *const *encodings; /* specs; NULL: the preset's */
    size_t        n_encodings;
    int           seeds;          /* 0: the preset's */
    const char   *directory;      /* of the store */
    const char   *path;           /* of the page; "locant-report.html" */
    const char   *commit;         /* provenance; NULL: the library version */
    locant_progress_fn progress;
    void         *context;
    unsigned      with;           /* LOCANT_WITH_..; 0: none */
    const char   *tasks;          /* "T1,T12": those of LOCANT_WITH_TASKS; NULL:
                                     the preset's */
    int           minutes;        /* limit: seeds are left out, down to two,
                                     until a forecast made at the beginning is
                                     below it; 0: the preset's, none if 'seeds'
                                     is given */
    int           any_isa;        /* 1: locant_store_any_isa() */
} locant_report_options;

#define LOCANT_REPORT_INIT                                             \
    { .struct_size = sizeof(locant_report_options),                    \
      .preset = LOCANT_PRESET_QUICK, .directory = "locant-lab",        \
      .path = "locant-report.html" }

/* One line of the table, also for --json. */
typedef struct locant_report_row {
    char    encoding[256];
    int     seeds;
    int64_t length[LOCANT_EVAL_LENGTHS];
    double  loss[LOCANT_EVAL_LENGTHS];      /* mean over seeds, nats per byte */
    double  half_width[LOCANT_EVAL_LENGTHS]; /* 95 % t interval over seeds; NAN
                                                for one seed */
    double  gain;                           /* G(2048) = P4 - P1(2048) */
    int64_t parameters, encoding_parameters;
    double  train_tokens_per_second, eval_tokens_per_second;
    double  seconds;
    int64_t bytes;              /* memory of the model in training */
} locant_report_row;

enum { LOCANT_GATE_VALUES = 6 };

/*
 * One gate: a check that must hold before the page may be believed.  g7 holds
 * when every claim of the page passes its corrected test, and has nothing to
 * judge where none is made.  'text' names the form of the sentence, so that it
 * can be said in another language with the same values and specs; the forms are
 * in src/lab/gate_text.c.
 */
typedef struct locant_report_gate {
    char   name[8];      /* "g1" .. "g7" */
    int    passed;
    int    not_applicable; /* nothing for it to judge: 'passed' is 1 */
    char   sentence[768]; /* in English */
    char   text[16];      /* "g2.best" */
    double value[LOCANT_GATE_VALUES];
    char   spec[2][256];
} locant_report_gate;

typedef struct locant_report {
    locant_report_row *rows;
    size_t             n_rows;
    locant_report_gate gates[7];
    locant_corpus_info corpus;
    double             seconds;
    char              *json; /* every number of the page: docs/NUMBERS.md */
} locant_report;

/*
 * The main job: train what is missing, evaluate, judge the gates, write the
 * page.  *out (may be NULL) is to be freed with locant_report_free().
 * Errors: as the functions above.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_report_run(locant_report *out, const locant_corpus *corpus,
                  const locant_report_options *options);
LOCANT_API void locant_report_free(locant_report *report);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_LAB_H */
