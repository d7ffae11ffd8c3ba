/*
 * compare_rotation.c - two rotations by the frequencies of their pairs
 *
 * Pair c of one is pair c of the other, whatever channels it has: the weights
 * carry the order.  The factor on cosines and sines and the scale of the scores
 * are compared as what they do to a score together.
 */
#include "../core/error.h"
#include "compare.h"
#include "spec_key.h"
#include "turns.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frequencies that differ by less are one number in float32, rounded twice. */
static const double rounding = 0x1p-22;
/* Radians. */
static const double visible = 1e-3;

/* ------------------------------------------------------------------- pairs */

static locant_status read_turns(struct lct_turns *out, const char *spec,
                                int64_t dim, int64_t length)
{
    locant_encoding *e;
    locant_status s;

    *out = (struct lct_turns){ 0 };
    LCT_TRY(locant_encoding_create(&e, spec));
    s = lct_turns_of(out, e, dim, length);
    locant_encoding_free(e);
    return s;
}

/* The frequency of pair c along an axis; *c becomes the next pair that the axis
 * turns, or the number of pairs, then the frequency is 0. */
static double turned(int64_t *c, const struct lct_turns *t, int axis)
{
    const double *f = t->f + axis * t->about.pairs;

    while (*c < t->about.pairs && f[*c] == 0)
        ++*c;
    return *c < t->about.pairs ? f[*c] : 0;
}

/* How many pairs the first axis turns. */
static int64_t count(const struct lct_turns *t)
{
    int64_t n = 0;

    for (int64_t c = 0; turned(&c, t, 0) != 0; c++)
        n++;
    return n;
}

/* How far apart the frequencies are. */
struct distance {
    int64_t pair;    /* that is first seen to differ */
    double largest;  /* difference of frequencies */
    double relative; /* to the larger of the two */
    double f[2];     /* of 'pair' */
};

static void measure(struct distance *d, const struct lct_turns *a,
                    const struct lct_turns *b, int axis)
{
    for (int64_t c = 0, i = 0, j = 0;; c++, i++, j++) {
        double fa = turned(&i, a, axis), fb = turned(&j, b, axis);
        double apart = fabs(fa - fb);

        if (fa == 0 || fb == 0)
            return;
        if (apart > d->largest) {
            d->largest = apart;
            d->pair = c;
            d->f[0] = fa;
            d->f[1] = fb;
        }
        d->relative = fmax(d->relative, apart / fmax(fabs(fa), fabs(fb)));
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
static bool same_channels(struct lct_layer_pair *p, const struct lct_turns *a,
                          const struct lct_turns *b, const char *spec_a,
                          const char *spec_b)
{
    static const char *const pairings[] = { "half", "interleaved" };
    int ia = a->about.interleaved, ib = b->about.interleaved;
    char side[2][32] = { "leading", "leading" };
    int64_t n = count(a);

    if (n != count(b)) {
        lct_compare_numbers(p, "rotated channels", 2 * (double)n,
                            2 * (double)count(b), 0);
        return false;
    }
    if (ia != ib && n > 1 && !p->reordered)
        (void)lct_compare_add(p, "pairing", pairings[ia], pairings[ib]);
    (void)lct_spec_value(side[0], sizeof(side[0]), spec_a, "side");
    (void)lct_spec_value(side[1], sizeof(side[1]), spec_b, "side");
    if (strcmp(side[0], side[1]) != 0 && 2 * n < p->dim && !p->reordered)
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

static void compare_factors(struct lct_layer_pair *p, const struct lct_turns *a,
                            const struct lct_turns *b, const char *spec_a,
                            const char *spec_b)
{
    double sa = of_scores(spec_a), sb = of_scores(spec_b);
    double ga = a->about.magnitude, gb = b->about.magnitude;
    int64_t na = count(a), nb = count(b);

    if (p->la != NULL && p->lb != NULL) {
        sa *= p->la->scale;
        sb *= p->lb->scale;
    }
    if (na > 0 || nb > 0)
        lct_compare_numbers(p, "factor of rotated scores", sa * ga * ga,
                            sb * gb * gb, 1e-6);
    if (2 * na < p->dim || 2 * nb < p->dim_b)
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

/* The lengths at which to compare, at most 6: 1 alone unless a rule depends on
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
        out[n++] = 1;
        return n;
    }
    for (int i = 0; i < 3; i++)
        if (known[i] > 3) {
            out[n++] = known[i];
            out[n++] = known[i] < INT64_MAX / 2 ? known[i] * 2 + 1 : INT64_MAX;
        }
    return n;
}

/* Compare what both are at one length; 'first': and what no length changes. */
static void compare_turns(struct lct_layer_pair *p, const char *spec_a,
                          const char *spec_b, const struct lct_turns *a,
                          const struct lct_turns *b, bool first)
{
    bool alike = true;

    if (a->about.axes != b->about.axes) {
        (void)lct_compare_add(p, "rotation", spec_a, spec_b);
        return;
    }
    if (first) {
        alike = same_channels(p, a, b, spec_a, spec_b);
        compare_factors(p, a, b, spec_a, spec_b);
    }
    for (int axis = alike ? 0 : 1; axis < a->about.axes; axis++) {
        struct distance d = { .pair = -1 };

        measure(&d, a, b, axis);
        judge(p, &d);
    }
}

static locant_status compare_at(struct lct_layer_pair *p, const char *a,
                                const char *b, int64_t length, bool first)
{
    struct lct_turns ta, tb;
    locant_status s;

    LCT_TRY(read_turns(&ta, a, p->dim, length));
    s = read_turns(&tb, b, p->dim_b, length);
    if (s == LOCANT_OK)
        compare_turns(p, a, b, &ta, &tb, first);
    lct_turns_free(&ta);
    lct_turns_free(&tb);
    return s;
}

/* A canonical spec without its pairing: the first n bytes, then the rest. */
struct unpaired {
    const char *spec, *rest;
    size_t n;
};

static struct unpaired unpaired_of(const char *spec)
{
    static const char key[] = "pairing=";
    struct unpaired u = { spec, "", strlen(spec) };
    const char *value;
    const size_t length = lct_spec_key_value(&value, spec, "pairing");

    if (length == 0)
        return u;
    u.rest = value + length;
    u.n = (size_t)(value - spec) - (sizeof(key) - 1);
    if (*u.rest == ',') { /* another key follows */
        u.rest++;
        return u;
    }
    u.n--; /* a comma, or the brackets of no other key */
    u.rest += spec[u.n] == '(';
    return u;
}

static char unpaired_at(const struct unpaired *u, size_t i)
{
    return i < u->n ? u->spec[i] : u->rest[i - u->n];
}

/* The same rule, for pairs that may be other channels. */
static bool same_rule(const char *a, const char *b)
{
    const struct unpaired x = unpaired_of(a), y = unpaired_of(b);
    size_t i = 0;

    while (unpaired_at(&x, i) == unpaired_at(&y, i))
        if (unpaired_at(&x, i++) == '\0')
            return true;
    return false;
}

locant_status lct_compare_rotation(struct lct_layer_pair *p, const char *a,
                                   const char *b)
{
    int64_t lengths[8];
    int n;

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
    n = lengths_of(lengths, p, a, b);
    for (int i = 0; i < n; i++)
        LCT_TRY(compare_at(p, a, b, lengths[i], i == 0));
    if (n > 1 && p->out->n == 0 && p->out->verdict == LOCANT_SAME &&
        !same_rule(a, b)) {
        p->out->verdict = LOCANT_UNSETTLED;
        lct_compare_note(p->out,
                         "Both rules depend on the length of the text, are "
                         "written unlike, and do not differ at the lengths "
                         "that were tried.");
    }
    return LOCANT_OK;
}
