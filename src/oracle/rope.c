/*
 * rope.c - Su et al. 2021, arXiv:2104.09864v5, eq. (15) and (34), with the
 * frequencies of rope_scaling.c; float recipes of transformers (inv_freq in
 * float32) and ggml (ggml_rope_cache_init: theta *= theta_scale).
 */
#include "rope.h"
#include "exact.h"

static int choose(char *spec, size_t size, int i, int64_t *D, int64_t *W,
                  int64_t *low, int64_t *high)
{
    static const char *const specs[] = {
        "rope", /* far away, any even D */
        "rope(base=500,pairing=interleaved)",
        "rope(dim=4)",
        "rope(dim=4,side=trailing,pairing=interleaved)",
        "rope(dim=2,side=trailing)",
        "rope(dim=4,side=leading)",
        "rope(angles=hf)",
        "rope(angles=ggml,pairing=interleaved,base=300)",
        "rope(scaling=none)",
        "rope(scaling=linear(factor=4))",
        "rope(scaling=ntk(factor=4))",
        "rope(scaling=yarn(factor=4,original=64))",
        "rope(pairing=interleaved,scaling=yarn(factor=4,original=64,fast=4,"
        "slow=0.25,truncate=no))",
        "rope(base=100,scaling=yarn(factor=16,original=32,attention=1.5))",
        "rope(scaling=yarn(factor=40,original=64,mscale=0.707,"
        "mscale-all=1.2))",
        "rope(dim=4,side=trailing,scaling=yarn(factor=40,original=64,"
        "mscale=0.5,mscale-all=0.5,score=yes))",
        "rope(scaling=yarn(factor=4,original=40,fast=1))",
        "rope(base=100,scaling=llama3(factor=8,low=1,high=4,original=64))",
        "rope(scaling=llama3(factor=2,low=1,high=1,original=64))",
        "rope(scaling=proportional(partial=0.5))",
        "rope(base=50,scaling=proportional(partial=0.75,factor=2))",
        "rope(dim=4,scaling=linear(factor=3),side=trailing)",
        /* These depend on the longest position. */
        "rope(scaling=dynamic(factor=2,original=4))",
        "rope(scaling=yarn(factor=4,original=4,dynamic=yes))",
        "rope(dim=4,scaling=longrope(original=4,factor=8,short=1:1.1,"
        "long=1:3))",
        "rope(dim=4,scaling=longrope(original=5,attention=1.25,short=1:1.5,"
        "long=2:4))",
        "rope(scaling=dynamic(factor=2,original=4,length=call))",
    };

    (void)W;
    *D = i == 0 ? oracle_multiple(*D, 2) : i < 17 && i > 5 ? 8 : 6;
    *low = i < 2 ? -0x100000 : i >= 22 ? 0 : -100;
    *high = i < 2 ? 0x100000 : i >= 22 ? 40 : 100;
    return oracle_spec(spec, size, i, specs, sizeof(specs) / sizeof(specs[0]));
}

/* What the library would make of the caller's coordinate, else the position. */
static double position(const struct oracle_call *w, int key, int64_t b,
                       int64_t t)
{
    if ((key ? w->k_coords : w->q_coords) != NULL)
        return oracle_coord(w, key, b, t, 0, 0);
    return (double)oracle_position(w, key, b, t);
}

/* float32 throughout, as transformers and as ggml. */
static void float_recipe(double *cosine, double *sine,
                         const struct oracle_call *w,
                         int64_t c, int64_t dim, double pos)
{
    float base = (float)oracle_number(w->spec, "base", 10000), angle;

    if (oracle_word(w->spec, "angles", "hf", 0)) {
        float inverse =
            1.0f / powf(base, (float)(2 * c) / (float)dim);

        angle = inverse * (float)pos;
    } else {
        float step = powf(base, -2.0f / (float)dim);

        angle = (float)pos;
        while (c-- > 0)
            angle *= step;
    }
    *cosine = (double)cosf(angle);
    *sine = (double)sinf(angle);
}

/* Far away double is not enough; no scaled frequency is asked for there. */
static void angle_of(double *cosine, double *sine, const char *spec,
                     const struct oracle_scaling *s, int64_t c, double pos)
{
    long double exact[2];

    if (fabs(pos) <= 0x1p20) {
        *cosine = cos(pos * s->frequency);
        *sine = sin(pos * s->frequency);
        return;
    }
    exact_angle(&exact[0], &exact[1],
                exact_frequency(oracle_number(spec, "base", 10000), c, s->dim),
                pos);
    *cosine = (double)exact[0];
    *sine = (double)exact[1];
}

static cx rotated(const struct oracle_call *w, int key, int64_t b, int64_t h,
                 int64_t t, const cx *x, int64_t d)
{
    int64_t dim = (int64_t)oracle_number(w->spec, "dim", (double)w->D);
    int64_t first = oracle_word(w->spec, "side", "trailing", 0) ? w->D - dim
                                                               : 0;
    struct oracle_scaling s = { .dim = dim, .length = oracle_length(w, b) };
    double pos = position(w, key, b, t), cosine, sine;
    struct oracle_pair p;

    (void)h;
    if (d < first || d >= first + dim)
        return x[d];
    p = oracle_pair_of(d - first, dim,
                  oracle_word(w->spec, "pairing", "interleaved", 0));
    oracle_rope_scaling(&s, w->spec, p.c);
    if (oracle_word(w->spec, "angles", "hf", 0) ||
        oracle_word(w->spec, "angles", "ggml", 0)) {
        float_recipe(&cosine, &sine, w, p.c, dim, pos);
    } else {
        angle_of(&cosine, &sine, w->spec, &s, p.c, pos);
        cosine *= s.magnitude;
        sine *= s.magnitude;
    }
    return oracle_rotate_pair(x + first, d - first, p, cosine, sine);
}

extern const struct oracle rope_oracle;
const struct oracle rope_oracle = {
    .name = "rope", .choose = choose, .rotated = rotated,
    .factor = oracle_rope_score, .float_table = 1, .real = 1,
    .far = INT32_MAX,
};
