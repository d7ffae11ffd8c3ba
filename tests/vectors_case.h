/* vectors_case.h - the cases of golden vectors as the library computes them */
#ifndef VECTORS_CASE_H
#define VECTORS_CASE_H
#include "testing.h"

#include "kernel/row.h"
#include "oracle/rope.h"
#include "vectors/vector_bias.h"
#include "vectors/vector_cases.h"
#include "vectors/vector_inputs.h"
#include <math.h>
#include <string.h>

enum { VECTORS_MOST = 4 * 601 }; /* entries of a case */

/* What an implementation may do otherwise. */
struct vectors_slip {
    const char *spec; /* NULL: that of the group */
    int64_t offset;   /* of positions */
    int inverse;      /* rotate backwards */
    double factor;    /* on results; 0: 1 */
};

struct vectors_library {
    locant_encoding *e;
    const struct lct_vector_group *g;
    const struct vectors_slip *slip;
    locant_dtype dtype;
    int64_t at[601];
    locant_tensor positions, keys;
    int64_t key_at[601];
};

static inline locant_tensor
vectors_positions(const struct vectors_library *l,
                  const struct lct_vector_positions *p, int64_t *room)
{
    const int64_t shape[2] = { p->n, p->axes };

    for (int64_t i = 0; i < p->n; i++)
        room[i] = lct_vector_groups_position(p, i) + l->slip->offset;
    return p->coords != NULL ? locant_dense((void *)(uintptr_t)p->coords,
                                            LOCANT_F64, 2, shape)
                             : locant_dense(room, LOCANT_I64, 1, shape);
}

/* A tensor of the case's type that holds these numbers; 'memory' has room. */
static inline locant_tensor vectors_tensor(void *memory, locant_dtype dtype,
                                           const double *x, int rank,
                                           const int64_t *shape)
{
    float single[VECTORS_MOST];
    size_t n = 1;

    for (int i = 0; i < rank; i++)
        n *= (size_t)shape[i];
    for (size_t i = 0; i < n; i++)
        single[i] = (float)x[i];
    if (dtype == LOCANT_F64)
        memcpy(memory, x, n * sizeof *x);
    else
        lct_row_from_f32(memory, dtype, single, n);
    return locant_dense(memory, dtype, rank, shape);
}

/* Rows of an input after rotation by the library, in its type. */
static inline locant_tensor vectors_rotated(struct vectors_library *l,
                                            enum lct_vector_input input,
                                            void *memory)
{
    const int64_t shape[2] = { l->g->queries->n, LCT_VECTOR_DIM };
    int key = input == LCT_VECTOR_K ? LOCANT_ROTATE_KEY : 0;
    double x[16 * LCT_VECTOR_DIM], room[16 * LCT_VECTOR_DIM];
    locant_tensor in, t;

    for (int64_t i = 0; i < shape[0] * shape[1]; i++)
        x[i] = lct_vector_inputs_at(input, i);
    in = vectors_tensor(room, l->dtype, x, 2, shape);
    t = locant_dense(memory, l->dtype, 2, shape);
    if ((input == LCT_VECTOR_DOUT) != l->slip->inverse)
        CHECK_OK(locant_encoding_rotate_backward(&t, NULL, &in, &in, l->e,
                                                 &l->positions, NULL, key));
    else
        CHECK_OK(
            locant_encoding_rotate(&t, &in, l->e, &l->positions, NULL, key));
    return t;
}

static inline void vectors_scores(double *out, struct vectors_library *l)
{
    double memory[2][16 * LCT_VECTOR_DIM];
    int64_t n = l->g->queries->n;
    locant_dtype dtype = l->dtype;
    locant_tensor q, k;

    /* Rotated in float32, as kernels keep what they compute. */
    l->dtype = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    q = vectors_rotated(l, LCT_VECTOR_Q, memory[0]);
    k = vectors_rotated(l, LCT_VECTOR_K, memory[1]);
    l->dtype = dtype;
    for (int64_t i = 0; i < n * n; i++) {
        out[i] = 0;
        for (int d = 0; d < LCT_VECTOR_DIM; d++) {
            size_t a = (size_t)(i / n * LCT_VECTOR_DIM + d);
            size_t b = (size_t)(i % n * LCT_VECTOR_DIM + d);

            out[i] += q.dtype == LOCANT_F64
                          ? ((double *)q.data)[a] * ((double *)k.data)[b]
                          : (double)((float *)q.data)[a] *
                                (double)((float *)k.data)[b];
        }
        out[i] *= oracle_rope_score(l->g->spec) / sqrt(LCT_VECTOR_DIM);
    }
}

/* Rows (1, 0) of every pair become (cosine, sine). */
static inline void vectors_angles(double *out, struct vectors_library *l,
                                  int sines)
{
    const int64_t n = l->g->queries->n, pairs = l->g->rotated / 2;
    const int64_t shape[2] = { n, 2 * pairs };
    double x[16 * LCT_VECTOR_DIM] = { 0 }, memory[16 * LCT_VECTOR_DIM];
    locant_tensor t;

    for (int64_t i = 0; i < n * pairs; i++)
        x[i / pairs * 2 * pairs + i % pairs] = 1;
    t = vectors_tensor(memory, l->dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32,
                       x, 2, shape);
    CHECK_OK(locant_encoding_rotate(&t, &t, l->e, &l->positions, NULL, 0));
    for (int64_t i = 0; i < n * pairs; i++) {
        int64_t at = i / pairs * 2 * pairs + i % pairs + (sines ? pairs : 0);

        out[i] = t.dtype == LOCANT_F64 ? ((double *)t.data)[at]
                                       : (double)((float *)t.data)[at];
    }
}

static inline void vectors_bias(double *out, struct vectors_library *l,
                                enum lct_vector_kind kind, int numbers)
{
    const struct lct_vector_group *g = l->g;
    const int64_t H = numbers ? 1 : g->heads;
    const int64_t shape[3] = { H, g->queries->n, g->keys->n };
    const int64_t rows[2] = { lct_vector_bias_buckets(g), H };
    double table[64 * 4];
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape);
    locant_tensor param = locant_dense(table, LOCANT_F64, 2, rows);

    for (int64_t i = 0; kind == LCT_VECTOR_BUCKETS && i < rows[0] * H; i++)
        table[i] = numbers ? (double)i
                           : lct_vector_inputs_at(LCT_VECTOR_BUCKET_TABLE, i);
    CHECK_OK(locant_encoding_bias(&to, l->e, &l->positions, &l->keys,
                                  kind == LCT_VECTOR_BUCKETS ? &param : NULL));
}

static inline void vectors_slopes(double *out, struct vectors_library *l)
{
    const int64_t one = 1, shape[3] = { l->g->heads, 1, 1 };
    int64_t positions[2] = { 1, 0 };
    locant_tensor q = locant_dense(positions, LOCANT_I64, 1, &one);
    locant_tensor k = locant_dense(positions + 1, LOCANT_I64, 1, &one);
    locant_tensor to = locant_dense(out, LOCANT_F64, 3, shape);

    CHECK_OK(locant_encoding_bias(&to, l->e, &q, &k, NULL));
    for (int64_t h = 0; h < l->g->heads; h++)
        out[h] = -out[h];
}

static inline void vectors_dtable(double *out, struct vectors_library *l)
{
    const struct lct_vector_group *g = l->g;
    const int64_t shape[3] = { g->heads, g->queries->n, g->keys->n };
    const int64_t rows[2] = { lct_vector_bias_buckets(g), g->heads };
    double dout[VECTORS_MOST], table[64 * 4] = { 0 };
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, rows);
    locant_tensor from = locant_dense(dout, LOCANT_F64, 3, shape);
    locant_tensor param = locant_dense(table, LOCANT_F64, 2, rows);

    memset(out, 0, (size_t)(rows[0] * rows[1]) * sizeof *out);
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; i++)
        dout[i] = lct_vector_inputs_at(LCT_VECTOR_DBIAS, i);
    CHECK_OK(locant_encoding_bias_backward(&to, &from, l->e, &l->positions,
                                           &l->keys, &param));
}

static inline void vectors_table(double *out, struct vectors_library *l)
{
    const int64_t shape[2] = { l->g->queries->n, LCT_VECTOR_DIM };
    locant_tensor to = locant_dense(out, LOCANT_F64, 2, shape);

    CHECK_OK(locant_encoding_table(&to, l->e, &l->positions, NULL));
}

/* Write the numbers of a quantity; or, of rotated rows, the tensor itself in
   its type, and return 1. */
static inline int vectors_numbers(double *x, locant_tensor *out, void *memory,
                                  struct vectors_library *l, const char *name)
{
    const enum lct_vector_kind kind = l->g->kind;

    if (kind == LCT_VECTOR_ANGLES)
        vectors_angles(x, l, name[0] == 's');
    else if (strcmp(name, "scores") == 0)
        vectors_scores(x, l);
    else if (strcmp(name, "slopes") == 0)
        vectors_slopes(x, l);
    else if (strcmp(name, "dtable") == 0)
        vectors_dtable(x, l);
    else if (strcmp(name, "table") == 0)
        vectors_table(x, l);
    else if (kind == LCT_VECTOR_BIAS || kind == LCT_VECTOR_BUCKETS)
        vectors_bias(x, l, kind, strcmp(name, "buckets") == 0);
    else {
        *out = vectors_rotated(l,
                               name[0] == 'q'   ? LCT_VECTOR_Q
                               : name[0] == 'k' ? LCT_VECTOR_K
                                                : LCT_VECTOR_DOUT,
                               memory);
        return 1;
    }
    return 0;
}

/*
 * The tensor of a case in memory of at least VECTORS_MOST doubles; 0 if the
 * library has no function for it: frequencies and temperatures by themselves.
 */
static inline int vectors_compute(locant_tensor *out, void *memory,
                                  const struct lct_vector_cases *cases,
                                  const struct lct_vector_case *c,
                                  const struct vectors_slip *slip)
{
    const struct lct_vector_group *g = &cases->groups[c->group];
    const char *name = lct_vector_quantities_of(g->kind)[c->quantity].name;
    struct vectors_library l = { .g = g, .slip = slip, .dtype = c->dtype };
    struct lct_vector_values shape;
    double x[VECTORS_MOST];
    int direct;

    if (strcmp(name, "frequencies") == 0 || strcmp(name, "factor") == 0)
        return 0;
    CHECK_OK(locant_encoding_create(&l.e, slip->spec ? slip->spec : g->spec));
    lct_vector_values_shape(&shape, g, c->quantity);
    l.positions = vectors_positions(&l, g->queries, l.at);
    l.keys = vectors_positions(&l, g->keys, l.key_at);
    direct = vectors_numbers(x, out, memory, &l, name);
    for (size_t i = 0; slip->factor != 0 && i < shape.n; i++)
        x[i] *= slip->factor;
    if (!direct)
        *out = vectors_tensor(memory,
                              c->dtype == LOCANT_I64 ? LOCANT_F32 : c->dtype, x,
                              shape.rank, shape.shape);
    locant_encoding_free(l.e);
    return 1;
}
#endif
