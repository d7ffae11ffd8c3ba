/*
 * temperature.c - multiply queries by a factor that grows with position, which
 * keeps attention sharp over long contexts.
 *
 *     llama4     1 + scale ln(1 + floor((p + 1) / floor))
 *     ministral  1 + scale ln(1 + floor(p / floor))
 *     logn       max(1, ln(p + 1) / ln(length))
 *     inkling    1 + scale ln(max(1, (p + 1) / floor))
 *
 * llama4: transformers, models/llama4 (layers without RoPE); ministral: models/
 * ministral3 (all layers); inkling: models/inkling; logn: Su Jianlin 2021 and
 * 2023 (kexue.fm 8823, bojone/rerope), Qwen 1's use_logn_attn, after Chiang and
 * Cholak 2022, arXiv:2202.12172.  Positions below 0 count as 0.  This
 * encoding has no door: it is added to another one, or used alone.
 */
#include "encoding.h"
#include "../positions/distance.h"

enum { KIND, SCALE, FLOOR, LENGTH };
enum { LLAMA4, MINISTRAL, LOGN, INKLING };

static const char *const kinds[] = { "llama4", "ministral", "logn", "inkling",
                                     NULL };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "kind", .kind = LCT_WORD, .def = LLAMA4, .words = kinds,
      .doc = "which formula" },
    { .name = "scale", .kind = LCT_NUMBER, .def = 0.1, .min = 0, .max = 1e6,
      .doc = "attn_scale; logn does not read it" },
    { .name = "floor", .kind = LCT_INTEGER, .def = 8192, .min = 1,
      .max = 1LL << 40, .doc = "up to this position the factor is 1 "
      "(floor_scale; original length of ministral)" },
    { .name = "length", .kind = LCT_INTEGER, .def = NAN, .min = 2,
      .max = 1LL << 40, .doc = "logn: the trained length; left out: floor" },
    { 0 }
};
/* clang-format on */

static int64_t trained(const locant_encoding *e)
{
    return (int64_t)(isnan(e->value[LENGTH]) ? e->value[FLOOR]
                                             : e->value[LENGTH]);
}

static locant_status check(const locant_encoding *e)
{
    if (e->value[KIND] == LOGN && trained(e) < 2)
        return LCT_REFUSE("floor of temperature is 1, expected a length of at "
                          "least 2 for logn, whose logarithm divides");
    return LOCANT_OK;
}

static double temperature(const locant_encoding *e, int64_t q_pos)
{
    double scale = e->value[SCALE];
    int64_t p = q_pos < 0 ? 0 : q_pos, length = (int64_t)e->value[FLOOR];

    switch ((int)e->value[KIND]) {
    case LLAMA4: return lct_temperature_llama4(scale, length, p);
    case MINISTRAL: return lct_temperature_ministral(scale, length, p);
    case INKLING: return lct_temperature_inkling(scale, length, p);
    default: return lct_temperature_logn(trained(e), p);
    }
}

static const locant_variant variants[] = {
    { "temperature", "layers without RoPE", "Llama 4" },
    { "temperature(kind=ministral,floor=16384)+rope(base=1000000)",
      "all layers", "Ministral 3" },
    { "temperature(kind=logn,length=2048)+rope", "log-n attention",
      "Qwen 1, ReRoPE" },
    { 0 }
};

const struct lct_encoding lct_enc_temperature = {
    .info = {
        .name = "temperature",
        .title = "Attention temperature by position",
        .formula = "q_i <- tau(p_i) q_i; llama4: tau = 1 + scale ln(1 + "
                   "floor((p + 1) / floor)); logn: max(1, ln(p + 1) / "
                   "ln(length))",
        .gradient = "dq_i <- tau(p_i) dq_i",
        .source = "Llama 4 and Ministral 3 in transformers 5; Chiang, Cholak "
                  "2022, arXiv:2202.12172v1, section 5; Su 2021",
        .used_by = "Llama 4 (layers without RoPE), Ministral 3, Qwen 1",
        .pitfalls = "Llama 4 counts p + 1, Ministral p.  Transformers derives "
                    "p from the cache, not from position ids: left padding "
                    "shifts it.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .check = check,
    .scale = { .of_query = temperature },
};
