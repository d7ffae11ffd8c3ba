/*
 * problem.h - one attention call, checked and laid out.
 *
 * Everything the kernels need beyond q, k, v is made once per call and kept in
 * the caller's workspace: positions, angle tables, keys that were mapped, and,
 * where the score depends on the difference of positions alone, the bias of
 * each head at each difference.  All of it is O(T + S).
 *
 * Two engines share it: the tiled one (tile.h) for float32, and one row at a
 * time in double (rows.h) for the reference, for F64, and for encodings
 * whose content is not made of products (content.h).
 */
#ifndef LCT_PROBLEM_H
#define LCT_PROBLEM_H
#include "../encodings/lengths.h"
#include "../encodings/params.h"
#include "../encodings/rotate.h"
#include "locant/attention.h"
#include "content.h"

/*
 * Queries and keys of a tile.  Keys are seen in segments of as many tiles: each
 * has a softmax of its own, and they are joined in order, so that one query
 * against a long cache can be shared out by segments and gets the same bits as
 * in a tile of queries.  LCT_DECODE_QUERIES queries or fewer make no tile
 * (decode.c).
 */
enum { LCT_TILE = 64, LCT_SPLIT_TILES = 16, LCT_DECODE_QUERIES = 8,
      LCT_TILES_PER_TASK = 4 };

/* Lowest and highest of some numbers. */
struct lct_extent {
    int64_t low, high;
    bool consecutive; /* each is the one before plus 1 */
};

struct lct_scratch;     /* tile.h */
struct lct_bias_pwl;     /* bias.h */
struct lct_segment;     /* rows.h */
struct lct_row_scratch; /* rows.h */

struct lct_problem {
    const char *fn;
    const struct lct_kernels *kernels;
    locant_tensor q, k, v;
    int64_t B, H, Hkv, T, S, D;
    int64_t W;           /* width of the model */
    bool has_x;          /* its input is given */
    int64_t Dq;          /* channels of q and k as the scores see them: D, or
                            more after a map that widens */
    double scale;
    bool causal;
    int64_t window;      /* 0: none */
    double softcap;      /* 0: none */
    const locant_tensor *sinks; /* NULL: none */
    bool by_rows;        /* by the engine of rows.h */
    bool by_terms;       /* content as products of tiles: content.h */

    /* Tokens: 1 row of positions, or B when they differ by batch row. */
    int64_t position_rows;
    int64_t *q_pos, *k_pos;     /* [position_rows, T], [.., S]; padding sits
                                   where another token of its row does */
    int axes;
    double *q_coords, *k_coords; /* [.., T or S, axes]; NULL: not given */
    bool documents;             /* are there more than one? */
    int64_t *q_docs, *k_docs;   /* [.., T or S] */
    int64_t *last;              /* [position_rows]: largest key position */
    int64_t *q_last;            /* [.., T]: in the document of each query; NULL:
                                   not needed */

    /* Parts of the encoding; NULL: none of this door. */
    struct lct_call call[LCT_MAX_PARTS];
    size_t part_param[LCT_MAX_PARTS]; /* where its parameters begin */
    struct lct_call *rotate, *score, *content;
    size_t params;              /* elements of all of them */
    size_t task_params;         /* elements a task of the tiled engine has of
                                   its own: 'params', or 0 if it needs none */
    double *param_memory;       /* [params] */
    const locant_encoding *heat; /* sets a temperature */
    const locant_encoding *hiding[LCT_MAX_PARTS];
    int hidings;
    double *tau;                /* [position_rows, T]; NULL: 1 */

    /* Rotate door: a schedule and tables, or 'turns', a general map. */
    bool turns;
    const struct lct_schedule *schedule;  /* NULL: no plain rotation */
    struct lct_lengths lengths; /* schedules of documents by their length;
                                   without any, 'schedule' is that of all */
    const struct lct_schedule **q_by, **k_by; /* [position_rows, T or S]: of
                                   each token, or NULL */
    struct lct_table q_table, k_table; /* [position_rows, T or S, pairs]; in
                                   double where q is F64 */
    float *q_cos, *q_sin, *k_cos, *k_sin; /* what they hold where it is not */
    bool one_table;             /* the angles of q are the last of those of k */
    bool turns_keys;            /* by the schedule, as they are loaded */
    bool turns_late;            /* and their angles are not made before */
    bool keys_turned;           /* they came turned */

    /* Both engines: gradients of the parameters, one row for each task. */
    double *dparam;             /* [1 + tasks at a time, params]; row 0: sums */
    int slots;
    size_t bytes;               /* of workspace used */
    locant_tensor workspace;    /* its bytes as a view, for alias checks */

    /* ------------------------------------------------------------- tiled */
    int64_t padded, padded_q;   /* D and Dq rounded up to LCT_PAD: rows */
    int64_t wide, wide_q;       /* and to LCT_EIGHT: columns of products */
    int64_t read;               /* columns that are read of a caller's row */
    int64_t q_tiles, k_tiles;
    bool gathers_dk, gathers_dv; /* gradients of keys and values are summed in
                                    the scratch, and stored once */
    int64_t k_segments;         /* of LCT_SPLIT_TILES tiles */
    bool by_pairs;              /* by dot products of bfloat16: bf16.h */
    bool few;                   /* few queries: forward by decode.c */
    int abreast;                /* tiles of queries that a task may take */
    float *part_out;            /* [B, H, T, k_segments, padded] */
    float *part_rows;           /* [B, H, T, k_segments, 2]: top, sum */
    struct lct_extent *q_extent, *k_extent; /* positions of each tile */
    struct lct_extent *q_doc_extent, *k_doc_extent;
    float *k_turned;            /* [B, Hkv, S, padded_q]; NULL: not 'turns' */
    int64_t range;              /* differences in the table; 0: no table */
    int64_t first;              /* the one of entry 0 */
    bool folded;                /* differences of 'fold', not of positions */
    int64_t *q_at, *k_at;       /* [.., T or S]: what they are differences of */
    float *table;               /* [H, range + LCT_PAD] */
    double *heads;              /* [slots, H]; NULL: not needed */
    struct lct_bias_pwl *bending; /* bias.h; NULL: 'table' holds biases */
    int64_t chunk;              /* batch rows whose gradients are kept apart */
    double *dtable;             /* [chunk, H, range] */
    double *dtotal;             /* [H, range]; row 0 of dtable if that is all */
    struct lct_scratch *scratch; /* [slots, abreast] */
    struct lct_content_plan terms;

    /* ------------------------------------------------------------ by rows */
    struct lct_segment *segments; /* [slots] */
    struct lct_row_scratch *rows; /* [slots] */
};

/* Row of the tables that batch row b uses. */
static inline int64_t lct_problem_row(const struct lct_problem *p, int64_t b)
{
    return p->position_rows == 1 ? 0 : b;
}

/* Address of [b, h, t, 0] of a rank-4 float32 tensor. */
static inline float *lct_row(const locant_tensor *t, int64_t b, int64_t h,
                             int64_t i)
{
    return (float *)t->data + b * t->stride[0] + h * t->stride[1] +
           i * t->stride[2];
}

/* ------------------------------------------------------- checking, layout */

/* Check everything about the call but its outputs. */
locant_status lct_request_check(struct lct_problem *p,
                                const locant_attention *a);

/* Find the parts of the encoding, check their parameters and positions. */
locant_status lct_request_parts_check(struct lct_problem *p,
                                      const locant_attention *a);

/* Positions, coordinates and documents. */
locant_status lct_positions_check(struct lct_problem *p,
                                  const locant_attention *a);

/* Lowest and highest position of row 'row', padding left out; 0 if there is
 * nothing else. */
struct lct_extent lct_positions_queries_extent(const struct lct_problem *p,
                                               const locant_attention *a,
                                               int64_t row);
struct lct_extent lct_positions_keys_extent(const struct lct_problem *p,
                                            const locant_attention *a,
                                            int64_t row);

/* Give back what planning took, whether it succeeded or not. */
static inline void lct_problem_done(struct lct_problem *p)
{
    if (p->lengths.e == NULL)
        lct_schedule_done(p->schedule);
    lct_lengths_done(&p->lengths);
}

/*
 * Find the schedule of a leaf that turns, or those of p->lengths.  What each
 * token then has is filled in with the positions.
 */
locant_status lct_schedules_plan(struct lct_problem *p,
                                 const locant_attention *a,
                                 const locant_encoding *leaf);

/*
 * Refuse what 'leaf' knows no position for.  Coordinates of one axis are
 * positions to a part that only turns; those of several it all knows.
 */
locant_status lct_positions_check_known(const struct lct_problem *p,
                                        const locant_attention *a,
                                        const locant_encoding *leaf,
                                        const locant_tensor *params);

/* Is there a key after a query of its document? */
bool lct_positions_check_keys_follow(const struct lct_problem *p,
                                     const locant_attention *a);

/* Is there, for each query, a key at its position (in its document)? */
locant_status lct_positions_check_own_keys(const struct lct_problem *p,
                                           const locant_attention *a,
                                           const locant_encoding *leaf);

/*
 * Check the call and count p->bytes; unless 'workspace' is NULL, check that it
 * is as large.  Writes nothing.  'by_rows' asks for the engine in double.
 */
locant_status lct_problem_plan(struct lct_problem *p, const char *fn,
                               const locant_attention *a, bool by_rows,
                               void *workspace, size_t bytes);

/* A workspace being dealt out; with base NULL it only counts. */
struct lct_arena {
    char *base;
    size_t used;
    bool overflow;
};

/* rows x columns items of 'size' bytes, or NULL while counting. */
void *lct_arena_alloc(struct lct_arena *arena, int64_t rows, int64_t columns,
                      size_t size);

/* Find p->first, folded; returns what p->range should be. */
int64_t lct_bias_table_plan(struct lct_problem *p, const locant_attention *a);

/* The parts of the layout that belong to one engine. */
void lct_tiles_layout(struct lct_problem *p, struct lct_arena *arena);
void lct_rows_layout(struct lct_problem *p, struct lct_arena *arena);

/*
 * Deal out 'workspace', of at least p->bytes, and fill positions, angles and
 * bias tables.
 */
void lct_problem_fill(struct lct_problem *p, const locant_attention *a,
                      void *workspace);
void lct_positions_fill(struct lct_problem *p, const locant_attention *a);
void lct_tiles_fill(struct lct_problem *p);

/* Check the tensors both forward and reference write. */
locant_status lct_outputs_check(const struct lct_problem *p,
                                const locant_attention *a,
                                const locant_tensor *out,
                                const locant_tensor *lse, unsigned dtypes);

/* Check what backward reads and writes. */
locant_status lct_outputs_check_gradients(const struct lct_problem *p,
                                          const locant_attention *a,
                                          const locant_attention_gradients *g,
                                          const locant_tensor *dout,
                                          const locant_tensor *out,
                                          const locant_tensor *lse,
                                          unsigned dtypes);

/* ------------------------------------------------------------------ sinks */

/* The logit of head h; -infinity without sinks. */
double lct_sinks_logit(const struct lct_problem *p, int64_t h);

/* dsinks, if it is wanted: of either engine. */
void lct_sinks_backward(const struct lct_problem *p,
                        const locant_attention_gradients *g,
                        const locant_tensor *dout, const locant_tensor *out,
                        const locant_tensor *lse);

/* ------------------------------------------------------------------- mask */

/*
 * May query i see key j, of batch row b?  What content hides besides is not
 * asked.
 */
bool lct_mask_visible(const struct lct_problem *p, int64_t b, int64_t h,
                      int64_t i, int64_t j);

/* ----------------------------------------------------------- rotate, score */

/*
 * Row 'at' = b, h, i of the queries or keys, x [D], as the scores see it: out
 * [Dq], in double.  'back' writes dx [D] given the gradient dout [Dq], which it
 * may change, and adds to the gradients of parameters in 'dparam', a row of
 * p->dparam.  The temperature is not in it.
 */
void lct_rotation_row(double *out, const struct lct_problem *p, const double *x,
                      enum lct_role role, const int64_t at[3]);
void lct_rotation_row_backward(double *dx, double *dparam,
                               const struct lct_problem *p, double *dout,
                               const double *x, enum lct_role role,
                               const int64_t at[3]);

/* What all queries or keys of the call are turned by. */
struct lct_places lct_rotation_places(const struct lct_problem *p,
                                      enum lct_role role);

/* Have the rotate and the score door parameters?  Known once filled. */
static inline bool lct_rotation_learns(const struct lct_problem *p)
{
    return p->turns && p->rotate->param[0] != NULL;
}

static inline bool lct_bias_learns(const struct lct_problem *p)
{
    return p->score != NULL && p->score->param[0] != NULL;
}

/* The call of the score door for query i of a row of positions. */
struct lct_call lct_bias_call(const struct lct_problem *p, int64_t row,
                              int64_t i);

/* Where in 'dparam', a row of p->dparam, the gradients of part c are. */
void lct_param_gradients_of(double *out[LCT_MAX_PARAMS],
                            const struct lct_problem *p,
                            const struct lct_call *c, double *dparam);

/* dparams += row 0 of p->dparam. */
void lct_param_gradients_accumulate(const struct lct_problem *p,
                                    locant_tensor *dparams,
                                    const locant_attention *a);
#endif
