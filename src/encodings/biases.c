/*
 * biases.c - several score parts of a sum as one encoding: 'a+b' adds the
 * biases of both, in double and in the order of the parts, rounded once.
 *
 * It is not listed, and no spec names it.  Its parameters are those of its
 * parts, one part after another.
 */
#include "biases.h"

enum { CHUNK = 64 };

/* The arguments of part n, whose parameters begin at part[n].first_param. */
static struct lct_call call_of(const struct lct_call *c, int n)
{
    const struct lct_part *part = &c->e->part[n];
    struct lct_call own = *c;

    own.e = part->e;
    for (int k = 0; k < LCT_MAX_PARAMS; k++)
        own.param[k] = k < lct_param_count(part->e)
                           ? c->param[part->first_param + k]
                           : NULL;
    return own;
}

static void bias(double *out, const struct lct_call *c, int64_t head,
                 int64_t q_pos, const int64_t *k_pos, size_t n)
{
    double more[CHUNK];

    for (int i = 0; i < c->e->parts; i++) {
        struct lct_call own = call_of(c, i);
        const struct lct_score_door *door = &own.e->row->score;

        if (i == 0) {
            door->bias(out, &own, head, q_pos, k_pos, n);
            continue;
        }
        for (size_t at = 0; at < n; at += CHUNK) {
            size_t count = n - at < CHUNK ? n - at : CHUNK;

            door->bias(more, &own, head, q_pos, k_pos + at, count);
            for (size_t j = 0; j < count; j++)
                out[at + j] += more[j];
        }
    }
}

/* forward: out = the sum of the parts' biases */
static void backward(double *const *dparam, const struct lct_call *c,
                     int64_t head, int64_t q_pos, const int64_t *k_pos,
                     const double *dout, size_t n)
{
    for (int i = 0; i < c->e->parts; i++) {
        struct lct_call own = call_of(c, i);

        if (lct_param_count(own.e) > 0)
            own.e->row->score.backward(dparam + c->e->part[i].first_param, &own,
                                       head, q_pos, k_pos, dout, n);
    }
}

static void real_bias(double *out, const struct lct_call *c,
                      const struct lct_real_keys *x)
{
    double more[CHUNK];

    for (size_t j = 0; j < x->n; j++)
        out[j] = 0;
    for (int i = 0; i < c->e->parts; i++) {
        struct lct_call own = call_of(c, i);

        for (size_t at = 0; at < x->n; at += CHUNK) {
            struct lct_real_keys part = *x;

            part.k += at;
            part.n = x->n - at < CHUNK ? x->n - at : CHUNK;
            own.e->row->score.real.at(more, &own, &part);
            for (size_t j = 0; j < part.n; j++)
                out[at + j] += more[j];
        }
    }
}

static void real_backward(const struct lct_real_gradients *g,
                          const struct lct_call *c,
                          const struct lct_real_keys *x, const double *dout)
{
    for (int i = 0; i < c->e->parts; i++) {
        struct lct_call own = call_of(c, i);
        struct lct_real_gradients part = *g;

        if (g->dparam != NULL)
            part.dparam = g->dparam + c->e->part[i].first_param;
        own.e->row->score.real.backward(&part, &own, x, dout);
    }
}

static const struct lct_encoding row = {
    .info = { .name = "+",
              .title = "Sum of biases",
              .formula = "",
              .source = "",
              .used_by = "",
              .pitfalls = "",
              .doors = LOCANT_DOOR_SCORE },
    .score = {
        .bias = bias,
        .backward = backward,
        .real = { real_bias, real_backward },
    },
};

static const unsigned common_traits = LOCANT_TRAIT_RELATIVE;

static bool adds(const locant_encoding *e)
{
    return e->doors & LOCANT_DOOR_SCORE;
}

locant_status lct_biases_make(locant_encoding *e)
{
    int parts = 0, params = 0;
    locant_encoding *all;

    for (int i = 0; i < e->parts; i++) {
        parts += adds(e->part[i].e);
        params += adds(e->part[i].e) ? lct_param_count(e->part[i].e) : 0;
    }
    if (parts < 2)
        return LOCANT_OK;
    if (params > LCT_MAX_PARAMS)
        return LCT_REFUSE("biases that are added have %d parameters, expected "
                          "at most %d",
                          params, LCT_MAX_PARAMS);
    all = locant_alloc(sizeof(*all));
    if (all == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_encoding_create: no "
                                             "memory for a sum of biases");
    e->state = all;
    all->row = &row;
    all->doors = LOCANT_DOOR_SCORE;
    all->traits = common_traits;
    params = 0;
    for (int i = 0; i < e->parts; i++) {
        if (!adds(e->part[i].e))
            continue;
        all->traits &= e->part[i].e->traits;
        all->part[all->parts++] = (struct lct_part){ e->part[i].e, params };
        params += lct_param_count(e->part[i].e);
    }
    return LOCANT_OK;
}

const locant_encoding *lct_biases_of(const locant_encoding *e)
{
    return e->row == &lct_enc_sum ? e->state : NULL;
}

struct lct_call lct_biases_call(const locant_encoding *e,
                                const struct lct_call *part)
{
    const locant_encoding *all = lct_biases_of(e);
    struct lct_call c = { 0 };
    int params = 0;

    for (int i = 0; i < e->parts; i++) {
        if (!adds(e->part[i].e))
            continue;
        if (c.e == NULL)
            c = part[i];
        c.e = all;
        for (int k = 0; k < lct_param_count(e->part[i].e); k++)
            c.param[params++] = part[i].param[k];
    }
    return c;
}
