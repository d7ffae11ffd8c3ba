/* content_state.c - what decoding keeps of encodings that read inputs */
#include "content_state.h"
#include "../core/tensor.h"
#include "pairs.h"
#include "token_angles.h"
#include <inttypes.h>
#include <string.h>

static const uint64_t MAGIC = 0x68746170746e636cU;

enum {
    ALIGNMENT = 64,
    HEADER = (sizeof(struct lct_content_state) + ALIGNMENT - 1) / ALIGNMENT *
             ALIGNMENT
};

static char *base_of(const locant_tensor *state)
{
    return (char *)state->data + (-(uintptr_t)state->data & (ALIGNMENT - 1));
}

struct lct_arena lct_content_state_arena(struct lct_content_state *s)
{
    return (struct lct_arena){ (char *)s, HEADER, false };
}

struct lct_content_state *lct_content_state_of(const struct lct_request *r)
{
    return r->a->state == NULL ? NULL : (void *)base_of(r->a->state);
}

/* ------------------------------------------------------------------- layout */

void lct_content_state_layout(struct lct_content_maps *m,
                              const struct lct_plan *p, struct lct_arena *arena)
{
    int64_t tokens = p->B * p->H * m->rows;

    m->w = lct_arena_floats(arena, tokens, p->padded);
    m->b = lct_arena_floats(arena, tokens, 1);
    m->keys = lct_arena_floats(arena, tokens, p->padded);
    m->pass = lct_arena_floats(arena, tokens, p->padded);
    m->inside = lct_arena_floats(arena, tokens, LCT_TILE);
    m->map = lct_arena_floats(arena, p->B * p->H * m->groups * p->D, p->padded);
}

bool lct_content_state_keeps_numbers(const struct lct_plan *p)
{
    return p->engine != LCT_REFERENCE &&
           (p->request->token_angles != NULL ||
            (p->request->token_numbers != NULL && lct_pairs_are_used(p)));
}

bool lct_content_state_keeps_sums(const struct lct_plan *p)
{
    return p->engine == LCT_TILED && p->request->content != NULL &&
           !lct_content_maps_are_used(p) &&
           p->content->products.gate_weight >= 0 &&
           p->content->products.after_weight < 0;
}

void lct_content_state_numbers(double **z, float **mapped,
                               const struct lct_plan *p,
                               struct lct_arena *arena, int64_t rows)
{
    *z =
        lct_arena_doubles(arena, p->B * p->H * rows, lct_token_angles_count(p));
    if (p->request->token_angles != NULL)
        *mapped = lct_arena_floats(arena, p->B * p->Hkv * rows, p->padded_q);
}

double *lct_content_state_sums(const struct lct_plan *p,
                               struct lct_arena *arena, int64_t rows)
{
    return lct_arena_doubles(arena, p->B * p->H, rows);
}

size_t lct_content_state_bytes(const struct lct_plan *p, int64_t capacity)
{
    struct lct_content_maps m = { .rows =
                                      lct_sizes_round_up(capacity, LCT_TILE),
                                  .groups =
                                      capacity / LCT_CONTENT_MAPS_GROUP_KEYS };
    struct lct_arena count = { NULL, HEADER, false };
    double *z;
    float *mapped;

    if (lct_content_state_keeps_numbers(p))
        lct_content_state_numbers(&z, &mapped, p, &count, capacity);
    else if (lct_content_state_keeps_sums(p))
        (void)lct_content_state_sums(p, &count, capacity);
    else
        lct_content_state_layout(&m, p, &count);
    return count.overflow ? 0 : count.used + ALIGNMENT;
}

/* ------------------------------------------------------------------- checks */

bool lct_content_state_exists(const struct lct_plan *p)
{
    const bool maps = p->engine == LCT_TILED && lct_content_maps_are_used(p) &&
                      p->content->products.gate_weight < 0;

    return (maps || lct_content_state_keeps_numbers(p) ||
            lct_content_state_keeps_sums(p)) &&
           p->request->a->q_pos == NULL && p->request->a->k_pos == NULL &&
           !p->request->documents;
}

/* What tells states of different encodings apart. */
static void identify(int64_t *rank, int64_t *kernel, const struct lct_plan *p)
{
    *rank = *kernel = 0;
    if (lct_content_state_keeps_numbers(p)) {
        *rank = lct_token_angles_count(p);
        *kernel = -p->request->token_numbers->reach;
    } else if (!lct_content_state_keeps_sums(p)) {
        *rank = p->content->products.maps.rank;
        *kernel = p->content->products.maps.kernel;
    }
}

static locant_status check_call(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;

    if (p->pass == LCT_PASS_BACKWARD)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: state is for decoding, expected NULL in "
                           "backward",
                           r->fn);
    if (r->a->q_pos != NULL || r->a->k_pos != NULL || r->documents)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: state is for keys at 0, 1, .. and the newest "
                           "queries, expected no positions, documents or block "
                           "table",
                           r->fn);
    if (!lct_content_state_exists(p))
        return locant_fail(
            LOCANT_ERR_UNSUPPORTED,
            "%s: attention with %s keeps nothing, expected state to "
            "be NULL",
            r->fn, r->a->encoding == NULL ? "none" : lct_name(r->a->encoding));
    return LOCANT_OK;
}

static locant_status check_memory(const struct lct_request *r)
{
    int64_t any = -1;

    LCT_TRY(lct_check(r->fn, "state", r->a->state, LCT_IN_U8, 1, &any));
    return lct_check_output(r->fn, "state", r->a->state);
}

locant_status lct_content_state_check(const struct lct_plan *p)
{
    const struct lct_request *r = p->request;
    const struct lct_content_state *s;
    int64_t rank, kernel;
    size_t bytes;

    if (r->a->state == NULL)
        return LOCANT_OK;
    LCT_TRY(check_call(p));
    LCT_TRY(check_memory(r));
    s = lct_content_state_of(r);
    if (r->a->state->shape[0] < HEADER + ALIGNMENT || s->magic != MAGIC)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: state is not one, expected memory that "
                           "locant_attention_state_begin() prepared",
                           r->fn);
    identify(&rank, &kernel, p);
    if (s->B != r->B || s->H != r->H || s->D != r->D || s->rank != rank ||
        s->kernel != kernel)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: state is of %" PRId64 " rows of %" PRId64
                           " heads with %" PRId64
                           " channels and another encoding or other sizes than "
                           "this call",
                           r->fn, s->B, s->H, s->D);
    bytes = lct_content_state_bytes(p, s->capacity);
    if (bytes == 0 || bytes > (size_t)r->a->state->shape[0])
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: state has %" PRId64 " bytes, expected %zu",
                           r->fn, r->a->state->shape[0], bytes);
    if (r->S > s->capacity)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: k has %" PRId64 " keys, state has room for "
                           "%" PRId64,
                           r->fn, r->S, s->capacity);
    return LOCANT_OK;
}

void lct_content_state_begin(locant_tensor *state, const struct lct_plan *p,
                             int64_t capacity)
{
    struct lct_content_state *s = (void *)base_of(state);

    *s = (struct lct_content_state){
        .magic = MAGIC, .B = p->B, .H = p->H, .D = p->D, .capacity = capacity
    };
    identify(&s->rank, &s->kernel, p);
}

/* -------------------------------------------------------------------- calls */

int64_t lct_content_state_known(const struct lct_plan *p)
{
    const struct lct_content_state *s = lct_content_state_of(p->request);
    int64_t before = p->S - p->T;

    if (s == NULL || before <= 0)
        return 0;
    return s->tokens < before ? s->tokens : before;
}

int64_t lct_content_state_tile(const struct lct_plan *p)
{
    return lct_content_state_known(p) / LCT_TILE;
}

int64_t lct_content_state_group(const struct lct_plan *p)
{
    const struct lct_content_state *s = lct_content_state_of(p->request);
    int64_t groups = lct_content_state_known(p) / LCT_CONTENT_MAPS_GROUP_KEYS;

    return s != NULL && s->groups < groups ? s->groups : groups;
}

/* Queries at the last keys pass all groups that end before the last key. */
void lct_content_state_advance(const struct lct_plan *p)
{
    struct lct_content_state *s = lct_content_state_of(p->request);

    if (s == NULL || p->T == 0 || p->S == 0)
        return;
    s->tokens = p->S;
    s->groups = (p->S - 1) / LCT_CONTENT_MAPS_GROUP_KEYS;
}
