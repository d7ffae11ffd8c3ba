/*
 * plan.h - how a request is carried out: sizes, engine, arithmetic, workspace.
 *
 * Planning reads positions and documents, but never q, k, v or parameters.  No
 * later stage makes a choice.
 */
#ifndef LCT_ATTENTION_PLAN_H
#define LCT_ATTENTION_PLAN_H
#include "../encodings/lengths.h"
#include "../encodings/rotate.h"
#include "arena.h"
#include "request.h"
#include "sizes.h"

enum lct_pass {
    LCT_PASS_FORWARD,
    LCT_PASS_BACKWARD,
    LCT_PASS_REFERENCE /* forward or backward, in double */
};

enum lct_engine {
    LCT_REFERENCE, /* rows.h: one row at a time in double; for F64, and for
                      content that is not made of products */
    LCT_TILED,     /* tiled.h: tiles of queries against tiles of keys */
    LCT_DECODE     /* decode.h: few queries, keys split among tasks; backward
                      uses the tiled engine */
};

struct lct_plan {
    const struct lct_request *request;
    const struct lct_kernels *kernels;
    enum lct_pass pass;
    enum lct_engine engine;
    const struct lct_arithmetic *arithmetic; /* for tiles and decode */
    int slots;                               /* tasks that run at a time */
    size_t bytes;                            /* of workspace used */
    locant_tensor workspace; /* its bytes as a view, for alias checks */

    /* As in the request. */
    int64_t B, H, Hkv, T, S, D, Dv, Dq, W, position_rows;
    int64_t first_key, held_keys;
    double scale;
    bool documents;
    size_t params;

    /* Sizes of tiles. */
    int64_t padded, padded_q, padded_v;   /* D, Dq and Dv rounded up to a
                                            multiple of LCT_PAD: the distance
                                            of rows in tiles */
    int64_t columns_q, columns_v;         /* Dq and Dv rounded up to a multiple
                                            of LCT_COLUMN_STEP, for products */
    int64_t read_columns, read_columns_v; /* columns of a caller's row of q or
                                             k, or of v, that are read */
    int64_t q_tiles, k_tiles, k_splits;
    int tiles_per_task; /* tiles of queries, at most */

    /* Rotation of pairs. */
    const struct lct_schedule *schedule; /* NULL: none */
    struct lct_lengths lengths; /* schedules of documents by their length; if
                                   empty, all documents use 'schedule' */
    bool shared_angles;         /* angles of q are the last T angles of k */
    bool rotates_keys;          /* keys are rotated as they are loaded */
    bool late_key_angles;       /* their angles are computed then too */
    bool rotates_values;        /* values are rotated as they are loaded */
    bool rotates_outputs;       /* outputs are rotated back before they are
                                   stored, and dout is rotated */

    /* Biases (bias_table.h). */
    int64_t bias_range; /* entries of the table; 0: no table */
    int64_t bias_first; /* difference of entry 0 */
    bool bias_keys;     /* by differences of position keys, not positions */

    /* Factors of pairs (factors.h). */
    int64_t factor_range, factor_first; /* entries of a table; 0: no table */
    int64_t table_width; /* entries of the tables that have gradients */

    /* Gradients. */
    bool gathers_dk, gathers_dv; /* dk and dv are summed in the scratch, and
                                    stored once */
    int64_t chunk;               /* batch rows that are done at a time */
    size_t task_params;          /* parameter gradients per task: 'params', or 0
                                   if the task needs none */

    /* Memory of the later stages. */
    const struct lct_tables *tables;       /* tables.h */
    struct lct_param_gradients *gradients; /* param_gradients.h */
    struct lct_content_products *content;  /* content.h */
    struct lct_dense_gradient *dense;      /* dense_gradient.h */
    struct lct_real_sums *real;            /* real.h */
    struct lct_tiled *tiled;               /* tiled.h */
    struct lct_decode *decode;             /* decode.h */
    struct lct_rows_engine *rows;          /* rows.h */
};

/* Plan r; the pointers to the later stages must be set. */
locant_status lct_plan_make(struct lct_plan *p, const struct lct_request *r,
                            enum lct_pass pass);

/* Free what planning allocated, whether it succeeded or not. */
void lct_plan_release(struct lct_plan *p);

/* Row of the position tables that batch row b uses. */
static inline int64_t lct_plan_row(const struct lct_plan *p, int64_t b)
{
    return p->position_rows == 1 ? 0 : b;
}

/* Queries and keys, which tables are worth while for; with leaves there may be
   other queries, in other processes. */
static inline int64_t lct_plan_tokens(const struct lct_plan *p)
{
    return (p->request->leaves > 0 ? p->S : p->T) + p->S;
}

/* Keys of batch row b, and their tiles. */
static inline int64_t lct_plan_keys(const struct lct_plan *p, int64_t b)
{
    return p->request->paged.table == NULL
               ? p->S
               : lct_paged_length(&p->request->paged, b);
}

static inline int64_t lct_plan_key_tiles(const struct lct_plan *p, int64_t b)
{
    return lct_sizes_tiles(lct_plan_keys(p, b));
}

/* The tiles of keys that k and v hold: from the first to before the end. */
static inline int64_t lct_plan_first_tile(const struct lct_plan *p)
{
    return p->first_key / LCT_TILE;
}

static inline int64_t lct_plan_end_tile(const struct lct_plan *p, int64_t b)
{
    int64_t keys = lct_plan_keys(p, b), end = p->first_key + p->held_keys;

    return lct_sizes_tiles(end < keys ? end : keys);
}

/* Are queries carried on to another call, with other keys? */
static inline bool lct_plan_carries_on(const struct lct_plan *p)
{
    return p->request->part != NULL && !p->request->part->last;
}

/* The head of keys and values that head h of queries uses. */
static inline int64_t lct_plan_kv_head(const struct lct_plan *p, int64_t h)
{
    return h / (p->H / p->Hkv);
}
#endif
