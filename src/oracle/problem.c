/* problem.c - random attention problems, and the library's answers. */
#include "problem.h"

#include <math.h>
#include <string.h>

/* Positions of tokens: 0, 1, .. by default, consecutive, or anywhere. */
enum { DEFAULT, CONTIGUOUS, SCATTERED, PLACES };

static int64_t range(const struct oracle_problem *p, int64_t low, int64_t high)
{
    return oracle_run_range(p->c->run, low, high);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*
 * Long rows cross the tiles of the float kernels; short ones have several
 * heads, groups and rows.  Short ones are small, since the oracle computes
 * every score again for each number that is checked.
 */
static void draw_sizes(struct oracle_problem *p, int is_long)
{
    struct oracle_call *call = &p->c->call;
    int64_t room = p->c->high - p->c->low + 1;

    call->B = is_long ? 1 : range(p, 1, 2);
    call->G = is_long ? 1 : range(p, 1, 2);
    call->H = call->G * (p->c->o->as_many_kv_heads ? 1 : range(p, 1, 2));
    call->S = least(is_long ? range(p, 66, ORACLE_KEYS) : range(p, 1, 7), room);
    call->T = is_long ? range(p, 9, 19) : range(p, 1, 7);
    while (!is_long && call->B * call->H * call->T * call->S > 80) {
        int64_t *most = call->B > 1         ? &call->B
                        : call->T > call->S ? &call->T
                                            : &call->S;

        --*most;
    }
}

/* Vectors that an encoding adds to values have the width of keys. */
static void draw_values(struct oracle_problem *p)
{
    struct oracle_call *call = &p->c->call;

    p->of_keys = range(p, 0, 3) == 0;
    call->Dv = range(p, 0, 1) || p->c->o->value != NULL
                   ? call->D
                   : range(p, 1, call->D + (p->of_keys ? 0 : 20));
}

static void draw_places_and_mask(struct oracle_problem *p)
{
    struct oracle_case *c = p->c;
    struct oracle_call *call = &c->call;

    p->place = (int)range(p, 0, PLACES - 1);
    if (p->place != SCATTERED)
        call->T = least(call->T, call->S);
    if (p->place == DEFAULT && (c->low > 0 || c->high < call->S - 1))
        p->place = CONTIGUOUS;
    if (!(c->traits & LOCANT_TRAIT_READS_X) || c->o->x_by_head)
        call->W = call->H * call->D;
    call->causal = c->traits & LOCANT_TRAIT_CAUSAL ? 1 : (int)range(p, 0, 1);
    call->scale = range(p, 0, 1) ? 1 / sqrt((double)call->D) : 0.25;
}

/* ------------------------------------------------------------------ places */

static int holds(const int64_t *others, int64_t n, int64_t x)
{
    for (int64_t i = 0; i < n; i++)
        if (others[i] == x)
            return 1;
    return 0;
}

/* If the encoding reads x, every query has the position of a key. */
static void place_row(struct oracle_problem *p, int64_t *q, int64_t *k)
{
    const struct oracle_case *c = p->c;
    const struct oracle_call *call = &c->call;
    int64_t base = 0;

    if (p->place == CONTIGUOUS)
        base = range(p, c->low, c->high - call->S + 1);
    for (int64_t j = 0; j < call->S; j++) {
        k[j] = base + j;
        if (p->place == SCATTERED)
            do
                k[j] = range(p, c->low, c->high);
            while (holds(k, j, k[j]));
    }
    for (int64_t i = 0; i < call->T; i++)
        q[i] = p->place != SCATTERED ? base + call->S - call->T + i
               : c->traits & LOCANT_TRAIT_READS_X || range(p, 0, 1)
                   ? k[range(p, 0, call->S - 1)]
                   : range(p, c->low, c->high);
}

static void place_all(struct oracle_problem *p)
{
    struct oracle_call *call = &p->c->call;
    int64_t shape[2] = { call->B, call->T };

    p->q_pos = oracle_case_tensor(p->c, LOCANT_I64, 2, shape);
    shape[1] = call->S;
    p->k_pos = oracle_case_tensor(p->c, LOCANT_I64, 2, shape);
    call->q_pos = p->q_pos.data;
    call->k_pos = p->k_pos.data;
    for (int64_t b = 0; b < call->B; b++)
        place_row(p, (int64_t *)p->q_pos.data + b * call->T,
                  (int64_t *)p->k_pos.data + b * call->S);
    oracle_case_seal(p->c, &p->q_pos);
    oracle_case_seal(p->c, &p->k_pos);
    if (p->place == DEFAULT)
        return;
    p->a.q_pos = &p->q_pos;
    p->a.k_pos = &p->k_pos;
}

/* Random real coordinates in [-8, 8). */
static locant_tensor coordinates(struct oracle_problem *p, int64_t tokens)
{
    const int64_t shape[] = { p->c->call.B, tokens, p->c->axes };
    locant_tensor t = oracle_case_tensor(p->c, LOCANT_F64, 3, shape);

    for (size_t i = 0; i < oracle_count(&t); i++)
        ((double *)t.data)[i] *= 4;
    return t;
}

static void coordinate_all(struct oracle_problem *p)
{
    struct oracle_case *c = p->c;
    unsigned never = LOCANT_TRAIT_LENGTH | LOCANT_TRAIT_REAL;

    if (!c->o->real || !(c->doors & LOCANT_DOOR_ROTATE) || c->traits & never ||
        range(p, 0, 2) > 0)
        return;
    p->q_coords = coordinates(p, c->call.T);
    p->k_coords = coordinates(p, c->call.S);
    c->call.q_coords = p->q_coords.data;
    c->call.k_coords = p->k_coords.data;
    p->a.q_coords = &p->q_coords;
    p->a.k_coords = &p->k_coords;
}

/* ----------------------------------------------------------------- tensors */

/* [B,H,T,D], in memory as that or as [B,T,H,D]. */
static locant_tensor vectors(struct oracle_problem *p, int64_t H, int64_t T,
                             int64_t D)
{
    int64_t shape[] = { p->c->call.B, H, T, D };
    locant_tensor x = oracle_case_tensor(p->c, p->dtype, 4, shape);

    if (range(p, 0, 1)) {
        x.stride[0] = T * H * D;
        x.stride[1] = D;
        x.stride[2] = H * D;
    }
    return x;
}

static void tensors(struct oracle_problem *p)
{
    struct oracle_call *call = &p->c->call;
    const int64_t lse[] = { call->B, call->H, call->T },
                  x[] = { call->B, call->S, call->W };
    const locant_tensor *in[] = { &p->q, &p->k,    &p->v,
                                  &p->x, &p->dout, &p->sinks };

    p->q = vectors(p, call->H, call->T, call->D);
    p->k = vectors(p, call->G, call->S, call->D);
    p->v = vectors(p, call->G, call->S, call->Dv);
    p->dout = vectors(p, call->H, call->T, call->Dv);
    p->out = vectors(p, call->H, call->T, call->Dv);
    p->dq = vectors(p, call->H, call->T, call->D);
    p->dk = vectors(p, call->G, call->S, call->D);
    p->dv = vectors(p, call->G, call->S, call->Dv);
    p->lse = oracle_case_tensor(p->c, p->dtype, 3, lse);
    p->x = oracle_case_tensor(p->c, p->dtype, 3, x);
    p->dx = oracle_case_tensor(p->c, p->dtype, 3, x);
    p->sinks = oracle_case_tensor(p->c, p->dtype, 1, &call->H);
    p->dsinks = oracle_case_tensor(p->c, p->dtype, 1, &call->H);
    for (int i = 0; i < 6; i++) {
        p->in[i] = oracle_case_copy(p->c, in[i]);
        oracle_case_seal(p->c, in[i]);
    }
    call->q = p->in[0];
    call->k = p->in[1];
    call->v = p->in[2];
    call->v_row = call->Dv;
    call->x = p->in[3];
    if (!p->of_keys)
        return;
    p->v = p->k;
    p->v.shape[3] = call->Dv;
    p->a.flags |= LOCANT_ATTENTION_VALUES_OF_KEYS;
    call->v = call->k;
    call->v_row = call->D;
}

static void options(struct oracle_problem *p)
{
    static const int64_t windows[] = { 0, 1, 2, 3, 30, INT64_MAX };
    static const double caps[] = { 0, 0.5, 2, 50 };
    struct oracle_call *call = &p->c->call;

    p->a.window = call->window = windows[range(p, 0, 5)];
    p->a.softcap = call->softcap = caps[range(p, 0, 3)];
    if (range(p, 0, 2) == 0 || p->c->o->stick_breaking)
        return;
    p->a.sinks = &p->sinks;
    call->sinks = p->in[5];
    for (int64_t h = 0; h < call->H; h++)
        oracle_put(&p->dsinks, (size_t)h, 1);
}

void oracle_problem_make(struct oracle_problem *p, struct oracle_case *c,
                         int64_t n)
{
    locant_sizes known;

    memset(p, 0, sizeof *p);
    p->c = c;
    p->dtype = c->run->row.dtype;
    p->reference = p->dtype == LOCANT_F64 && n % 4 == 2;
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    draw_sizes(p, n == 0);
    draw_values(p);
    draw_places_and_mask(p);
    known = (locant_sizes){ c->call.W, c->call.H, c->call.G, c->call.D };
    oracle_case_params(c, &known);
    place_all(p);
    coordinate_all(p);
    tensors(p);
    p->a.q = &p->q;
    p->a.k = &p->k;
    p->a.v = &p->v;
    p->a.x = c->traits & LOCANT_TRAIT_READS_X ? &p->x : NULL;
    p->a.encoding = c->leaf;
    p->a.params = oracle_case_params_in(c);
    p->a.mask = c->call.causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    p->a.scale = c->call.scale == 0.25 ? 0.25 : LOCANT_SCALE_AUTO;
    if (n % 2)
        options(p);
}

/* ----------------------------------------------------------------- library */

static void *workspace_of(size_t *bytes, struct oracle_problem *p)
{
    void *workspace;

    oracle_case_ok(p->c, locant_attention_workspace(bytes, &p->a));
    workspace = oracle_case_alloc(p->c, *bytes, 1);
    memset(workspace, 0xff, *bytes);
    return workspace;
}

void oracle_problem_forward(struct oracle_problem *p)
{
    size_t bytes = 0;
    void *workspace = p->reference ? NULL : workspace_of(&bytes, p);

    oracle_case_ok(
        p->c, p->reference ? locant_attention_reference(&p->out, &p->lse, &p->a)
                           : locant_attention_forward(&p->out, &p->lse, &p->a,
                                                      workspace, bytes));
}

void oracle_problem_backward(struct oracle_problem *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    size_t bytes = 0;
    void *workspace = p->reference ? NULL : workspace_of(&bytes, p);

    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = p->of_keys ? NULL : &p->dv;
    g.dx = p->a.x != NULL ? &p->dx : NULL;
    g.dsinks = p->a.sinks != NULL ? &p->dsinks : NULL;
    g.dparams = p->a.params != NULL ? p->c->grad + p->c->first : NULL;
    oracle_case_ok(
        p->c, p->reference
                  ? locant_attention_reference_backward(&g, &p->dout, &p->out,
                                                        &p->lse, &p->a)
                  : locant_attention_backward(&g, &p->dout, &p->out, &p->lse,
                                              &p->a, workspace, bytes));
}
