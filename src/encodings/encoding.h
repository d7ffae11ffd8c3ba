/*
 * encoding.h - what one positional encoding tells the rest of locant.
 *
 * An encoding is one file defining one 'const struct lct_encoding', and one row
 * of encodings.def.  Registry, specs, public API, attention, models, pictures,
 * tests and the command ask this struct and name no encoding.
 */
#ifndef LCT_ENCODING_H
#define LCT_ENCODING_H
#include "../core/tensor.h"
#include "locant/encoding.h"
#include <stdbool.h>

struct lct_schedule; /* angle/schedule.h */

enum { LCT_MAX_KEYS = 12, LCT_MAX_PARAMS = 4 };

enum lct_key_kind { LCT_NUMBER, LCT_INTEGER, LCT_WORD, LCT_SWITCH, LCT_SPEC };

struct lct_encoding;

/* One key of a spec.  Ends with a NULL name. */
struct lct_key {
    const char *name;
    enum lct_key_kind kind;
    double def;               /* NAN: derived from the sizes of the call */
    double min, max;          /* inclusive; numbers and integers */
    const char *const *words; /* LCT_WORD: the choices, ended by NULL; the
                                 value is the index */
    const struct lct_encoding *const *family; /* LCT_SPEC: the choices, ended
                                 by NULL; the value is the index */
    const char *doc;
    bool min_open;            /* 'min' itself is not allowed */
};

enum lct_init { LCT_INIT_ZERO, LCT_INIT_NORMAL, LCT_INIT_UNIFORM };

/*
 * One learned parameter.  Ends with a NULL name.  Each size is named: "heads",
 * "dim" (model width), or a key of the spec.
 */
struct lct_param {
    const char *name;
    const char *dims[2]; /* outermost first; NULL past the rank */
    enum lct_init init;
    double a, b;         /* NORMAL: mean, deviation; UNIFORM: from, to */
    double rate;         /* see locant_param_info; 0 stands for 1 */
    const char *doc;
};

/* What the functions of the score door get. */
struct lct_score {
    const locant_encoding *e;
    int64_t heads;
    const double *param[LCT_MAX_PARAMS]; /* dense, in double */
};

struct lct_encoding {
    locant_encoding_info info;
    const struct lct_key *keys;     /* NULL: none */
    const struct lct_param *params; /* NULL: none */

    /* What the ranges of single keys cannot say.  NULL: nothing. */
    locant_status (*check)(const locant_encoding *e);

    /*
     * Compute what every call would compute again into e->state, memory of
     * locant_alloc() that is released with the encoding.  NULL: nothing.
     */
    locant_status (*prepare)(locant_encoding *e);

    /* Move one entry of parameter k to the nearest allowed value, or NULL. */
    double (*project)(const locant_encoding *e, int k, double value);

    /*
     * Input door.  One row P[pos] of D channels, in double; positions have
     * passed 'positions'.  'row_backward' adds drow to the dense gradients.
     */
    locant_status (*positions)(const locant_encoding *e, const char *fn,
                               const int64_t *pos, size_t n,
                               const locant_tensor *params);
    void (*row)(double *out, const locant_encoding *e, int64_t pos, int64_t dim,
                const locant_tensor *params);
    void (*row_backward)(locant_tensor *dparams, const locant_encoding *e,
                         const double *drow, int64_t pos, int64_t dim);

    /*
     * Frequencies for rows of head_dim channels (rotate door), or of the width
     * (input door: 'row' finds them by lct_schedule_of(), which then cannot
     * fail).
     */
    locant_status (*schedule)(struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim);

    /*
     * Score door: out[j] = b(head, q_pos, k_pos[j]).  With the trait RELATIVE
     * only q_pos - k_pos[j] matters, and callers may evaluate one distance
     * once.  'bias_backward' adds sum_j dout[j] * db/dparam to the dense
     * dparam[k], in double.
     */
    void (*bias)(double *out, const struct lct_score *s, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n);
    void (*bias_backward)(double *const *dparam, const struct lct_score *s,
                          int64_t head, int64_t q_pos, const int64_t *k_pos,
                          const double *dout, size_t n);
};

/* All encodings, ended by NULL. */
extern const struct lct_encoding *const lct_encodings[];

struct locant_encoding {
    const struct lct_encoding *row;
    double value[LCT_MAX_KEYS];             /* in the order of row->keys */
    locant_encoding *nested[LCT_MAX_KEYS];  /* values of kind LCT_SPEC */
    char *spec;                             /* canonical */
    void *state;                            /* of row->prepare */
    _Atomic(struct lct_schedule *) schedules; /* made so far, a list */
};

/* Value of a key that exists. */
double lct_value(const locant_encoding *e, const char *key);

/* Distance q_pos - k_pos without overflow, clamped to the int64 range. */
static inline int64_t lct_distance(int64_t q_pos, int64_t k_pos)
{
    int64_t d;

    if (__builtin_sub_overflow(q_pos, k_pos, &d))
        return q_pos > k_pos ? INT64_MAX : -INT64_MAX;
    return d == INT64_MIN ? -INT64_MAX : d;
}

/*
 * The schedule for heads of head_dim channels, made once and kept with 'e'.
 * 'fn' names the public function in sentences.
 */
locant_status lct_schedule_of(const struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim);

/* ------------------------------------------------ specs, not yet understood */

enum { LCT_SPEC_DEPTH = 8, LCT_SPEC_BYTES = 4096 };

/*
 * Make an encoding from spec text, looking its name up in 'family'.
 * On failure *out is NULL.
 */
locant_status lct_spec_parse(locant_encoding **out, const char *fn,
                             const char *text,
                             const struct lct_encoding *const *family);

/*
 * Write the canonical form; returns bytes needed, as snprintf() does.  Nested
 * encodings must have their own 'spec'.
 */
size_t lct_spec_print(char *out, size_t size, const locant_encoding *e);

/*
 * Free a half-made or whole encoding: nested ones and texts.  Its schedules
 * must be gone.  NULL is allowed.
 */
void lct_encoding_release(locant_encoding *e);
#endif
