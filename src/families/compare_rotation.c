/*
 * compare_rotation.c - two rotations by the frequencies of their pairs
 *
 * Pair c of one is pair c of the other, whatever channels it has: the weights
 * carry the order.  The factor on cosines and sines and the scale of the scores
 * are compared as what they do to a score together.
 */
#include "../core/error.h"
#include "compare.h"
#include "turns.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A pair of one side. */
struct turn {
    double f, gain;
    int64_t a, b; /* channels */
};

/* The pairs of a rotation along one axis, by their first channel. */
struct turns {
    int64_t n;
    struct turn *at;
};

/* Frequencies that differ by less are one number in float32, rounded twice. */
static const double rounding = 0x1p-22;
/* Radians. */
static const double visible = 1e-3;

/* ------------------------------------------------------------------- pairs */

static locant_status read_turns(struct turns *out, const char *spec,
                                int64_t dim, int64_t length, int axis)
{
    struct lct_turns t;
    locant_encoding *e;
    locant_status s;

    out->n = 0;
    out->at = locant_alloc((size_t)dim * sizeof(*out->at));
    if (out->at == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for heads of %lld",
                           (long long)dim);
    LCT_TRY(locant_encoding_create(&e, spec));
    s = lct_turns_of(&t, e, dim, length, axis);
    locant_encoding_free(e);
    LCT_TRY(s);
    for (int64_t a = 0; a < dim; a++)
        if (t.partner[a] > a)
            out->at[out->n++] =
                (struct turn){ t.f[a], t.gain[a], a, t.partner[a] };
    lct_turns_free(&t);
    return LOCANT_OK;
}

/* Are the pairs made of neighbours, or of halves? */
static bool interleaved(const struct turns *t)
{
    return t->n > 0 && t->at[0].b == t->at[0].a + 1;
}

/* How far apart the frequencies are. */
struct distance {
    int64_t pair;    /* that is first seen to differ */
    double largest;  /* difference of frequencies */
    double relative; /* to the larger of the two */
    double f[2];     /* of 'pair' */
};

static void measure(struct distance *d, const struct turns *a,
                    const struct turns *b)
{
    for (int64_t c = 0; c < a->n && c < b->n; c++) {
        double fa = a->at[c].f, fb = b->at[c].f, apart = fabs(fa - fb);

        if (apart > d->largest) {
            d->largest = apart;
            d->pair = c;
            d->f[0] = fa;
            d->f[1] = fb;
        }
        d->relative =
            fmax(d->relative, apart / fmax(fmax(fabs(fa), fabs(fb)), 1e-300));
    }
}

/* ---------------------------------------------------------------- verdicts */

/* The first position at which an angle is off by more than 'visible'. */
static int64_t first_position(double apart)
{
    double p = floor(visible / apart) + 1;

    return p < 0x1p62 ? (int64_t)p : -1;
}

static void judge(struct lct_layer_pair *p, const struct distance *d)
{
    locant_comparison *out = p->out;
    double radians = d->largest * (double)p->length;
    int64_t position = first_position(d->largest);
    locant_model_difference *row;
    char a[64], b[64];

    if (d->largest == 0)
        return;
    out->exact = 0;
    out->apart = fmax(out->apart, radians);
    if (position > 0 && (out->carries < 0 || position < out->carries))
        out->carries = position;
    if (d->relative <= rounding) {
        if (radians > visible && out->verdict == LOCANT_SAME)
            out->verdict = LOCANT_UNSETTLED;
        return;
    }
    (void)snprintf(a, sizeof(a), "%.9g", d->f[0]);
    (void)snprintf(b, sizeof(b), "%.9g", d->f[1]);
    row = lct_compare_add(p, "frequency", a, b);
    if (row == NULL || row->pair >= 0)
        return;
    row->pair = d->pair;
    row->position = position;
    row->amount = radians;
}

/* Widths, sides and orders; false if pairs cannot be compared. */
static bool same_channels(struct lct_layer_pair *p, const struct turns *a,
                          const struct turns *b, const char *spec_a,
                          const char *spec_b)
{
    char side[2][32] = { "leading", "leading" };

    if (a->n != b->n) {
        lct_compare_numbers(p, "rotated channels", 2 * (double)a->n,
                            2 * (double)b->n, 0);
        return false;
    }
    if (interleaved(a) != interleaved(b) && a->n > 1 && !p->reordered)
        (void)lct_compare_add(p, "pairing",
                              interleaved(a) ? "interleaved" : "half",
                              interleaved(b) ? "interleaved" : "half");
    (void)lct_spec_value(side[0], sizeof(side[0]), spec_a, "side");
    (void)lct_spec_value(side[1], sizeof(side[1]), spec_b, "side");
    if (strcmp(side[0], side[1]) != 0 && 2 * a->n < p->dim && !p->reordered)
        (void)lct_compare_add(p, "side", side[0], side[1]);
    return true;
}

/* -------------------------------------------------------- factors on scores */

/* What yarn's score=yes multiplies all scores by. */
static double of_scores(const char *part)
{
    char word[16];
    double factor, m;

    if (part == NULL || !lct_spec_value(word, sizeof(word), part, "score") ||
        strcmp(word, "yes") != 0)
        return 1;
    factor = lct_spec_number(part, "factor", 1);
    m = lct_spec_number(part, "mscale-all", 0);
    m = factor > 1 ? 0.1 * m * log(factor) + 1 : 1;
    return m * m;
}

static double gain_of(const struct turns *t)
{
    return t->n > 0 ? t->at[0].gain : 1;
}

static void compare_factors(struct lct_layer_pair *p, const struct turns *a,
                            const struct turns *b, const char *spec_a,
                            const char *spec_b)
{
    double sa = of_scores(spec_a), sb = of_scores(spec_b);
    double ga = gain_of(a), gb = gain_of(b);

    if (p->la != NULL && p->lb != NULL) {
        sa *= p->la->scale;
        sb *= p->lb->scale;
    }
    if (a->n > 0 || b->n > 0)
        lct_compare_numbers(p, "factor of rotated scores", sa * ga * ga,
                            sb * gb * gb, 1e-6);
    if (2 * a->n < p->dim || 2 * b->n < p->dim_b)
        lct_compare_numbers(p, "factor of scores", sa, sb, 1e-6);
}

/* The factors where both sides rotate alike. */
static void compare_scales(struct lct_layer_pair *p)
{
    if (p->la != NULL && p->lb != NULL)
        lct_compare_numbers(p, "factor of scores", p->la->scale, p->lb->scale,
                            1e-6);
}

/* ------------------------------------------------------------------- whole */

/* The lengths at which to compare, at most 6: 0 alone unless a rule depends on
 * it.  Returns how many. */
static int lengths_of(int64_t *out, const struct lct_layer_pair *p,
                      const char *a, const char *b)
{
    int64_t known[3] = { (int64_t)lct_spec_number(a, "original", 0),
                         (int64_t)lct_spec_number(b, "original", 0),
                         p->length };
    int n = 0;

    if (((locant_encoding_traits(p->a) | locant_encoding_traits(p->b)) &
         LOCANT_TRAIT_LENGTH) == 0) {
        out[n++] = 0;
        return n;
    }
    for (int i = 0; i < 3; i++)
        if (known[i] > 3) {
            out[n++] = known[i];
            out[n++] = known[i] * 2 + 1;
        }
    return n;
}

static locant_status compare_at(struct lct_layer_pair *p, const char *a,
                                const char *b, int64_t length, int axis,
                                bool first)
{
    struct turns ta = { 0 }, tb = { 0 };
    struct distance d = { .pair = -1 };
    locant_status s = read_turns(&ta, a, p->dim, length, axis);

    if (s == LOCANT_OK)
        s = read_turns(&tb, b, p->dim_b, length, axis);
    if (s == LOCANT_OK && first) {
        if (same_channels(p, &ta, &tb, a, b))
            measure(&d, &ta, &tb);
        compare_factors(p, &ta, &tb, a, b);
    } else if (s == LOCANT_OK) {
        measure(&d, &ta, &tb);
    }
    if (s == LOCANT_OK)
        judge(p, &d);
    locant_release(ta.at);
    locant_release(tb.at);
    return s;
}

static locant_status axes_of(int *axes, const char *spec)
{
    locant_encoding *e;

    LCT_TRY(locant_encoding_create(&e, spec));
    *axes = locant_encoding_axes(e);
    locant_encoding_free(e);
    return LOCANT_OK;
}

locant_status lct_compare_rotation(struct lct_layer_pair *p, const char *a,
                                   const char *b)
{
    int64_t lengths[8];
    int n, axes, axes_b;
    bool differs;

    if (a == NULL || b == NULL) {
        if (a != b)
            (void)lct_compare_add(p, "rotation", a ? a : "none",
                                  b ? b : "none");
        compare_scales(p);
        return LOCANT_OK;
    }
    if (strcmp(a, b) == 0) {
        compare_scales(p);
        return LOCANT_OK;
    }
    LCT_TRY(axes_of(&axes, a));
    LCT_TRY(axes_of(&axes_b, b));
    if (axes != axes_b) {
        (void)lct_compare_add(p, "rotation", a, b);
        return LOCANT_OK;
    }
    n = lengths_of(lengths, p, a, b);
    for (int i = 0; i < n; i++)
        for (int axis = 0; axis < axes; axis++)
            LCT_TRY(compare_at(p, a, b, lengths[i], axis, i == 0 && axis == 0));
    differs = p->out->n > 0;
    if (n > 1 && strcmp(a, b) != 0 && !differs &&
        p->out->verdict == LOCANT_SAME)
        p->out->verdict = LOCANT_UNSETTLED;
    return LOCANT_OK;
}
