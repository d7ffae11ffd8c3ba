/*
 * core.h - what every other header of locant builds on.
 *
 * Conventions, true of every function of every header unless its comment says
 * otherwise:
 *
 *   shapes     outermost first: [batch, heads, tokens, channels].  The text
 *              uses B, H, T, D for those sizes and S for the number of keys.
 *   order      outputs come first, as in memcpy(); then inputs; then options.
 *   aliasing   an output may be the same view as an input only where the
 *              comment says "may alias"; any other overlap is
 *              LOCANT_ERR_ALIAS.
 *   gradients  "writes" overwrites, "adds to" accumulates.
 *   errors     a failing call changes no output and records a message, which
 *              locant_last_error() returns on the same thread.
 *   threads    every function may be called from any thread; the same tensor
 *              must not be written by two threads at once.  Results have the
 *              same bits for any number of threads.
 *   processes  the library prints nothing, reads no environment variable,
 *              installs no handler, and never exits or aborts.
 */
#ifndef LOCANT_CORE_H
#define LOCANT_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#  define LOCANT_BEGIN_DECLS extern "C" {
#  define LOCANT_END_DECLS   }
#else
#  define LOCANT_BEGIN_DECLS
#  define LOCANT_END_DECLS
#endif

LOCANT_BEGIN_DECLS

#define LOCANT_VERSION_MAJOR  0
#define LOCANT_VERSION_MINOR  1
#define LOCANT_VERSION_PATCH  0
#define LOCANT_VERSION_STRING "0.1.0"

#ifndef LOCANT_API
#  if defined(__GNUC__)
#    define LOCANT_API __attribute__((visibility("default")))
#  else
#    define LOCANT_API
#  endif
#endif
#if defined(__GNUC__)
#  define LOCANT_MUST_CHECK __attribute__((warn_unused_result))
#  define LOCANT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#  define LOCANT_MUST_CHECK
#  define LOCANT_PRINTF(fmt, args)
#endif

/* Version of the library that is running, "0.1.0". */
LOCANT_API const char *locant_version(void);

/* ------------------------------------------------------------------ errors */

/* What a call returns.  Values are stable across releases. */
typedef enum locant_status {
    LOCANT_OK              = 0,
    LOCANT_ERR_NULL        = 1, /* a required pointer is NULL */
    LOCANT_ERR_SHAPE       = 2, /* ranks or sizes do not fit together */
    LOCANT_ERR_DTYPE       = 3, /* element type not accepted here */
    LOCANT_ERR_LAYOUT      = 4, /* strides not accepted here */
    LOCANT_ERR_PARAM       = 5, /* a value is outside its documented range */
    LOCANT_ERR_ALIAS       = 6, /* output overlaps an input */
    LOCANT_ERR_UNSUPPORTED = 7, /* valid, but not on this CPU or build */
    LOCANT_ERR_NOMEM       = 8,
    LOCANT_ERR_IO          = 9, /* the operating system refused */
    LOCANT_ERR_FORMAT      = 10, /* a file is malformed */
    LOCANT_ERR_INTERRUPTED = 11  /* stopped by the caller; may be resumed */
} locant_status;

/* Short constant name of a status, e.g. "LOCANT_ERR_SHAPE".  Never NULL. */
LOCANT_API const char *locant_status_name(locant_status status);

/*
 * The message of the last failing call on this thread: function, argument, what
 * was found, what was expected.  Never NULL; "" before any failure.  Successful
 * calls leave it untouched, so test the status, not this string.  Owned by the
 * library; valid until the next failing call on the same thread.
 */
LOCANT_API const char *locant_last_error(void);

/*
 * Record a message for locant_last_error() and return 'status'.  Libraries
 * built on this one (liblocant_lab, bindings) report their errors with it too.
 * A message longer than 511 bytes is cut.
 */
LOCANT_API locant_status
locant_fail(locant_status status, const char *format, ...) LOCANT_PRINTF(2, 3);

/* ----------------------------------------------------------------- tensors */

typedef enum locant_dtype {
    LOCANT_F32  = 0,
    LOCANT_F16  = 1,
    LOCANT_BF16 = 2,
    LOCANT_F64  = 3,
    LOCANT_I32  = 4,
    LOCANT_I64  = 5,
    LOCANT_U8   = 6 /* bytes: masks, where 0 is false, and quantised rows */
} locant_dtype;

/* Bytes of one element; 0 if 'dtype' is none of the above. */
LOCANT_API size_t locant_dtype_size(locant_dtype dtype);

/* "f32", "f16", "bf16", "f64", "i32", "i64", "u8"; "?" for anything else. */
LOCANT_API const char *locant_dtype_name(locant_dtype dtype);

#define LOCANT_MAX_RANK 6

/*
 * A view of memory that the caller owns.  The library never frees, keeps or
 * resizes it.  Of a 'const locant_tensor *' the elements are only read.
 *
 * stride[i] counts elements, not bytes; 0 (broadcast) and negative strides are
 * allowed on inputs.  shape[i] == 0 is legal and makes a call a no-op.
 */
typedef struct locant_tensor {
    void        *data;
    locant_dtype dtype;
    int32_t      rank; /* 0 .. LOCANT_MAX_RANK */
    int64_t      shape[LOCANT_MAX_RANK];
    int64_t      stride[LOCANT_MAX_RANK];
} locant_tensor;

/* View 'data' as a dense row-major tensor.  Cannot fail; checked on use. */
LOCANT_API locant_tensor
locant_dense(void *data, locant_dtype dtype, int rank, const int64_t *shape);

/* ------------------------------------------------------------------ memory */

/* 'alloc' returns NULL on failure; 'release' is never called with NULL. */
typedef struct locant_allocator {
    void *(*alloc)(size_t bytes, void *context);
    void  (*release)(void *memory, void *context);
    void   *context;
} locant_allocator;

/*
 * Use 'allocator' for all memory the libraries allocate from now on; NULL
 * returns to malloc().  Process-wide.  Call it before anything is created: what
 * one allocator gave would otherwise be released by another.
 */
LOCANT_API void locant_set_allocator(const locant_allocator *allocator);

/* Memory from that allocator, aligned to 64 bytes and set to zero, or NULL. */
LOCANT_API void *locant_alloc(size_t bytes);

/* Release it; NULL is allowed. */
LOCANT_API void locant_release(void *memory);

/* ----------------------------------------------------------------- threads */

/*
 * Threads one call may use: 1 .. 1024, or 0 for as many as the process may run
 * on.  Process-wide.  Errors: PARAM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status locant_set_threads(int threads);

/* Threads one call uses now, at least 1. */
LOCANT_API int locant_threads(void);

/* One task.  'slot', below locant_threads(), is unique among running tasks. */
typedef void (*locant_task)(void *context, size_t task, int slot);

/*
 * Run body(context, 0, .) .. body(context, tasks - 1, .), each once, on the
 * library's threads, and return when all are done.  Called from inside a task,
 * it runs the inner tasks one after another, all with slot 0: they must not use
 * the outer task's scratch.  After a fork() the child starts new threads.
 */
LOCANT_API void
locant_parallel_for(size_t tasks, locant_task body, void *context);

/*
 * Let 'run' execute the library's tasks on the caller's threads.  It must
 * behave as locant_parallel_for() and use slots below locant_threads().  NULL
 * returns to the library's own threads.  Call it while no other call runs.
 */
typedef void (*locant_parallel_runner)(size_t tasks, locant_task body,
                                       void *task_context, void *context);
LOCANT_API void
locant_set_parallel_for(locant_parallel_runner run, void *context);

/*
 * Make long calls cancellable.  While locant_attention_forward() or _backward()
 * computes, it calls 'poll' on the thread of its caller about ten times a
 * second, first after 0.1 s.  If 'poll' returns nonzero, that call soon returns
 * LOCANT_ERR_INTERRUPTED and its outputs are undefined.  Process-wide.  NULL
 * ends polling and may be set at any time; set another function only while no
 * other call runs.
 */
typedef int (*locant_poll)(void *context);
LOCANT_API void locant_set_poll(locant_poll poll, void *context);

/* Ask that function now: its value, or 0 if there is none.  For libraries built
   on this one, where they wait for something else than its computations. */
LOCANT_API int locant_ask_poll(void);

/* ---------------------------------------------------------- random numbers */

/*
 * Philox4x32-10: out = the block of four words at 'counter' under 'key'.
 * Counter-based: any block is computed without the ones before it, so a run
 * resumes from one stored number.
 * Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 3.3; constants and test vectors of the Random123 distribution.
 */
LOCANT_API void locant_philox(uint32_t out[4], const uint32_t counter[4],
                              const uint32_t key[2]);

/*
 * A stream of random numbers: words of Philox under key 'seed', counter
 * (index, stream).  Copy it to save it.
 */
typedef struct locant_random {
    uint64_t seed;
    uint64_t stream; /* streams of one seed are independent */
    uint64_t index;  /* of the next 32-bit word */
} locant_random;

LOCANT_API uint32_t locant_random_word(locant_random *r);
/* Uniform in [0, 1), 53 bits; takes two words. */
LOCANT_API double   locant_random_uniform(locant_random *r);
/* Uniform in 0 .. n-1 without bias; n >= 1. */
LOCANT_API uint64_t locant_random_below(locant_random *r, uint64_t n);
/* Normal, mean 0, variance 1 (Box and Muller 1958); takes four words. */
LOCANT_API double   locant_random_normal(locant_random *r);

/* ----------------------------------------------------------------- machine */

/*
 * Use kernels of one instruction set: "base", "avx2", "avx512",
 * "avx512bf16", "neon", or NULL for the best this CPU runs.  Process-wide; for
 * tests and benchmarks.
 * Errors: PARAM (unknown name), UNSUPPORTED (this CPU or build lacks it).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status locant_set_isa(const char *name);

/* Name of the kernels in use. */
LOCANT_API const char *locant_isa(void);

/*
 * The instruction sets of this build, best first; NULL for i past the end.
 * '*available', if not NULL, tells whether this CPU runs them.
 */
LOCANT_API const char *locant_isa_at(int i, int *available);

LOCANT_END_DECLS
#endif /* LOCANT_CORE_H */
