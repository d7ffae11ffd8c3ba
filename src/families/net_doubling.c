/*
 * net_doubling.c - the base of Qwen 1 beyond its trained length
 *
 * base f^(n / (n - 2)), f = max(2^ceil(log2(length / trained) + 1) - 1, 1), n
 * the rotated channels.  Source: get_ntk_alpha() and RotaryEmbedding of
 * modeling_qwen.py, which the files of Qwen-7B bring along.
 */
#include "net_doubling.h"
#include "net_family_keys.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the keys say. */
struct sizes {
    int64_t trained, channels;
    double base, share;
};

static locant_status read_sizes(struct sizes *s, const struct lct_net *n)
{
    *s = (struct sizes){ .trained = 2048, .base = 10000, .share = 1 };
    s->channels = n->text.plan->layers[0].qk_dim;
    LCT_TRY(lct_net_family_keys_whole(&s->trained, &n->config, "seq_length"));
    LCT_TRY(lct_net_family_keys_real(&s->base, &n->config, "rotary_emb_base"));
    LCT_TRY(lct_net_family_keys_real(&s->share, &n->config, "rotary_pct"));
    s->channels = (int64_t)((double)s->channels * s->share);
    return LOCANT_OK;
}

static double factor_of(int64_t length, int64_t trained)
{
    const double steps = log2((double)length / (double)trained) + 1;

    return fmax(exp2(ceil(steps)) - 1, 1);
}

/* The factor of all rows: padding counts up to the trained length alone. */
static locant_status find_factor(double *out, const struct lct_net *n,
                                 const struct lct_net_cache *c, int64_t trained)
{
    *out = factor_of(c->length, trained);
    for (int64_t b = 0; c->padded && c->length > trained && b < c->B; b++) {
        int64_t length = 0;

        for (int64_t i = 0; i < c->length; i++)
            length += c->docs[b * c->capacity + i] == 0;
        if (b == 0)
            *out = factor_of(length, trained);
        else if (*out != factor_of(length, trained))
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: rows of unlike lengths have other bases, "
                               "which one call does not compute",
                               n->config.file);
    }
    return LOCANT_OK;
}

/* The spec of the layers with another rotation. */
static locant_status create(locant_encoding **out, const char *spec,
                            const struct sizes *s, double factor)
{
    const char *rope = strstr(spec, "rope(");
    const double power = (double)s->channels / ((double)s->channels - 2);
    char text[256];

    snprintf(text, sizeof(text), "%.*srope(base=%.17g,dim=%d)",
             (int)(rope - spec), spec, s->base * pow(factor, power),
             (int)s->channels);
    return locant_encoding_create(out, text);
}

locant_status lct_net_doubling_choose(struct lct_net_doubling *d,
                                      const struct lct_net *n,
                                      const struct lct_net_cache *c)
{
    const char *spec = n->text.plan->layers[0].spec;
    locant_encoding *e;
    struct sizes s;
    double factor;

    if (strcmp(n->config.model_type, "qwen") != 0 || spec == NULL ||
        strstr(spec, "rope(scaling=dynamic") == NULL)
        return LOCANT_OK;
    LCT_TRY(read_sizes(&s, n));
    if (s.trained < 1 || s.channels < 4)
        return LOCANT_OK;
    LCT_TRY(find_factor(&factor, n, c, s.trained));
    if (d->encoding != NULL && factor == d->factor)
        return LOCANT_OK;
    LCT_TRY(create(&e, spec, &s, factor));
    locant_encoding_free(d->encoding);
    *d = (struct lct_net_doubling){ .encoding = e, .factor = factor };
    return LOCANT_OK;
}
