/*
 * vector_angles.c - frequencies beyond the trained length, from their papers:
 * position interpolation (arXiv:2306.15595v2, eq. (4)), NTK and dynamic NTK
 * (bloc97 2023), YaRN (arXiv:2309.00071v2, section 3, by index of the pair as
 * its code), LongRoPE (arXiv:2402.13753v1), Llama 3.1 (its apply_scaling()),
 * p-RoPE (arXiv:2410.06205v3).  They share nothing with the library.
 */
#include "vector_angles.h"
#include "locant/core.h"
#include "oracle/oracle.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SPEC_ROOM = sizeof((struct lct_vector_angles *)0)->schedule };

struct rope {
    const char *spec;
    double base, factor, original;
    int64_t dim, length; /* rotated channels; 1 + the longest position */
};

static struct exact number(const struct rope *r, const char *key,
                           double fallback)
{
    return exact_of((long double)oracle_number(r->spec, key, fallback));
}

static struct exact plain(const struct rope *r, int64_t c)
{
    return exact_frequency(r->base, c, r->dim);
}

/* The base times factor^(dim/(dim - 2)) gives base^(-2c/dim) factor^(-2c/(dim
   - 2)). */
static struct exact stretched(const struct rope *r, int64_t c, double factor)
{
    return exact_times(plain(r, c), exact_frequency(factor, c, r->dim - 2));
}

static struct exact dynamic(const struct rope *r, int64_t c)
{
    double length = fmax((double)r->length, r->original);

    return stretched(r, c, r->factor * length / r->original - (r->factor - 1));
}

/* ------------------------------------------------------------------- YaRN */

/* 0.1 m ln factor + 1 */
static struct exact mscale(double factor, struct exact m)
{
    struct exact tenth = exact_divide(m, exact_of(10));

    if (factor <= 1)
        return exact_of(1);
    return exact_add(
        exact_times(tenth, exact_log(exact_of((long double)factor))),
        exact_of(1));
}

static struct exact yarn_magnitude(const struct rope *r)
{
    struct exact m = number(r, "mscale", 0), all = number(r, "mscale-all", 0);

    if (oracle_number(r->spec, "attention", 0) > 0)
        return number(r, "attention", 1);
    if (m.hi > 0 && all.hi > 0)
        return exact_divide(mscale(r->factor, m), mscale(r->factor, all));
    return mscale(r->factor, exact_of(1));
}

/* The pair that turns 'beta' times within the original length: dim ln(original
   / (2 pi beta)) / (2 ln base). */
static struct exact pair_of(const struct rope *r, struct exact beta)
{
    struct exact ratio = exact_divide(exact_of((long double)r->original),
                                      exact_times(exact_turn(), beta));
    struct exact down =
        exact_times(exact_of(2), exact_log(exact_of((long double)r->base)));

    return exact_divide(
        exact_times(exact_of((long double)r->dim), exact_log(ratio)), down);
}

/* The part of pair c that is interpolated: 0 .. 1. */
static struct exact ramp(const struct rope *r, int64_t c)
{
    struct exact low = pair_of(r, number(r, "fast", 32)), share;
    struct exact high = pair_of(r, number(r, "slow", 1));

    if (!oracle_word(r->spec, "truncate", "no", 0)) {
        low = exact_of(floorl(low.hi));
        high = exact_of(ceill(high.hi));
    }
    if (low.hi < 0)
        low = exact_of(0);
    if (high.hi > (long double)(r->dim - 1))
        high = exact_of((long double)(r->dim - 1));
    if (low.hi == high.hi)
        high = exact_add(high, exact_divide(exact_of(1), exact_of(1000)));
    low = exact_negate(low);
    share = exact_divide(exact_add(exact_of((long double)c), low),
                         exact_add(high, low));
    return share.hi < 0 ? exact_of(0) : share.hi > 1 ? exact_of(1) : share;
}

/* (1 - part) f + part f / factor */
static struct exact mixed(struct exact f, struct exact part, double factor)
{
    struct exact rest = exact_add(exact_of(1), exact_negate(part));

    part = exact_divide(part, exact_of((long double)factor));
    return exact_times(f, exact_add(rest, part));
}

/* -------------------------------------------------------------- the others */

static struct exact longrope(const struct rope *r, int64_t c)
{
    double list[64];

    oracle_numbers(list, 64, r->spec,
                   (double)r->length > r->original ? "long" : "short");
    return exact_divide(plain(r, c), exact_of((long double)list[c]));
}

static struct exact longrope_magnitude(const struct rope *r)
{
    struct exact factor = exact_of((long double)r->factor);
    struct exact original = exact_of((long double)r->original);

    return exact_sqrt(exact_add(
        exact_of(1), exact_divide(exact_log(factor), exact_log(original))));
}

/* Turns of the pair within the original length decide. */
static struct exact llama3(const struct rope *r, int64_t c)
{
    struct exact f = plain(r, c), low = number(r, "low", 1);
    struct exact high = number(r, "high", 4), turns, smooth;

    turns = exact_divide(exact_times(f, exact_of((long double)r->original)),
                         exact_turn());
    if (turns.hi > high.hi)
        return f;
    if (turns.hi < low.hi)
        return exact_divide(f, exact_of((long double)r->factor));
    low = exact_negate(low);
    smooth = exact_divide(exact_add(turns, low), exact_add(high, low));
    return mixed(f, exact_add(exact_of(1), exact_negate(smooth)), r->factor);
}

static struct exact proportional(const struct rope *r, int64_t c)
{
    double rotating =
        floor(oracle_number(r->spec, "partial", 0.25) * (double)r->dim / 2);

    return (double)c < rotating
               ? exact_divide(plain(r, c), exact_of((long double)r->factor))
               : exact_of(0);
}

static struct exact frequency(const struct rope *r, int64_t c)
{
    if (oracle_word(r->spec, "scaling", "linear", 0))
        return exact_divide(plain(r, c), exact_of((long double)r->factor));
    if (oracle_word(r->spec, "scaling", "ntk", 0))
        return stretched(r, c, r->factor);
    if (oracle_word(r->spec, "scaling", "dynamic", 0))
        return dynamic(r, c);
    if (oracle_word(r->spec, "scaling", "yarn", 0))
        return mixed(plain(r, c), ramp(r, c), r->factor);
    if (oracle_word(r->spec, "scaling", "longrope", 0))
        return longrope(r, c);
    if (oracle_word(r->spec, "scaling", "llama3", 0))
        return llama3(r, c);
    if (oracle_word(r->spec, "scaling", "proportional", 0))
        return proportional(r, c);
    return plain(r, c);
}

static struct exact magnitude(const struct rope *r)
{
    if (oracle_word(r->spec, "scaling", "yarn", 0))
        return yarn_magnitude(r);
    if (oracle_word(r->spec, "scaling", "longrope", 0))
        return longrope_magnitude(r);
    return exact_of(1);
}

static double on_score(const struct rope *r)
{
    struct exact m = mscale(r->factor, number(r, "mscale-all", 0));

    return oracle_word(r->spec, "score", "yes", 0)
               ? (double)exact_times(m, m).hi
               : 1;
}

/* ------------------------------------------------------------------ angles */

static void read_rope(struct rope *r, const char *spec, int64_t pairs,
                      int64_t length)
{
    r->spec = spec;
    r->base = oracle_number(spec, "base", 10000);
    r->factor = oracle_number(spec, "factor", 1);
    r->original = oracle_number(spec, "original", 1);
    r->dim = 2 * pairs;
    r->length = length;
    if (oracle_word(spec, "dynamic", "yes", 0))
        r->factor = fmax((double)length / r->original, 1);
}

static void fill(struct lct_vector_angles *out, const struct rope *r,
                 const struct lct_vector_positions *p, int64_t offset)
{
    for (int64_t c = 0; c < out->pairs; c++) {
        out->frequency[c] = frequency(r, c);
        out->unscaled[c] = plain(r, c);
    }
    for (int64_t i = 0; i < out->n; i++) {
        long double at =
            (long double)(lct_vector_groups_position(p, i) + offset);

        for (int64_t c = 0; c < out->pairs; c++)
            exact_cosine_sine(&out->cosine[i * out->pairs + c],
                              &out->sine[i * out->pairs + c],
                              exact_times(out->frequency[c], exact_of(at)));
    }
}

/* The spec without the keys that only choose channels. */
static void put_schedule(char *out, const char *spec)
{
    static const char *const keys[] = { "pairing=interleaved,",
                                        "pairing=interleaved", "side=trailing,",
                                        "side=trailing" };
    char *at;

    snprintf(out, SPEC_ROOM, "%s", spec);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        while ((at = strstr(out, keys[i])) != NULL)
            memmove(at, at + strlen(keys[i]), strlen(at + strlen(keys[i])) + 1);
}

static int64_t longest_of(const struct lct_vector_positions *p, int64_t offset)
{
    int64_t longest = 0;

    for (int64_t i = 0; i < p->n; i++)
        if (lct_vector_groups_position(p, i) + offset > longest)
            longest = lct_vector_groups_position(p, i) + offset;
    return longest;
}

locant_status lct_vector_angles_make(struct lct_vector_angles *a,
                                     const char *spec, int64_t pairs,
                                     const struct lct_vector_positions *p,
                                     int64_t offset)
{
    size_t n = (size_t)(2 * (p->n + 1) * pairs);
    char schedule[SPEC_ROOM];
    struct rope r;

    put_schedule(schedule, spec);
    if (a->memory != NULL && a->pairs == pairs && a->positions == p &&
        a->offset == offset && strcmp(a->schedule, schedule) == 0)
        return LOCANT_OK;
    lct_vector_angles_free(a);
    a->memory = locant_alloc(n * sizeof *a->cosine);
    if (a->memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "angles of %lld positions",
                           (long long)p->n);
    memcpy(a->schedule, schedule, sizeof schedule);
    a->n = p->n;
    a->pairs = pairs;
    a->positions = p;
    a->offset = offset;
    a->cosine = a->memory;
    a->sine = a->cosine + p->n * pairs;
    a->frequency = a->sine + p->n * pairs;
    a->unscaled = a->frequency + pairs;
    read_rope(&r, spec, pairs, longest_of(p, offset) + 1);
    a->magnitude = magnitude(&r);
    a->factor = r.factor;
    a->on_score = on_score(&r);
    fill(a, &r, p, offset);
    return LOCANT_OK;
}

void lct_vector_angles_free(struct lct_vector_angles *a)
{
    locant_release(a->memory);
    a->memory = NULL;
}
