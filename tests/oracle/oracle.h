/*
 * oracle.h - the judges: every encoding and attention once more, in double or
 * better, one element at a time, from the papers.
 *
 * Nothing here shares code with the library.  A test takes a choice (a spec
 * and what it means), gives the spec to the library and the meaning to the
 * oracle, and compares.  A row of the registry without an oracle fails
 * test_registry.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "../testing.h"

enum { ORACLE_PARAMS = 4 };

/* A spec and the values it stands for; members an encoding has no key for
 * stay 0. */
struct oracle_choice {
    char    spec[160];
    double  base;
    int64_t dim;           /* rotated channels */
    int     interleaved;   /* sinusoidal, rope */
    int64_t length;        /* rows of a learned table */
    int     symmetric;
    int64_t buckets, distance;
    int     bidirectional;
    int     power;
};

struct oracle {
    const char *name;
    unsigned doors;
    unsigned traits;
    int params;

    /* Choice i for D channels (even where it rotates); 0 past the last. */
    int (*choose)(struct oracle_choice *c, int i, int64_t D);

    /* Parameter k: entries, and the range of values that are allowed. */
    int64_t (*param_size)(const struct oracle_choice *c, int k, int64_t heads,
                          int64_t D);
    void (*param_range)(double *low, double *high,
                        const struct oracle_choice *c, int k);

    /* Input door: P[pos], channel d of D; and dP/dparam times drow. */
    double (*row)(const struct oracle_choice *c, int64_t pos, int64_t d,
                  int64_t D, const double *const *param);
    void (*row_backward)(double *const *dparam, const struct oracle_choice *c,
                         int64_t pos, const double *drow, int64_t D);

    /* Rotate door: out = R(pos) x, D channels; out and x are distinct. */
    void (*rotate)(double *out, const double *x, const struct oracle_choice *c,
                   int64_t pos, int64_t D);

    /* Score door: b(head, q, k); and db/dparam times dout, added. */
    double (*bias)(const struct oracle_choice *c, int64_t heads, int64_t head,
                   int64_t q, int64_t k, const double *const *param);
    void (*bias_backward)(double *const *dparam, const struct oracle_choice *c,
                          int64_t heads, int64_t head, int64_t q, int64_t k,
                          double dout, const double *const *param);
};

/* All of them, ended by NULL, and the one of that name or NULL. */
extern const struct oracle *const test_oracles[];
const struct oracle *oracle_of(const char *name);

/* Lowest and highest position a choice is defined at, 32-bit range. */
void oracle_positions(int64_t *low, int64_t *high, const struct oracle *o,
                      const struct oracle_choice *c);

/* Parameters drawn at random: what the library gets and what oracles get. */
struct oracle_params {
    int           n;
    size_t        size[ORACLE_PARAMS];
    locant_tensor value[ORACLE_PARAMS]; /* for the library; [0] if n > 0 */
    locant_tensor grad[ORACLE_PARAMS];  /* zero at first */
    double       *x[ORACLE_PARAMS];     /* the same values in double */
    double       *dx[ORACLE_PARAMS];    /* zero at first */
};
void oracle_params_make(struct oracle_params *p, const struct oracle *o,
                        const struct oracle_choice *c, locant_dtype dtype,
                        int64_t heads, int64_t D);
void oracle_params_free(struct oracle_params *p);
/* The array to hand to the library: NULL if there are none. */
const locant_tensor *oracle_params_in(const struct oracle_params *p);

/* Element i of dense F32 or F64 memory. */
double oracle_get(const locant_tensor *t, size_t i);

/* Slope of head h of 'heads' in ALiBi, section 3 and the authors' code. */
double oracle_alibi_slope(int64_t h, int64_t heads);

/* Bucket of T5 for a query at q and a key at k: integers only, exact. */
int64_t oracle_t5_bucket(const struct oracle_choice *c, int64_t q, int64_t k);

/* cos and sin of pos * base^(-2c/dim); absolute error |pos| 2^-61 + 2^-60. */
void oracle_angle(long double *cosine, long double *sine, double base,
                  int64_t c, int64_t dim, int64_t pos);

/* -------------------------------------------------------------- attention */

/* All arrays dense: q [B,H,T,D], k, v [B,G,S,D], q_pos [B,T], k_pos [B,S]. */
struct oracle_attention {
    int64_t B, H, G, T, S, D; /* G key heads */
    const double *q, *k, *v;
    const int64_t *q_pos, *k_pos;
    int causal;
    double scale;
    /* Backward with the absolute value of every term of every sum: what the
     * rounding errors of those sums are measured by. */
    int gross;
    /* NULL: identity; NULL: 0; NULL: no parameters. */
    void (*rotate)(double *out, const double *x, int64_t pos, void *context);
    double (*bias)(int64_t h, int64_t q, int64_t k, void *context);
    void (*bias_backward)(int64_t h, int64_t q, int64_t k, double dout,
                          void *context);
    void *context;
    /* Options; 0 and NULL: none. */
    int64_t window;
    double softcap;
    const double *sinks; /* [H] */
    const int64_t *q_docs, *k_docs; /* [B,T], [B,S] */
};

/*
 * out [B,H,T,D], lse [B,H,T]; *top = largest |score| that is visible, or half
 * of the sum of absolute terms of a score where those cancel: a float32 score
 * is off by 4 * 2^-24 times this at most.  The cap errs by 12 * 2^-24 of what
 * it leaves, so three times that is added.
 */
void oracle_attention_forward(double *out, double *lse, double *top,
                              const struct oracle_attention *a);
/* Writes dq, dk, dv, and dsinks [H] if there are sinks; calls bias_backward
 * once for each visible pair. */
void oracle_attention_backward(double *dq, double *dk, double *dv,
                               double *dsinks, const double *dout,
                               const struct oracle_attention *a);
#endif
