/* check_gguf.c - checks G04 to G12, G14 and G15 of the keys of a GGUF file */
#include "check_gguf.h"
#include "../encodings/yarn.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NEOX, NORM };
enum { AS_IS, PERMUTED };

static const struct lct_gguf_arch archs[] = {
#define LCT_ARCH(name, family, pairing)
#define LCT_CHECKED(name, family, pairing, permuted, base, period)             \
    { name, pairing, permuted, base, period },
#define LCT_UNPLANNED(name, pairing, permuted, base, period)                   \
    { name, pairing, permuted, base, period },
#include "gguf_architectures.def"
};

const struct lct_gguf_arch *lct_check_gguf_arch(const char *name)
{
    for (size_t i = 0; i < sizeof archs / sizeof archs[0]; i++)
        if (strcmp(archs[i].name, name) == 0)
            return &archs[i];
    return NULL;
}

/* "<architecture>.<rest>" */
static const char *put_key(char out[128], const struct lct_check *k,
                           const char *rest)
{
    snprintf(out, 128, "%.60s.%s", k->type, rest);
    return out;
}
#define KEY(k, rest) put_key((char[128]){ 0 }, k, rest)

double lct_check_gguf_real(const struct lct_check *k, const char *rest,
                           double fallback)
{
    return lct_check_real(k->text, KEY(k, rest), fallback);
}

int64_t lct_check_gguf_integer(const struct lct_check *k, const char *rest,
                               int64_t fallback)
{
    return lct_check_integer(k->text, KEY(k, rest), fallback);
}

int64_t lct_check_gguf_first(const struct lct_check *k, const char *rest,
                             int64_t fallback)
{
    const json_t *value = json_object_get(k->text, KEY(k, rest));

    for (size_t i = 0; i < json_array_size(value); i++)
        if (json_integer_value(json_array_get(value, i)) > 0)
            return json_integer_value(json_array_get(value, i));
    return lct_check_gguf_integer(k, rest, fallback);
}

static bool has(const struct lct_check *k, const char *rest)
{
    return lct_check_has(k->text, KEY(k, rest));
}

/* ------------------------------------------------------------------ scaling */

/* G04 */
static void untyped_factor(struct lct_check *k)
{
    const double factor = lct_check_gguf_real(k, "rope.scaling.factor", 1);

    if (factor == 1 || factor == 0 || has(k, "rope.scaling.type"))
        return;
    LCT_FIND(k, NULL, ID(G04), R(factor));
}

/* G05 */
static void yarn_without_original(struct lct_check *k)
{
    const int64_t length = lct_check_gguf_integer(k, "context_length", 0);
    const int64_t rot = lct_check_gguf_integer(k, "rope.dimension_count", 128);
    const double base = lct_check_gguf_real(k, "rope.freq_base", 10000);
    struct lct_ramp r;

    if (has(k, "rope.scaling.original_context_length") || rot < 2 || base <= 1)
        return;
    r = lct_check_ramp((double)rot, base, (double)length, 32, 1);
    LCT_FIND(k, NULL, ID(G05), I(length), I(r.low), I(r.high));
}

/* G06 to G08 */
static void yarn_keys(struct lct_check *k)
{
    const double factor = lct_check_gguf_real(k, "rope.scaling.factor", 1);
    const double ext =
        lct_check_gguf_real(k, "rope.scaling.yarn_ext_factor", -1);
    const char *key = has(k, "rope.scaling.yarn_attn_factor")
                          ? "rope.scaling.yarn_attn_factor"
                          : "rope.scaling.attn_factor";
    const double attn = lct_check_gguf_real(k, key, 1);

    if (ext == 0) {
        LCT_FIND(k, NULL, ID(G06), R(factor));
    } else if (attn != 1)
        LCT_FIND(k, NULL, ID(G08), S(key), R(attn), R(factor),
                 R(lct_yarn_gain(factor, 1)));
}

/* G07 */
static void log_multiplier(struct lct_check *k)
{
    static const char rest[] = "rope.scaling.yarn_log_multiplier";
    const double x = lct_check_gguf_real(k, rest, 0);
    const bool mistral = strcmp(k->type, "mistral3") == 0;
    const bool deepseek = strcmp(k->type, "deepseek2") == 0;

    if (!(mistral && has(k, rest) && x != 1) && !(deepseek && x == 0))
        return;
    LCT_FIND(k, NULL, ID(G07), S(rest), R(x), I(mistral));
}

/* --------------------------------------------------------------- the rest */

/* G09 */
static void no_base(struct lct_check *k)
{
    const struct lct_gguf_arch *arch = lct_check_gguf_arch(k->type);
    const bool large_falcon = strcmp(k->type, "falcon") == 0 &&
                              lct_check_gguf_integer(k, "block_count", 0) == 80;

    if (arch == NULL || has(k, "rope.freq_base") ||
        !(arch->base > 0 || large_falcon))
        return;
    LCT_FIND(k, NULL, ID(G09_GGUF), I(large_falcon), R(arch->base));
}

/* G11, G12, G15 */
static void architecture(struct lct_check *k)
{
    const struct lct_gguf_arch *arch = lct_check_gguf_arch(k->type);
    const int64_t period =
        lct_check_gguf_integer(k, "attention.sliding_window_pattern", 0);
    const double factor = lct_check_gguf_real(k, "rope.scaling.factor", 1);

    if (arch != NULL && arch->period > 0 && period > 0 &&
        period != arch->period)
        LCT_FIND(k, NULL, ID(G11_GGUF), I(period), I(arch->period));
    if (strcmp(k->type, "gemma3") == 0 && factor != 1 && factor != 0)
        LCT_FIND(k, NULL, ID(G12), R(factor));
    if (strcmp(k->type, "gptj") == 0)
        LCT_FIND(k, NULL, ID(G15_GGUF));
}

/* W08 of a GGUF file */
static void heads(struct lct_check *k)
{
    const int64_t H = lct_check_gguf_first(k, "attention.head_count", 0);
    const int64_t K = lct_check_gguf_first(k, "attention.head_count_kv", H);

    if (H <= 0 || K <= 0 || H % K == 0)
        return;
    LCT_FIND(k, NULL, ID(W08_GGUF), I(H), I(K));
}

void lct_check_gguf(struct lct_check *k)
{
    const char *type =
        lct_check_text(k->text, KEY(k, "rope.scaling.type"), "none");

    if (!lct_check_is_gguf(k))
        return;
    untyped_factor(k);
    if (strcmp(type, "yarn") == 0) {
        yarn_without_original(k);
        yarn_keys(k);
        log_multiplier(k);
    }
    no_base(k);
    architecture(k);
    heads(k);
}
