/*
 * rope_imaginary.c - RoPE++: heads that score by the imaginary part of the
 * rotated product.
 *
 * Liu et al.: RoPE++. 2025. arXiv:2512.07525.
 * The product of a rotated query and key is the real part of a complex sum.
 * Its imaginary part is the score of the query rotated by a quarter turn less,
 * R(p f - pi/2) q, with the same rotated key.  So imaginary heads need no keys
 * of their own: give attention every query head twice, q0 q0 q1 q1 .., and with
 * heads=odd it returns the real and the imaginary output of head 0, then of
 * head 1.  The keys are those of rope, to the bit of their angles, and a cache
 * of them serves both.  In the paper that is EC, twice the outputs of as many
 * keys, or EH, as many outputs of half the queries and keys.
 */
#include "rotate.h"
#include <math.h>

enum { BASE, PAIRING, HEADS };
enum { ODD, UPPER };

static const char *const pairings[] = { "half", "interleaved", NULL };
static const char *const heads_words[] = { "odd", "upper", NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    LCT_BASE(10000, "as in rope"),
    { .name = "pairing", .kind = LCT_WORD, .def = LCT_HALF, .words = pairings,
      .doc = "as in rope" },
    { .name = "heads", .kind = LCT_WORD, .def = ODD, .words = heads_words,
      .doc = "imaginary query heads: odd, every second one; upper, the second "
             "half" },
    { 0 }
};
/* clang-format on */

static locant_status schedule(struct lct_schedule **out,
                              const struct lct_schedule_use *u)
{
    *out = NULL;
    LCT_TRY(lct_rotate_check_pairs(u->fn, u->dim));
    LCT_TRY(lct_schedule_make(out, u, u->e->value[BASE], u->dim / 2));
    (*out)->pairing = (enum lct_pairing)u->e->value[PAIRING];
    return LOCANT_OK;
}

static bool is_imaginary(const struct lct_call *c, enum lct_role role,
                         int64_t head)
{
    if (role == LCT_KEY)
        return false;
    return c->e->value[HEADS] == ODD ? head % 2 == 1
                                     : head >= (c->heads + 1) / 2;
}

/* out = R(sign f) x for real heads; an imaginary head has cos(f - pi/2) = sin f
 * and sin(f - pi/2) = -cos f. */
static void apply(double *out, const double *x, const struct lct_call *c,
                  bool imaginary, const struct lct_point *at, double sign)
{
    const struct lct_schedule *s = lct_schedule_kept(c->e, c->head_dim);
    bool half = s->pairing == LCT_HALF;

    for (int64_t i = 0; i < s->pairs; i++) {
        int64_t a = half ? i : 2 * i, b = half ? i + s->pairs : 2 * i + 1;
        double cosine, sine, real, back;

        lct_rotate_angle(&cosine, &sine, s->frequency[i], at);
        real = imaginary ? sine : cosine;
        back = sign * (imaginary ? -cosine : sine);
        out[a] = x[a] * real - x[b] * back;
        out[b] = x[a] * back + x[b] * real;
    }
}

static void map(double *out, const double *x, const struct lct_call *c,
                enum lct_role role, int64_t head, const struct lct_point *at)
{
    apply(out, x, c, is_imaginary(c, role, head), at, 1);
}

static void inverse(double *out, const double *x, const struct lct_call *c,
                    enum lct_role role, int64_t head,
                    const struct lct_point *at)
{
    apply(out, x, c, is_imaginary(c, role, head), at, -1);
}

/* forward: out = R x with R orthogonal, so dx = R^T dout */
static void backward(double *dx, double *const *dparam, const double *dout,
                     const double *x, const struct lct_call *c,
                     enum lct_role role, int64_t head,
                     const struct lct_point *at)
{
    (void)dparam;
    (void)x;
    apply(dx, dout, c, is_imaginary(c, role, head), at, -1);
}

const struct lct_encoding lct_enc_rope_imaginary = {
    .info = {
        .name = "rope-imaginary",
        .title = "RoPE++: imaginary heads",
        .formula = "real heads as in rope; imaginary query heads rotate by f - "
                   "pi/2, f = p base^(-2c/D), and score by the imaginary part "
                   "of the product",
        .source = "Liu et al. 2025, arXiv:2512.07525",
        .used_by = "RoPE++ (EC, EH)",
        .pitfalls = "Give every query head twice, side by side: a real and an "
                    "imaginary output come back; keys are rope's. The score of "
                    "an imaginary head is 0 for equal vectors at one place.",
        .doors = LOCANT_DOOR_ROTATE,
        .traits = LOCANT_TRAIT_RELATIVE | LOCANT_TRAIT_ISOMETRIC,
        .gradient = "dx = R(-f) dy, of imaginary query heads R(pi/2 - f) dy",
    },
    .keys = keys,
    .schedule = { .create = schedule },
    .rotate = { .map = map, .inverse = inverse, .backward = backward },
};
