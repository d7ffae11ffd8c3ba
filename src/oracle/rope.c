/*
 * rope.c - Su et al. 2021, arXiv:2104.09864v5, eq. (15) and (34), with the
 * frequencies of rope_scaling.c; float recipes of transformers (inv_freq in
 * float32) and ggml (ggml_rope_cache_init: theta *= theta_scale).
 */
#include "rope.h"
#include "exact.h"

/* clang-format off */
static const struct oracle_spec specs[] = {
    /* far away, any even D */
    { .text = "rope", .low = -(1 << 20), .high = 1 << 20 },
    { .text = "rope(base=500,pairing=interleaved)",
      .low = -(1 << 20), .high = 1 << 20, .D = 6 },
    { .text = "rope(dim=4)", .D = 6 },
    { .text = "rope(dim=4,side=trailing,pairing=interleaved)", .D = 6 },
    { .text = "rope(dim=2,side=trailing)", .D = 6 },
    { .text = "rope(dim=4,side=leading)", .D = 6 },
    { .text = "rope(angles=hf)", .D = 8 },
    { .text = "rope(angles=ggml,pairing=interleaved,base=300)", .D = 8 },
    { .text = "rope(scaling=none)", .D = 8 },
    { .text = "rope(scaling=linear(factor=4))", .D = 8 },
    { .text = "rope(scaling=ntk(factor=4))", .D = 8 },
    { .text = "rope(scaling=yarn(factor=4,original=64))", .D = 8 },
    { .text =
          "rope(pairing=interleaved,scaling=yarn(factor=4,original=64,fast=4,"
              "slow=0.25,truncate=no))", .D = 8 },
    { .text =
          "rope(base=100,scaling=yarn(factor=16,original=32,attention=1.5))",
      .D = 8 },
    { .text = "rope(scaling=yarn(factor=40,original=64,mscale=0.707,"
              "mscale-all=1.2))", .D = 8 },
    { .text = "rope(dim=4,side=trailing,scaling=yarn(factor=40,original=64,"
              "mscale=0.5,mscale-all=0.5,score=yes))", .D = 8 },
    { .text = "rope(scaling=yarn(factor=4,original=40,fast=1))", .D = 8 },
    { .text =
          "rope(base=100,scaling=llama3(factor=8,low=1,high=4,original=64))",
      .D = 6 },
    { .text = "rope(scaling=llama3(factor=2,low=1,high=1,original=64))",
      .D = 6 },
    { .text = "rope(scaling=proportional(partial=0.5))", .D = 6 },
    { .text = "rope(base=50,scaling=proportional(partial=0.75,factor=2))",
      .D = 6 },
    { .text = "rope(dim=4,scaling=linear(factor=3),side=trailing)", .D = 6 },
    { .text = "rope(scaling=mixed-radix(factor=4,original=512,fast=8))",
      .D = 12 },
    { .text = "rope(scaling=mixed-radix(kind=uni,factor=8,original=4096))",
      .D = 12 },
    { .text = "rope(freqs=list(values=1:0.25:0:0.0078125:2.5))", .D = 10 },
    { .text = "rope(freqs=geometric(ratio=64,keep=0.5),pairing=interleaved)",
      .D = 12 },
    { .text = "rope(cut=pairs(n=2))", .D = 8 },
    { .text = "rope(base=50,cut=part(keep=0.5),side=trailing,dim=8)", .D = 10 },
    { .text = "rope(cut=length(length=64),scaling=linear(factor=2))", .D = 8 },
    { .text = "rope(base=100,taper=cosine(pairs=3))", .D = 8 },
    { .text = "rope(taper=cosine(pairs=4),cut=pairs(n=1),scaling=yarn("
              "factor=4,original=64))", .D = 10 },
    /* These depend on the longest position. */
    { .text = "rope(taper=cosine(pairs=3),scaling=dynamic(factor=2,"
              "original=4))", .high = 40, .D = 8 },
    { .text = "rope(scaling=dynamic(factor=2,original=4))",
      .high = 40, .D = 6 },
    { .text = "rope(scaling=yarn(factor=4,original=4,dynamic=yes))",
      .high = 40, .D = 6 },
    { .text = "rope(dim=4,scaling=longrope(original=4,factor=8,short=1:1.1,"
              "long=1:3))", .high = 40, .D = 6 },
    { .text =
          "rope(dim=4,scaling=longrope(original=5,attention=1.25,short=1:1.5,"
              "long=2:4))", .high = 40, .D = 6 },
    { .text = "rope(scaling=longrope(original=4,factor=8,critical=2))",
      .high = 40, .D = 8 },
    { .text = "rope(scaling=dynamic(factor=2,original=4,length=call))",
      .high = 40, .D = 6 },
    { 0 }
};
/* clang-format on */

/* The angle in float32 throughout, as transformers and ggml compute it. */
static void float_recipe(double *cosine, double *sine,
                         const struct oracle_call *call, int64_t c, int64_t dim,
                         double pos)
{
    float base = (float)oracle_number(call->spec, "base", 10000), angle;

    if (oracle_word(call->spec, "angles", "hf", 0)) {
        float inverse = 1.0f / powf(base, (float)(2 * c) / (float)dim);

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

/*
 * Double is not enough at far positions, which are tested without scaling only.
 */
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

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    int64_t dim = (int64_t)oracle_number(call->spec, "dim", (double)call->D);
    int64_t first =
        oracle_word(call->spec, "side", "trailing", 0) ? call->D - dim : 0;
    struct oracle_scaling s = { .dim = dim, .length = oracle_length(call, b) };
    double pos = oracle_coord(call, key, b, t, 0,
                              (double)oracle_position(call, key, b, t));
    double cosine, sine;
    struct oracle_pair p;

    (void)h;
    if (d < first || d >= first + dim)
        return x[d];
    p = oracle_pair_of(d - first, dim,
                       oracle_word(call->spec, "pairing", "interleaved", 0));
    oracle_rope_scaling(&s, call->spec, p.c);
    if (oracle_word(call->spec, "angles", "hf", 0) ||
        oracle_word(call->spec, "angles", "ggml", 0)) {
        float_recipe(&cosine, &sine, call, p.c, dim, pos);
    } else {
        angle_of(&cosine, &sine, call->spec, &s, p.c, pos);
        cosine *= s.magnitude;
        sine *= s.magnitude;
    }
    return oracle_rotate_pair(x + first, d - first, p, cosine, sine);
}

/* clang-format off */
const struct oracle rope_oracle = {
    .name = "rope", .specs = specs, .D_step = 2, .rotated = rotated,
    .factor = oracle_rope_score, .float_table = 1, .real = 1,
    .far = INT32_MAX,
};
/* clang-format on */
