/* tables.h - tables filled once per call: positions, angles, biases */
#ifndef LCT_ATTENTION_TABLES_H
#define LCT_ATTENTION_TABLES_H
#include "plan.h"
#include "positions.h"

/* Numbers that inputs of tokens choose, by which heads are rotated
 * (token_angles.h). */
struct lct_token_tables {
    int64_t numbers;   /* of each head and token */
    int64_t *order;    /* [R, S]: as key_order.h says */
    int64_t *own;      /* [R, T]: the key of each query; -1: padding */
    double *frequency; /* [D / 2] */
    int64_t rows;      /* S, or the tokens that a state has room for */
    double *z;         /* [B, H, rows, numbers] */
    double *dz[2];     /* by role: [B, H, T or S, numbers]; backward only */
    double *dx;        /* [S, W]: of one batch row; backward only */
    double *x;         /* [slots, reach, W] */
    double *row;       /* [slots, H, numbers] */
    double *memory;    /* [slots, ..]: of the hooks */
};

/* Sizes grow with T + S, never with T S.  Dimension R is position_rows. */
struct lct_tables {
    /* Parts of the encoding as in the request, with their parameters. */
    struct lct_call call[LCT_MAX_PARTS + 1];
    const struct lct_call *rotate, *score, *content; /* by door; or NULL */
    const struct lct_call *gain, *after, *row;       /* by factor; or NULL */
    double *param_memory;                            /* [params] */

    int64_t *q_pos, *k_pos;      /* [R, T], [R, S]; of padding: the lowest
                                    position of its row */
    double *q_coords, *k_coords; /* [R, T or S, axes], of heads that have their
                                    own [R, H or Hkv, ..]; NULL: not given */
    int64_t *q_docs, *k_docs;    /* [R, T or S]; NULL: not given */
    int64_t *last;               /* [R]: largest position of a key */
    int64_t *q_last;             /* [R, T]: 'last' within each query's document;
                                    NULL: not needed */
    double *tau;                 /* [R, T]: temperatures; NULL: 1 */
    struct lct_extent *q_extent, *k_extent; /* positions of each tile */
    struct lct_extent *q_doc_extent, *k_doc_extent;

    /* Angles of rotation. */
    const struct lct_schedule **q_schedule; /* [R, T]; NULL: the plan's */
    const struct lct_schedule **k_schedule; /* [R, S]; NULL: the plan's */
    struct lct_table angles[2]; /* by role: [R, T or held_keys, pairs], or with
                                    heads as coordinates; in double where q is
                                    F64 */
    /* Positions by which relations of pairs rotate; NULL: none do. */
    int64_t *q_place[LCT_MAX_RELATIONS], *k_place;       /* [R, T or S] */
    struct lct_table relation_angles[LCT_MAX_RELATIONS]; /* of queries; the
                                                   first is that of 'angles' */
    struct lct_token_tables token;
    double *gate[2], *dgate[2]; /* by role: [B, H, T or S] (pair_gates.h);
                                   dgate: backward only */
    int64_t mapped_rows;        /* held_keys, or as token.rows */
    float *k_mapped; /* [B, Hkv, mapped_rows, padded_q]: mapped keys; NULL:
                            keys are not mapped */

    /* Biases by difference (bias_table.h). */
    int64_t *q_key, *k_key;   /* [R, T or S]: a bias has entry
                                 q_key - k_key - bias_first */
    float *bias;              /* [H, bias_range + LCT_PAD] */
    double *bias_heads;       /* [slots, H]; NULL: not needed */
    struct lct_bias_pwl *pwl; /* bias_pwl.h; NULL: 'bias' holds biases */

    /* Factors (factors.h, row_factor.h); NULL: none, or not in a table. */
    float *factor[2];   /* by lct_factor: [H, factor_range + LCT_PAD];
                           [1, ..] if heads are alike */
    double *row_factor; /* [R, H, T] */
    int64_t *row_count; /* [R, 1, T], [R, H, T] with mask hooks: visible keys */
    int64_t *own;       /* [R, T]: the key that gets the rest of stick-breaking,
                           -1: none; NULL: softmax (stick.h) */
    int64_t *row_order; /* [R, S]: keys by position */
};

/* Allocate the tables from 'arena', then fill them. */
void lct_tables_layout(struct lct_tables *tables, const struct lct_plan *p,
                       struct lct_arena *arena);
void lct_tables_fill(struct lct_tables *tables, const struct lct_plan *p);

/* The temperature of query i times its factor in head h. */
static inline double lct_tables_factor(const struct lct_plan *p, int64_t b,
                                       int64_t h, int64_t i)
{
    const struct lct_tables *tables = p->tables;
    int64_t row = lct_plan_row(p, b);

    return (tables->tau == NULL ? 1 : tables->tau[row * p->T + i]) *
           (tables->row_factor == NULL
                ? 1
                : tables->row_factor[(row * p->H + h) * p->T + i]);
}

/* How many heads have coordinates of their own. */
static inline int64_t lct_tables_heads(const struct lct_plan *p, int64_t heads)
{
    return p->request->coords_by_head ? heads : 1;
}

/* The row of batch row b and head h in tables of coordinates or angles. */
static inline int64_t lct_tables_row_of_head(const struct lct_plan *p,
                                             enum lct_role role, int64_t b,
                                             int64_t h)
{
    int64_t row = lct_plan_row(p, b);

    return p->request->coords_by_head
               ? row * (role == LCT_QUERY ? p->H : p->Hkv) + h
               : row;
}

/* The row of token i, of queries or keys, in tables of coordinates. */
static inline int64_t lct_tables_row(const struct lct_plan *p,
                                     enum lct_role role, int64_t b, int64_t h,
                                     int64_t i)
{
    return lct_tables_row_of_head(p, role, b, h) *
               (role == LCT_QUERY ? p->T : p->S) +
           i;
}

/* Angles of queries or keys of head h, from token i of batch row b on. */
static inline struct lct_table
lct_tables_angles(const struct lct_plan *p, const struct lct_table angles[2],
                  enum lct_role role, int64_t b, int64_t h, int64_t i)
{
    bool query = role == LCT_QUERY;
    int64_t row = lct_tables_row_of_head(p, role, b, h);

    row = query ? row * p->T + i : row * p->held_keys + i - p->first_key;
    return lct_table_at(angles[role], (size_t)(row * p->schedule->pairs));
}

/* Angles of queries in a relation, from query i of batch row b on. */
static inline struct lct_table
lct_tables_relation_angles(const struct lct_plan *p, int relation, int64_t b,
                           int64_t i)
{
    return lct_table_at(
        p->tables->relation_angles[relation],
        (size_t)((lct_plan_row(p, b) * p->T + i) * p->schedule->pairs));
}

/* How many relations of pairs there are; 1: no more than one. */
static inline int lct_tables_relations(const struct lct_plan *p)
{
    return p->request->relations == NULL ? 1 : LCT_MAX_RELATIONS;
}
#endif
