/* plan.c - choose engine, arithmetic and sizes of an attention call */
#include "plan.h"
#include "../core/pool.h"
#include "arithmetic.h"
#include "bias_table.h"
#include "content_plan.h"
#include "content_state.h"
#include "f32.h"
#include "factors.h"
#include "load.h"
#include "param_gradients.h"
#include "part.h"
#include "schedules.h"
#include "stick.h"
#include <inttypes.h>

static void copy_sizes(struct lct_plan *p, const struct lct_request *r)
{
    p->B = r->B;
    p->H = r->H;
    p->Hkv = r->Hkv;
    p->T = r->T;
    p->S = r->S;
    p->first_key = r->first_key;
    p->held_keys = r->held_keys;
    p->D = r->D;
    p->Dv = r->Dv;
    p->Dq = r->Dq;
    p->W = r->W;
    p->position_rows = r->position_rows;
    p->scale = r->scale;
    p->documents = r->documents;
    p->params = r->params;
}

static enum lct_engine choose_engine(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;

    /* The tables of the tiled engine need at least one head. */
    if (p->pass == LCT_PASS_REFERENCE || r->q.dtype == LOCANT_F64 ||
        r->B == 0 || r->H == 0)
        return LCT_REFERENCE;
    if (r->coords_by_head && r->content == NULL && r->stick == NULL)
        return LCT_TILED; /* decode rotates by the same angles for all heads */
    if (r->stick != NULL)
        return lct_stick_has_tiles(p) ? LCT_TILED : LCT_REFERENCE;
    if (r->content != NULL)
        return lct_content_plan_make(p->content, p) ? LCT_TILED : LCT_REFERENCE;
    return r->T > 0 && r->T <= LCT_DECODE_QUERIES && r->part == NULL
               ? LCT_DECODE
               : LCT_TILED;
}

/* The distance of rows of D channels in a tile. */
static int64_t padded(const struct lct_plan *p, int64_t D)
{
    int64_t row = lct_sizes_round_up(D, LCT_PAD);
    /* There, 'padded' is also the number of columns that products compute. */
    bool exact = p->request->content != NULL || p->arithmetic != &lct_f32 ||
                 p->engine != LCT_TILED;

    return exact || !lct_load_crowded((size_t)row) ? row : row + LCT_PAD;
}

/* How many columns of a caller's row of D channels the products read. */
static int64_t read_columns(const struct lct_plan *p, int64_t D)
{
    bool padded = p->request->content != NULL || p->engine == LCT_DECODE;

    return lct_sizes_round_up(D, padded ? LCT_PAD : LCT_COLUMN_STEP);
}

static void choose_sizes(struct lct_plan *p)
{
    bool content = p->request->content != NULL;
    int64_t tiles;

    p->padded = padded(p, p->D);
    p->padded_q = padded(p, p->Dq);
    p->padded_v = padded(p, p->Dv);
    p->columns_q = lct_sizes_round_up(p->Dq, LCT_COLUMN_STEP);
    p->columns_v = lct_sizes_round_up(p->Dv, LCT_COLUMN_STEP);
    p->read_columns = read_columns(p, p->D);
    p->read_columns_v = read_columns(p, p->Dv);
    p->q_tiles = lct_sizes_tiles(p->T);
    p->k_tiles = lct_sizes_tiles(p->S);
    p->k_splits =
        lct_sizes_round_up(p->k_tiles, LCT_SPLIT_TILES) / LCT_SPLIT_TILES;
    /* With content, the scratch of several tiles would not fit the cache. */
    tiles = content ? 1 : LCT_TILES_PER_TASK;
    tiles = p->q_tiles < tiles ? p->q_tiles : tiles;
    p->tiles_per_task = tiles > 1 ? (int)tiles : 1;
}

static void choose_rotation(struct lct_plan *p)
{
    const struct lct_request *r = p->request;
    const locant_attention *a = r->a;

    p->shared_angles = r->relations == NULL && a->q_pos == NULL &&
                       a->k_pos == NULL && r->T <= r->S && r->part == NULL &&
                       a->q_coords == NULL && !r->documents && !r->rotated_keys;
    p->rotates_keys = p->schedule != NULL && !r->rotated_keys;
    p->rotates_outputs = p->schedule != NULL && r->rotate_values;
    p->rotates_values = p->rotates_outputs && !r->rotated_keys;
    p->late_key_angles = p->rotates_keys && !p->rotates_values &&
                         p->engine == LCT_DECODE && p->pass == LCT_PASS_FORWARD;
}

/* Kernels add gradients of dense rows of float32 where the caller has them. */
static void choose_gathered(struct lct_plan *p)
{
    const struct lct_request *r = p->request;

    p->gathers_dv = r->k.dtype != LOCANT_F32 || p->read_columns_v != r->Dv ||
                    r->values_of_keys;
    p->gathers_dk = r->k.dtype != LOCANT_F32 || p->read_columns != r->D ||
                    r->values_of_keys || (r->general_map && !r->rotated_keys);
}

/* Values that rotate like keys have the channels that rotate. */
static locant_status check_rotated_values(const struct lct_plan *p)
{
    int64_t end =
        p->schedule == NULL ? 0 : p->schedule->first + 2 * p->schedule->pairs;

    if (!p->request->rotate_values || end <= p->Dv)
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_SHAPE,
        "%s: v has %" PRId64 " channels, expected at least %" PRId64
        ": %s rotates channels up to there, and with "
        "LOCANT_ATTENTION_ROTATE_VALUES those of values",
        p->request->fn, p->Dv, end, lct_name(p->request->a->encoding));
}

locant_status lct_plan_make(struct lct_plan *p, const struct lct_request *r,
                            enum lct_pass pass)
{
    p->request = r;
    p->kernels = lct_kernels();
    p->pass = pass;
    p->slots = lct_slots(); /* read once: another thread may change it */
    copy_sizes(p, r);
    p->engine = choose_engine(p);
    LCT_TRY(lct_part_check_plan(p));
    LCT_TRY(lct_schedules_plan(p));
    LCT_TRY(check_rotated_values(p));
    p->arithmetic = lct_arithmetic_choose(p);
    choose_sizes(p);
    LCT_TRY(lct_content_state_check(p));
    choose_rotation(p);
    choose_gathered(p);
    lct_factors_plan(p); /* first: its table is by position */
    lct_bias_table_plan(p);
    p->table_width += p->bias_range;
    lct_param_gradients_plan(p, lct_content_plan_gradients(p));
    return LOCANT_OK;
}

void lct_plan_release(struct lct_plan *p)
{
    if (p->lengths.e == NULL)
        lct_schedule_done(p->schedule);
    lct_lengths_done(&p->lengths);
    p->schedule = NULL;
}
