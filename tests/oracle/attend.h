/*
 * attend.h - one attention problem, for the library and for the oracle: random
 * sizes, layouts, positions and encoding; inputs read-only, outputs guarded.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include "attention.h"
#include "dense.h"
#include "draw.h"

enum attend_positions {
    ATTEND_DEFAULT,   /* no arrays: query i at S - T + i */
    ATTEND_OFFSET,    /* one row for all, somewhere between -2^20 and 2^30 */
    ATTEND_PERMUTED,  /* one row each, shuffled */
    ATTEND_PADDED,    /* left padding: pads at 1, tokens from 0 */
    ATTEND_FAR,       /* one row each, near -2^31 or 2^31 */
    ATTEND_SCATTERED, /* one row each, anywhere within 2^17 */
    ATTEND_KINDS
};

/* Options of the call; what they are is random. */
enum {
    ATTEND_WINDOW = 1,
    ATTEND_SOFTCAP = 2,
    ATTEND_SINKS = 4,
    ATTEND_DOCUMENTS = 8, /* two, in pages, and padding */
    ATTEND_BIAS = 16,     /* dense, with a gradient */
    ATTEND_VISIBLE = 32,
    ATTEND_OPTIONS = 64
};

/* Parameters, and the same in double. */
struct attend_params {
    int n;
    size_t size[ORACLE_PARAMS];
    locant_tensor value[ORACLE_PARAMS], grad[ORACLE_PARAMS];
    double *dx[ORACLE_PARAMS]; /* what the oracle's backward adds */
    cx *x[ORACLE_PARAMS];
    cx *moved[ORACLE_PARAMS][2]; /* see attend.c */
};

struct attend {
    const struct oracle *o;
    char spec[ORACLE_SPEC];
    locant_dtype dtype;
    int64_t B, H, G, T, S, D;
    enum attend_positions kind;
    double sharp; /* scores have about this deviation */
    int options;  /* ATTEND_WINDOW .. */

    locant_encoding *e;
    struct drawn drawn;
    struct attend_params p;
    locant_tensor q, k, v, dout; /* views [B,H|G,T|S,D] */
    locant_tensor q_pos, k_pos, q_docs, k_docs, sinks, dsinks;
    struct dense dense;
    locant_tensor out, lse, dq, dk, dv;
    locant_attention a; /* the library's problem */
    locant_attention_gradients g;

    struct oracle_attention oracle; /* the same, in double */
    int64_t *qp, *kp;               /* [B,T], [B,S] */
    int64_t *q_doc, *k_doc;         /* the same, or NULL */
    double *in[5];                  /* q, k, v, dout, sinks; dense */
    double *want_out, *want_lse, *want_dq, *want_dk, *want_dv;
    double *want_dsinks;
    double top; /* largest visible |score| */
};

/* Random sizes from the ugly list, at most 'most' tokens. */
void attend_sizes(struct attend *t, int64_t most);

/* Encodings whose scores are a rotation and a bias by position: number i, or
 * NULL; and their spec i, for t->D channels.  0: there is none. */
const struct oracle *attend_oracle(int i);
int attend_choose(struct attend *t, int i);

/* Fill everything from o, spec, dtype, the sizes, kind, sharp and a.mask. */
void attend_make(struct attend *t, locant_mask mask);
void attend_free(struct attend *t);

/* Run the library, with a workspace of exactly the size asked for that holds
 * NaN. */
void attend_forward(struct attend *t);
void attend_backward(struct attend *t);

/* Run the oracle; gross: absolute terms (see oracle.h). */
void attend_oracle_forward(struct attend *t);
void attend_oracle_backward(struct attend *t, int gross);

/* Dense copy of the bytes of a tensor; free() it. */
void *attend_bytes(const locant_tensor *t, size_t *bytes);
#endif
