/* net_length.c - rotations that depend on the length of a text, or of a prompt
   (Qwen 1) */
#include "net_length.h"
#include "turns.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char rule[] = "scaling=dynamic(";

static double alpha_of(const struct lct_net_run *r,
                       const struct lct_net_tokens *t, int64_t b)
{
    const int64_t trained = r->n->plan.length_trained;
    int64_t n = t->T;

    if (t->mask != NULL && t->T > trained) {
        n = 0;
        for (int64_t i = 0; i < t->T; i++)
            n += t->mask[b * t->stride + i] != 0;
    }
    if (n <= trained)
        return 1;
    return fmax(exp2(ceil(log2((double)n / (double)trained) + 1)) - 1, 1);
}

locant_status lct_net_length_encoding(locant_encoding **out,
                                      const struct lct_net_run *r,
                                      const struct lct_net_tokens *t)
{
    const char *spec = r->stack->plan->layers[0].spec;
    const char *from = spec != NULL ? strstr(spec, rule) : NULL;
    const char *to = from != NULL ? strchr(from, ')') : NULL;
    const double alpha = alpha_of(r, t, 0);
    char text[256];
    int n;

    *out = NULL;
    if (!r->n->s.by_prompt || to == NULL)
        return LOCANT_OK;
    for (int64_t b = 1; b < r->cache->B; b++)
        if (alpha_of(r, t, b) != alpha)
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "locant_model: rows 0 and %d have lengths of "
                               "different bases (use_dynamic_ntk), run them "
                               "one by one",
                               (int)b);
    n = snprintf(text, sizeof(text), "%.*sscaling=ntk(factor=%.0f%s",
                 (int)(from - spec), spec, alpha, to);
    if (n < 0 || (size_t)n >= sizeof(text))
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "locant_model: a spec is too long");
    return locant_encoding_create(out, text);
}

/* ------------------------------------------------------------------ lengths */

static bool by_length(const struct lct_net_attention *a)
{
    return a->encoding != NULL &&
           (locant_encoding_traits(a->encoding) & LOCANT_TRAIT_LENGTH);
}

bool lct_net_length_matters(const struct lct_net_stack *s)
{
    for (int64_t i = 0; i < s->n_layers; i++)
        if (by_length(&s->layers[i].attention))
            return true;
    return false;
}

/* Positions of all rows, as attention counts them: the largest and one. */
static int64_t length_of(const struct lct_net_cache *c)
{
    int64_t most = 0;

    for (int64_t b = 0; b < c->B; b++)
        for (int64_t s = 0; s < c->length; s++) {
            const int64_t i = b * c->capacity + s;

            if (c->docs[i] >= 0 && c->positions[i] >= most)
                most = c->positions[i] + 1;
        }
    return most;
}

/* Are frequencies and amplitude equal?  A rotation that cannot be written so
   counts as another one. */
static locant_status is_same(bool *out, const struct lct_net_attention *a,
                             int64_t length, int64_t longer)
{
    struct lct_turns x, y;
    locant_status s = lct_turns_of(&x, a->encoding, a->plan->qk_dim, length);

    *out = false;
    if (s != LOCANT_OK)
        return s == LOCANT_ERR_NOMEM ? s : LOCANT_OK;
    s = lct_turns_of(&y, a->encoding, a->plan->qk_dim, longer);
    if (s == LOCANT_OK)
        *out =
            x.about.magnitude == y.about.magnitude &&
            memcmp(x.f, y.f,
                   (size_t)(x.about.axes * x.about.pairs) * sizeof(*x.f)) == 0;
    lct_turns_free(&x);
    lct_turns_free(&y);
    return s == LOCANT_ERR_NOMEM ? s : LOCANT_OK;
}

locant_status lct_net_length_grows(bool *out, const struct lct_net_run *r)
{
    const struct lct_net_stack *s = r->stack;
    bool same = true;
    int64_t n;

    *out = false;
    if (r->encoding != NULL || !lct_net_length_matters(s))
        return LOCANT_OK;
    n = length_of(r->cache);
    for (int64_t i = 0; same && i < s->n_layers; i++)
        if (by_length(&s->layers[i].attention))
            LCT_TRY(is_same(&same, &s->layers[i].attention, n, n + 1));
    *out = !same;
    return LOCANT_OK;
}
