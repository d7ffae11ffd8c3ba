/* vector_quantities.c - the quantities of each kind of group, their types, and
 * what they are computed by */
#include "vector_quantities.h"
#include <string.h>

#define BIT(type) (1U << LOCANT_##type)
#define FLOATS    (BIT(F64) | BIT(F32) | BIT(F16) | BIT(BF16))
#define WIDE      (BIT(F64) | BIT(F32))

/* clang-format off */
static const struct lct_vector_quantity
    of_angles[] = {
        { "cos", "cosines times the attention factor [positions, pairs]",
          FLOATS },
        { "sin", "sines times the attention factor [positions, pairs]",
          FLOATS },
        { "frequencies", "radians per position [pairs]", WIDE },
        { 0 } },
    of_rotation[] = {
        { "q", "rotated queries [positions, channels]", FLOATS },
        { "k", "rotated keys [positions, channels]", FLOATS },
        { "scores", "<rotated query, rotated key> / sqrt(channels), times the "
          "factor on scores of the scaling, without mask [queries, keys]",
          FLOATS },
        { "dq", "gradient of the queries, given that of the rotated ones "
          "[positions, channels]", FLOATS },
        { 0 } },
    of_table[] = {
        { "table", "rows added to embeddings [positions, channels]", FLOATS },
        { 0 } },
    of_bias[] = {
        { "bias", "added to scores [heads, queries, keys]", FLOATS },
        { 0 } },
    of_slopes[] = {
        { "slopes", "[heads]", FLOATS },
        { 0 } },
    of_buckets[] = {
        { "buckets", "row of the table [queries, keys]", BIT(I64) },
        { "bias", "added to scores [heads, queries, keys]", FLOATS },
        { "dtable", "gradient of the table, given that of the biases "
          "[buckets, heads]", WIDE },
        { 0 } },
    of_temperature[] = {
        { "factor", "multiplies queries [positions]", FLOATS },
        { 0 } };

static const struct lct_vector_quantity *const of_kind[LCT_VECTOR_KINDS] = {
    [LCT_VECTOR_ANGLES] = of_angles,
    [LCT_VECTOR_ROPE] = of_rotation,
    [LCT_VECTOR_ROTATE] = of_rotation,
    [LCT_VECTOR_SINUSOIDAL] = of_table,
    [LCT_VECTOR_TABLE] = of_table,
    [LCT_VECTOR_BIAS] = of_bias,
    [LCT_VECTOR_SLOPES] = of_slopes,
    [LCT_VECTOR_BUCKETS] = of_buckets,
    [LCT_VECTOR_TEMPERATURE] = of_temperature,
};

static const struct { const char *family, *formula; } formulas[] = {
    { "angles", "cos(p f_c), sin(p f_c); f_c = base^(-2c/rotated channels), "
      "changed by the scaling" },
    { "rope", "pair (a, b) -> (a cos - b sin, a sin + b cos) of p f_c; half: "
      "channels c and c + rotated/2; interleaved: 2c and 2c + 1" },
    { "alibi", "press: -m (p_i - p_j); bloom: m p_j; mpt: m (p_j - last key); "
      "falcon: m p_j, m, p_j and product in bfloat16, before the scale; m = "
      "2^(-max h/H); H no power of two: those of the power below, then every "
      "second of twice that power" },
    { "t5", "table[bucket(p_i - p_j), head]; of B buckets (bidirectional: half "
      "for each direction, keys after the query in the second) e = B/2 hold "
      "the distances below e, then e + floor(ln(n/e) / ln(distance/e) (B - e))"
      },
    { "sinusoidal", "sin, cos of p base^(-2c/D); inclusive: p base^(-c/(D/2 - "
      "1)); split: sines, then cosines; start is added to p" },
    { "sincos2d", "mae: sin x, cos x, sin y, cos y; timm: sin y, sin x, cos y, "
      "cos x; interleaved: sin y, cos y, sin x, cos x; detr: y, then x, sin "
      "and cos alternating; base^(-c/(D/4)), x = p mod 16, y = p div 16" },
    { "mrope", "pair c rotates by t, h or w times base^(-2c/rotated); the "
      "sections and the layout choose the coordinate" },
    { "rope2d", "pairs of y rotate by y f_c, pairs of x by x f_c, f_c = "
      "base^(-4c/D); x = p mod 16, y = p div 16" },
    { "rope3d", "three bands of 2 floor(floor(D/3)/2) channels rotate by t "
      "f_c, y f_c, x f_c; x = p mod 4, y = p div 4 mod 4, t = p div 16" },
    { "xpos", "q zeta_c^e e^(i p f_c), k zeta_c^-e e^(i p f_c), e = (p - "
      "center)/512, zeta_c = (2c + 0.4 D)/(1.4 D)" },
    { "temperature", "llama4: 1 + 0.1 ln(1 + floor((p + 1)/8192)); ministral: "
      "1 + 0.1 ln(1 + floor(p/16384)); logn: max(1, ln(p + 1)/ln 2048)" },
};
/* clang-format on */

const struct lct_vector_quantity *
lct_vector_quantities_of(enum lct_vector_kind kind)
{
    return of_kind[kind];
}

const char *lct_vector_quantities_formula(const struct lct_vector_group *g)
{
    size_t n = strcspn(g->name, "/");

    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (strlen(formulas[i].family) == n &&
            strncmp(formulas[i].family, g->name, n) == 0)
            return formulas[i].formula;
    return "";
}

bool lct_vector_quantities_has(const struct lct_vector_group *g, int k,
                               locant_dtype dtype)
{
    if (dtype == LOCANT_F16 && !g->narrow)
        return false;
    return (of_kind[g->kind][k].dtypes & 1U << dtype) != 0;
}
