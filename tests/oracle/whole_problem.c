/* whole_problem.c - see whole_problem.h */
#include "whole_problem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where tokens sit: nothing said; one after another; anywhere. */
enum { DEFAULT, CONTIGUOUS, SCATTERED, PLACES };


static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void sizes(struct whole_problem *p)
{
    struct whole *w = &p->c.w;
    int64_t room = p->c.high - p->c.low + 1;

    p->place = (int)test_range(0, PLACES - 1);
    w->B = test_range(1, 2);
    w->G = test_range(1, 2);
    w->H = w->G * (p->c.o->one_group ? 1 : test_range(1, 2));
    w->S = least(test_range(1, 7), room);
    w->T = test_range(1, 7);
    /* The judge asks for every score as often as there are numbers. */
    while (w->B * w->H * w->T * w->S > 80) {
        int64_t *most = w->B > 1 ? &w->B : w->T > w->S ? &w->T : &w->S;

        --*most;
    }
    if (p->place != SCATTERED)
        w->T = least(w->T, w->S);
    if (p->c.low > 0 || p->c.high < w->S - 1)
        p->place = p->place == DEFAULT ? CONTIGUOUS : p->place;
    if (!(p->c.traits & LOCANT_TRAIT_READS_X))
        w->W = w->H * w->D;
    w->causal = p->c.traits & LOCANT_TRAIT_CAUSAL ? 1 : (int)test_range(0, 1);
    w->scale = test_rand() % 2 ? 1 / sqrt((double)w->D) : 0.25;
}

/* A position of [low, high] that is not among n others. */
static int64_t fresh(const struct whole_problem *p, const int64_t *others,
                     int64_t n)
{
    int64_t x = test_range(p->c.low, p->c.high);

    for (int64_t i = 0; i < n; i++)
        if (others[i] == x)
            return fresh(p, others, n);
    return x;
}

/* Where readers of x sit is always the place of a key. */
static void place_row(struct whole_problem *p, int64_t *q, int64_t *k)
{
    const struct whole *w = &p->c.w;
    int64_t base = 0;

    if (p->place == CONTIGUOUS)
        base = test_range(p->c.low, p->c.high - w->S + 1);
    for (int64_t j = 0; j < w->S; j++)
        k[j] = p->place == SCATTERED ? fresh(p, k, j) : base + j;
    for (int64_t i = 0; i < w->T; i++)
        q[i] = p->place != SCATTERED ? base + w->S - w->T + i
               : p->c.traits & LOCANT_TRAIT_READS_X || test_rand() % 2
                   ? k[test_range(0, w->S - 1)]
                   : test_range(p->c.low, p->c.high);
}

static void place_all(struct whole_problem *p)
{
    struct whole *w = &p->c.w;
    int64_t shape[2] = { w->B, w->T };

    p->q_pos = test_tensor(LOCANT_I64, 2, shape);
    shape[1] = w->S;
    p->k_pos = test_tensor(LOCANT_I64, 2, shape);
    for (int64_t b = 0; b < w->B; b++)
        place_row(p, (int64_t *)p->q_pos.data + b * w->T,
                  (int64_t *)p->k_pos.data + b * w->S);
    w->q_pos = p->q_pos.data;
    w->k_pos = p->k_pos.data;
    if (p->place == DEFAULT)
        return;
    p->a.q_pos = &p->q_pos;
    p->a.k_pos = &p->k_pos;
}

/* Fractions of a grid's side, or of a short line, at random. */
static locant_tensor coordinates(const struct whole_problem *p, int64_t tokens)
{
    int64_t shape[3] = { p->c.w.B, tokens, p->c.axes };
    locant_tensor t = test_tensor(LOCANT_F64, 3, shape);

    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; i++)
        ((double *)t.data)[i] = 8 * test_uniform();
    return t;
}

static void coordinate_all(struct whole_problem *p)
{
    unsigned never = LOCANT_TRAIT_LENGTH | LOCANT_TRAIT_REAL;

    p->q_coords = coordinates(p, p->c.w.T);
    p->k_coords = coordinates(p, p->c.w.S);
    if (!p->c.o->real || !(p->c.doors & LOCANT_DOOR_ROTATE) ||
        p->c.traits & never || test_rand() % 3)
        return;
    p->c.w.q_coords = p->q_coords.data;
    p->c.w.k_coords = p->k_coords.data;
    p->a.q_coords = &p->q_coords;
    p->a.k_coords = &p->k_coords;
}

/* Normal numbers that float32 holds; as [B,H,T,D] or as [B,T,H,D]. */
static locant_tensor vectors(const struct whole_problem *p, int64_t H,
                             int64_t T)
{
    int64_t D = p->c.w.D, shape[4] = { p->c.w.B, H, T, D };
    locant_tensor x = test_tensor(p->dtype, 4, shape);

    for (size_t i = 0; i < attend_count(&x); i++) {
        float y = (float)test_normal();

        if (p->dtype == LOCANT_F64)
            ((double *)x.data)[i] = (double)y;
        else
            ((float *)x.data)[i] = y;
    }
    if (test_rand() % 2) {
        x.stride[0] = T * H * D;
        x.stride[1] = D;
        x.stride[2] = H * D;
    }
    return x;
}

static void tensors(struct whole_problem *p)
{
    struct whole *w = &p->c.w;
    int64_t lse[3] = { w->B, w->H, w->T }, x[3] = { w->B, w->S, w->W };

    p->q = vectors(p, w->H, w->T);
    p->k = vectors(p, w->G, w->S);
    p->v = vectors(p, w->G, w->S);
    p->dout = vectors(p, w->H, w->T);
    p->out = vectors(p, w->H, w->T);
    p->dq = vectors(p, w->H, w->T);
    p->dk = vectors(p, w->G, w->S);
    p->dv = vectors(p, w->G, w->S);
    p->lse = test_tensor(p->dtype, 3, lse);
    p->x = test_tensor(p->dtype, 3, x);
    p->dx = test_tensor(p->dtype, 3, x);
    w->q = p->in[0] = whole_copy(&p->q);
    w->k = p->in[1] = whole_copy(&p->k);
    w->v = p->in[2] = whole_copy(&p->v);
    w->x = p->in[3] = whole_copy(&p->x);
    p->in[4] = whole_copy(&p->dout);
}

void whole_problem_make(struct whole_problem *p, locant_dtype dtype)
{
    locant_sizes known;

    p->dtype = dtype;
    p->a = (locant_attention)LOCANT_ATTENTION_INIT;
    sizes(p);
    known = (locant_sizes){ p->c.w.W, p->c.w.H, p->c.w.G, p->c.w.D };
    whole_params_make(&p->c, &known);
    place_all(p);
    coordinate_all(p);
    tensors(p);
    p->a.q = &p->q;
    p->a.k = &p->k;
    p->a.v = &p->v;
    p->a.x = p->c.traits & LOCANT_TRAIT_READS_X ? &p->x : NULL;
    p->a.encoding = p->c.leaf;
    p->a.params = whole_params_in(&p->c);
    p->a.mask = p->c.w.causal ? LOCANT_MASK_CAUSAL : LOCANT_MASK_NONE;
    p->a.scale = p->c.w.scale == 0.25 ? 0.25 : LOCANT_SCALE_AUTO;
}

void whole_problem_options(struct whole_problem *p)
{
    static const int64_t windows[] = { 0, 1, 2, 3, 30, INT64_MAX };
    static const double caps[] = { 0, 0.5, 2, 50 };
    struct whole *w = &p->c.w;

    p->options = 1;
    p->sinks = test_tensor(p->dtype, 1, &w->H);
    p->dsinks = test_tensor(p->dtype, 1, &w->H);
    p->in[5] = whole_copy(&p->sinks);
    for (int64_t h = 0; h < w->H; h++) {
        if (p->dtype == LOCANT_F64)
            ((double *)p->dsinks.data)[h] = 1;
        else
            ((float *)p->dsinks.data)[h] = 1;
    }
    p->a.window = w->window = windows[test_rand() % LEN(windows)];
    p->a.softcap = w->softcap = caps[test_rand() % LEN(caps)];
    if (test_rand() % 3 == 0)
        return;
    p->a.sinks = &p->sinks;
    w->sinks = p->in[5];
}

void whole_problem_free(struct whole_problem *p)
{
    locant_tensor *all[] = { &p->q, &p->k, &p->v, &p->x, &p->dout, &p->q_pos,
                             &p->k_pos, &p->q_coords, &p->k_coords, &p->out,
                             &p->lse, &p->dq, &p->dk, &p->dv, &p->dx };

    for (size_t i = 0; i < LEN(all); i++)
        test_tensor_free(all[i]);
    for (int i = 0; i < 6; i++)
        free(p->in[i]);
    if (p->options) {
        test_tensor_free(&p->sinks);
        test_tensor_free(&p->dsinks);
    }
    whole_case_close(&p->c);
}


static void *workspace_of(size_t *bytes, const struct whole_problem *p)
{
    void *workspace;

    CHECK_OK(locant_attention_workspace(bytes, &p->a));
    workspace = test_guarded(*bytes);
    memset(workspace, 0xff, *bytes);
    return workspace;
}

void whole_problem_forward(struct whole_problem *p)
{
    size_t bytes;
    void *workspace = workspace_of(&bytes, p);

    CHECK_OK(locant_attention_forward(&p->out, &p->lse, &p->a, workspace,
                                      bytes));
    test_guarded_free(workspace, bytes);
}

void whole_problem_backward(struct whole_problem *p)
{
    locant_attention_gradients g = LOCANT_ATTENTION_GRADIENTS_INIT;
    size_t bytes;
    void *workspace = workspace_of(&bytes, p);

    g.dq = &p->dq;
    g.dk = &p->dk;
    g.dv = &p->dv;
    g.dx = p->a.x != NULL ? &p->dx : NULL;
    g.dsinks = p->a.sinks != NULL ? &p->dsinks : NULL;
    g.dparams = p->a.params != NULL ? p->c.grad + p->c.first : NULL;
    CHECK_OK(locant_attention_backward(&g, &p->dout, &p->out, &p->lse, &p->a,
                                       workspace, bytes));
    test_guarded_free(workspace, bytes);
}
