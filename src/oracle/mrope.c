/*
 * mrope.c - M-RoPE: Qwen2-VL (arXiv:2409.12191v2, section 2.1: sections one
 * after another), Qwen3-VL (arXiv:2511.21631v1: t h w t h w ..), GLM-4.1V
 * (arXiv:2507.01006v6: chunked, adjacent pairs), ERNIE 4.5-VL (its modelling
 * code: sections h, w, t; h and w alternate, then t).  A scaling rescales the
 * frequency of a pair, whichever coordinate is multiplied by it.
 */
#include "rope.h"

static const struct oracle_spec specs[] = {
    { .text = "mrope(sections=1:1:2)", .D = 8 },
    { .text = "mrope(sections=2:1:1,layout=interleaved)", .D = 8 },
    { .text = "mrope(sections=2:1:1,layout=interleaved,pairing=interleaved,"
              "base=70)",
      .D = 8 },
    { .text = "mrope(sections=1:1:2,layout=ernie,pairing=interleaved)",
      .D = 8 },
    { .text = "mrope(sections=1:1:1,layout=ernie,pairing=half,dim=6)", .D = 8 },
    { .text = "mrope(sections=1:1:1,layout=glm,dim=6)", .D = 8 },
    { .text = "mrope(sections=0:2:2,layout=chunked,pairing=interleaved)",
      .D = 8 },
    { .text = "mrope(sections=2:2:0,layout=interleaved,base=20)", .D = 8 },
    { .text = "mrope(sections=1:1:2,scaling=yarn(factor=4,original=64))",
      .D = 8 },
    { .text = "mrope(sections=2:1:1,layout=interleaved,base=100,scaling=yarn("
              "factor=8,original=32,mscale=.5,mscale-all=.5,score=yes))",
      .D = 8 },
    { .text = "mrope(sections=1:1:1,layout=glm,dim=6,scaling=linear(factor=3))",
      .D = 8 },
    { .text = "mrope(sections=1:0:2:1)", .D = 8 },
    { .text = "mrope(sections=1:3,pairing=interleaved)", .D = 8 },
    { .text = "mrope(sections=2:1:1,layout=video,base=30)", .D = 8 },
    { .text = "mrope(sections=1:1:1,layout=hope,dim=6)", .D = 8 },
    { 0 }
};

/* VideoRoPE (arXiv:2502.05173v3) and HoPE (arXiv:2505.20444v2) alternate h and
 * w, h first, and then take t, whose frequency is 0 in HoPE. */
static int is_video(const char *spec)
{
    return oracle_word(spec, "layout", "video", 0) ||
           oracle_word(spec, "layout", "hope", 0);
}

/* Axis (t 0, h 1, w 2) of pair c; of chunks, the section. */
static int axis_of(const char *spec, int64_t c)
{
    double s[8] = { 0, 0, 0 }, at = (double)c;
    int axis = 0;

    oracle_numbers(s, 8, spec, "sections");
    if (is_video(spec))
        return at >= s[1] + s[2] ? 0 : c % 2 == 0 ? 1 : 2;
    if (oracle_word(spec, "layout", "interleaved", 0))
        return c % 3 == 1 && at < 3 * s[1]   ? 1
               : c % 3 == 2 && at < 3 * s[2] ? 2
                                             : 0;
    if (oracle_word(spec, "layout", "ernie", 0))
        return at >= s[0] + s[1] ? 0 : c % 2 == 0 ? 1 : 2;
    while (at >= s[axis])
        at -= s[axis++];
    return axis;
}

static cx rotated(const struct oracle_call *call, int key, int64_t b, int64_t h,
                  int64_t t, const cx *x, int64_t d)
{
    int64_t dim = (int64_t)oracle_number(call->spec, "dim", (double)call->D);
    int glm = oracle_word(call->spec, "layout", "glm", 0);
    struct oracle_pair p = oracle_pair_of(
        d, dim, oracle_word(call->spec, "pairing", "interleaved", glm));
    struct oracle_scaling s = { .dim = dim };
    double angle;

    (void)h;
    if (d >= dim)
        return x[d];
    oracle_rope_scaling(&s, call->spec, p.c);
    if (axis_of(call->spec, p.c) == 0 &&
        oracle_word(call->spec, "layout", "hope", 0))
        s.frequency = 0;
    angle =
        s.frequency * oracle_coord(call, key, b, t, axis_of(call->spec, p.c),
                                   (double)oracle_position(call, key, b, t));
    return oracle_rotate_pair(x, d, p, s.magnitude * cos(angle),
                              s.magnitude * sin(angle));
}

const struct oracle mrope_oracle = {
    .name = "mrope",
    .specs = specs,
    .rotated = rotated,
    .factor = oracle_rope_score,
    .float_table = 1,
    .real = 1,
};
