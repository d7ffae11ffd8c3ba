/*
 * lab.h - train small Transformers that differ only in their positional
 * encoding, and compare them with statistical tests.
 *
 * A run is one (model, encoding, data, seed).  Runs are stored in one SQLite
 * store; their checkpoints are safetensors files beside it.  A run that was
 * stopped or killed continues from its last checkpoint to the same bits.
 */
#ifndef LOCANT_LAB_H
#define LOCANT_LAB_H

#include "core.h"
#include "group.h"

LOCANT_BEGIN_DECLS

/* ------------------------------------------------------------------ corpus */

typedef struct locant_corpus locant_corpus;

typedef enum locant_corpus_kind {
    LOCANT_CORPUS_HEADERS   = 0, /* the C headers of this machine */
    LOCANT_CORPUS_FILES     = 1, /* 'paths': files, and folders walked */
    LOCANT_CORPUS_GENERATED = 2  /* built-in seeded generator of C-like text */
} locant_corpus_kind;

/*
 * What a store keeps of the text that a run is trained on.  Later runs,
 * evaluations and reports read a kept text, even if the files it came from have
 * changed.  The text of the generator is never kept but generated again.
 */
typedef enum locant_keep {
    LOCANT_KEEP_DEFAULT = 0, /* HEADERS: the text; FILES: their paths */
    LOCANT_KEEP_TEXT    = 1, /* the text, of FILES after a progress notice */
    LOCANT_KEEP_HASH    = 2  /* only its SHA-256 */
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
    size_t unreadable;          /* folders and files that may not be read */
    char unreadable_path[88];   /* the end of the first path; printable ASCII */
} locant_corpus_info;

/*
 * Read, clean and split a corpus.
 *
 * Cleaning removes duplicate files and the leading comment of a header, and
 * cuts each file found by walking at 64 KiB.  The split is 90/5/5 by the hash
 * of a file's folder; with too few folders by file, with too few files by
 * position in the text.  At least 1 MiB of text is required, 64 KiB for FILES
 * and GENERATED.  Walking skips what is not text, names that start with a dot,
 * links to folders, and what may not be read.
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
 * Errors: NULL, IO, FORMAT (another database, or a newer locant's), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_open(locant_store **out, const char *directory);
/*
 * The same on a disk that several machines share: only this process may have
 * the store open, and SQLite then needs no memory that processes share.
 * Errors: as locant_store_open(), UNSUPPORTED (another process has it: its
 * number and host are named).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_open_alone(locant_store **out, const char *directory);
/* Open an existing store for reading only. */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_open_readonly(locant_store **out, const char *directory);
LOCANT_API void locant_store_close(locant_store *store);

/*
 * Allow (1) or refuse (0, the default) to continue a run on another instruction
 * set.  A run is trained in one or more sessions, and each is recorded with its
 * instruction set (locant_isa()).  Instruction sets round sums differently, so
 * a run that used two of them has the bits of neither.
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
    double  seconds;        /* of training, all sessions */
    double  tokens_per_second;
    char    started[32];    /* UTC, ISO 8601 */
    int64_t parent;         /* run whose parameters it began with; 0: none */
    char    source[32];     /* "text", or the name of a task */
    char    message[512];   /* why it failed or used an older checkpoint; or
                               "" */
    double  gradient_norm;  /* of the last recorded step, before clipping */
    double  encoding_gradient_norm; /* of the encoding's parameters; NAN: it has
                               none, or an older locant trained the run */
    char    optimizer[8];   /* "adamw", "muon" */
    char    build[512];     /* "locant .., avx2, gcc .., -O3 ..": of its last
                               session; "": not known */
    char    batch_checksum[17]; /* FNV-1a of its batches so far, hexadecimal */
} locant_run_info;

/*
 * Called per run, in order of id; nonzero stops.  Stores are not trusted: a
 * value outside the range of the option that sets it is FORMAT, and the message
 * names store, run and value.
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

/* What locant_store_merge() did with the runs of the source. */
typedef struct locant_store_merged {
    int64_t added;     /* new to the destination */
    int64_t continued; /* further in the source: taken over */
    int64_t kept;      /* as far in the destination, or further */
} locant_store_merged;

/*
 * Add every run of 'source', which may be open for reading only, to 'dest',
 * with its checkpoint, evaluations, scores and probes, and every kept text.
 * Runs are matched by what determines their bits.  Of two, the one that is done
 * stays, else the one of the greater step; two that are done must be equal.  A
 * second merge changes nothing, and merges in any order give the same runs.
 * After a failure or a kill the next merge does the rest.
 *
 * out  written unless NULL
 * Errors: NULL, PARAM (one store twice), IO, FORMAT (runs that are done and
 * differ, both named; values no run has; an older schema), UNSUPPORTED (a run
 * to be continued is being trained), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_merge(locant_store_merged *out, locant_store *dest,
                   locant_store *source);

/*
 * Run one read-only SQL statement.  'row' is called for each row of the result
 * with the names of the n columns, the values as text, and a letter for the
 * type of each: i integer, r real, t text, n NULL, whose value is NULL.  Reals
 * have enough digits to be read back to the same bits.  Nonzero stops.
 * Errors: NULL, PARAM (not a query, or SQL error).
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
    int64_t     done, total; /* work of the whole job, in tokens; a token of
                                training counts as three, its cost */
    double      elapsed, left; /* seconds; left is NAN until it is known */
    const char *notice;      /* a message for the user, or NULL */
} locant_progress;

/*
 * Called from worker threads, one call at a time, at most ten times a second
 * per run.  Returning nonzero stops: the current step ends, a checkpoint is
 * written, and the function returns LOCANT_ERR_INTERRUPTED.
 */
typedef int (*locant_progress_fn)(const locant_progress *progress,
                                  void *context);

/* ------------------------------------------------------------------- train */

struct locant_source; /* rows of a task: locant_task_options() sets it */

typedef enum locant_optimizer {
    LOCANT_ADAMW = 0, /* arXiv:1711.05101v3 */
    LOCANT_MUON  = 1  /* orthogonalised momentum for the matrices of attention
                         and feed-forward (Jordan et al. 2024, "Muon: An
                         optimizer for hidden layers in neural networks";
                         decay as in arXiv:2502.16982v1); AdamW for all else */
} locant_optimizer;
/* "adamw", "muon"; NULL past the end. */
LOCANT_API const char *locant_optimizer_name(locant_optimizer optimizer);

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
    int64_t parent;           /* run whose parameters it begins with; 0: none */
    int     constant_rate;    /* 1: learning_rate at every step, neither warm-up
                                 nor decay: for a short fine-tune */
    locant_optimizer optimizer;
    double  muon_rate;        /* peak rate of Muon's matrices; read with
                                 LOCANT_MUON, whose other parameters have
                                 learning_rate */
    int     vocabulary;       /* 0: a token is a byte; 257 .. 4096: that many
                                 tokens of a byte-pair vocabulary; see below */
    int64_t leaves;           /* parts of a batch whose gradients are added by
                                 a tree: a power of two up to 256 that divides
                                 the batch, or that the batch divides; 0: one
                                 chain of sums; see below */
    const locant_group *group; /* processes that train this run together; NULL:
                                 this one; see below */
    int64_t gather_limit;     /* most bytes of the keys and values of a row that
                                 has several leaves, held at once; 0: 2 GiB */
} locant_train_options;

/* The quick preset's model: 3 layers, width 64, 4 heads, ff 256, 16 x 128. */
#define LOCANT_TRAIN_INIT                                                     \
    { .struct_size = sizeof(locant_train_options), .encoding = "none",        \
      .seed = 1, .layers = 3, .width = 64, .heads = 4, .ff = 256,             \
      .batch = 16, .length = 128, .steps = 600, .learning_rate = 3e-3,        \
      .muon_rate = 0.02 }

/*
 * memory > 0 is segment recurrence (arXiv:1901.02860v3): each row of a batch
 * reads the text in order from its own start, one segment of 'length' tokens
 * per step, and also attends to the 'memory' tokens before the segment.  At the
 * end of the text a row continues at the beginning.  Evaluation reads every
 * window in segments of the trained length and carries memory from one to the
 * next; it reads the validation text as one row from the beginning.  An
 * encoding of the input door is PARAM: positions of memory and segment would
 * collide.
 *
 * vocabulary > 0 trains byte-pair merges (arXiv:1508.07909v5) on the training
 * part of the text until there are that many tokens.  Lengths then count such
 * tokens; losses stay in nats per byte: the sum over tokens, divided by the
 * bytes that they stand for.  The merges are kept with the run.
 *
 * leaves > 0 divides a batch into so many leaves of consecutive rows.  The
 * gradient of a leaf is that of its rows alone, summed from zero and divided by
 * the scored tokens of the whole batch.  Their sum is the full binary tree, in
 * float32 and element by element,
 *
 *     S(a, 1) = leaf a;   S(a, 2s) = S(a, s) + S(a + s, s);   S(0, leaves)
 *
 * which processes can share out to the same bits.  leaves = 0 is one chain of
 * sums over all rows, with other bits.
 *
 * leaves = n batch divides each row into n leaves of tokens, so that processes
 * can share out one long row.  Leaf j of a row is chunk j / 2 of its n equal
 * chunks if j is even, else chunk n - 1 - (j - 1) / 2: two leaves that the tree
 * adds first have as much of causal attention as any other two.  The length is
 * a multiple of 64 n, and memory is 0.  The queries of a leaf attend to all
 * keys of the row, which each process gathers in every layer, forward and again
 * backward: 4 length (2 kv_heads width / heads) bytes, and 4 length width more
 * for an encoding that reads the input of attention.  Of a row with more than
 * gather_limit bytes those of one leaf at a time are gathered, and the state of
 * queries is carried (locant_attention_part), to the same bits: for leaves of a
 * multiple of 1024 tokens, and encodings with neither content nor parameters in
 * attention; others are refused.  In each layer gradients of keys and values
 * are summed over the queries of a leaf from zero, then over the leaves of the
 * row by the tree.  Heads of such a run are not probed while it trains.
 *
 * With a group every rank calls locant_train() with the same options and the
 * same text, which the first exchange compares.  Each passes its share of the
 * leaves of a batch, so there are at most as many ranks as leaves; leaves = 0
 * is then the largest power of two up to 16 that divides the batch.  The run
 * has the bits of one process with as many leaves, for any number of ranks, and
 * a run that was begun with one number of them continues with another.  Rank 0
 * alone has the store; others pass NULL.  A failure of one rank ends the call
 * on all, with one message.  If 'progress' of one asks to stop, all stop after
 * the next step.
 *
 * parent > 0 names a run that is done.  The new run begins with the parent's
 * parameters instead of drawn ones, and has its sizes and vocabulary: the
 * members layers to rms_norm and vocabulary are not read.  The encodings may
 * differ if their parameters are the same, for instance ropes with different
 * scalings.  Optimiser and step count start anew.  Of a group rank 0 reads the
 * parent in its store.
 */

/*
 * Train one run, or continue it if the store has it unfinished, or return at
 * once if it is done.  All options but progress, context and checkpoint_every,
 * and muon_rate without Muon, identify the run.  Checkpoints hold parameters,
 * optimiser state, memory and step.  With a source, 'corpus' may be NULL.
 *
 * If a checkpoint is damaged, the one before it is used; the run's message and
 * a notice say so.  '*run' is also written if a run that exists could not be
 * finished.  A loss that is not finite marks the run "failed", keeps the last
 * finite checkpoint, and is PARAM.
 * Errors: NULL, PARAM (also an instruction set other than that of the last
 * session, see locant_store_any_isa()), SHAPE, IO, FORMAT (a damaged
 * checkpoint), NOMEM, INTERRUPTED, UNSUPPORTED (another process is training
 * this run).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_train(int64_t *run, locant_store *store, const locant_corpus *corpus,
             const locant_train_options *options);

/*
 * Check the arguments of locant_train() without a store; nothing is written.
 * For a run with a parent, what the parent decides is not checked.
 * Errors: those of locant_train() about its arguments, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_train_check(const locant_corpus *corpus,
                   const locant_train_options *options);

/*
 * The text a run was trained on: the kept text, else read again from the
 * recorded paths.
 * Errors: NULL, PARAM (no such run), UNSUPPORTED (not recorded), FORMAT (the
 * text has changed since; the kept text is damaged), and those of
 * locant_corpus_create().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_corpus(locant_corpus **out, locant_store *store, int64_t run);

/*
 * The kept text of C headers that a run of this store was trained on last: the
 * next run should use it, to be comparable.  *out is NULL if there is none.
 * Errors: NULL, IO, FORMAT (damaged), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_headers(locant_corpus **out, locant_store *store);

/*
 * The kept text whose SHA-256, in hexadecimal, begins with 'sha256'.
 * Errors: NULL, PARAM (none, or several), IO, FORMAT (damaged), NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_store_kept_text(locant_corpus **out, locant_store *store,
                       const char *sha256);

/*
 * Continue a run with its recorded options.  'corpus' may be NULL for a run of
 * a task.
 * Errors: PARAM (no such run), UNSUPPORTED (not recorded), FORMAT (another
 * text), and those of locant_train().
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_resume(locant_store *store, int64_t run, const locant_corpus *corpus,
              locant_progress_fn progress, void *context);

LOCANT_END_DECLS
#endif /* LOCANT_LAB_H */
