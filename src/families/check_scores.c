/* check_scores.c - checks P14 to P27, G03, G09 and G15 of a configuration:
 * scales, caps, temperatures and biases of scores */
#include "check.h"
#include "family.h"
#include <math.h>
#include <string.h>

/* P14, P15 */
static void score_scale(struct lct_check *k)
{
    const double scalar =
        lct_check_real(k->text, "query_pre_attn_scalar", (double)k->d);

    if (lct_check_is(k, "granite granitemoe") &&
        !lct_check_has(k->text, "attention_multiplier")) {
        const double usual = k->d > 0 ? 1 / sqrt((double)k->d) : 1;

        LCT_FIND(k, NULL, ID(P14), R(usual));
    }
    if (k->d > 0 && scalar != (double)k->d && scalar > 0)
        LCT_FIND(k, NULL, ID(P15), R(scalar), R(1 / sqrt(scalar)),
                 R(1 / sqrt((double)k->d)));
}

/* P16 */
static void soft_caps(struct lct_check *k)
{
    static const char *const keys[] = { "attn_logit_softcapping",
                                        "final_logit_softcapping" };

    if (lct_check_is(k, "gemma3_text") && lct_check_has(k->text, keys[0]))
        LCT_FIND(k, NULL, ID(P16_GEMMA3),
                 R(lct_check_real(k->text, keys[0], 0)));
    for (int i = 0; i < 2 && lct_check_is(k, "gemma2"); i++) {
        if (!json_is_null(json_object_get(k->text, keys[i])))
            continue;
        LCT_FIND(k, NULL, ID(P16_NULL), S(keys[i]), I(i ? 30 : 50));
    }
}

static const char beta_key[] = "llama_4_scaling_beta";

/* The dictionary of the first entry, NULL if there is none. */
static const json_t *dictionary(const struct lct_check *k)
{
    return k->n_entries > 0 ? k->entries[0].dict : NULL;
}

/* P17 of Ministral 3 and Mistral 4 */
static void beta_without_length(struct lct_check *k)
{
    const json_t *dict = dictionary(k);
    const char *found = "TypeError in the first call";

    if (!lct_check_has(dict, beta_key) && !lct_check_has(k->text, beta_key))
        return;
    if (dict != NULL && k->entries[0].original > 0)
        return;
    if (dict == NULL)
        found = "ignores it here, and takes the dictionary of the class";
    else if (strcmp(k->entries[0].kind, "yarn") == 0)
        found = "takes the whole length: no temperature up to there";
    LCT_FIND(k, NULL, ID(P17_BETA), S(found));
}

/* X10 */
static void dictionary_without_beta(struct lct_check *k)
{
    const json_t *dict = dictionary(k);
    const char *key;
    struct lct_draft *f;

    if (!lct_check_is(k, "ministral3 mistral4") || dict == NULL ||
        lct_check_has(dict, beta_key))
        return;
    key = LCT_CHECK_PATH(&k->entries[0], beta_key);
    f = LCT_FIND(k, NULL, ID(X10), S(key));
    if (lct_check_has(k->text, beta_key)) {
        lct_check_fix(f, key, json_incref(json_object_get(k->text, beta_key)));
        lct_check_remove(f, beta_key);
    }
}

/* P17 of Llama 4 */
static void llama4_floor(struct lct_check *k)
{
    const double floor_scale = lct_check_real(k->text, "floor_scale", 8192);

    if (!lct_check_is(k, "llama4_text") || floor_scale > 0)
        return;
    LCT_FIND(k, NULL, ID(P17_FLOOR), R(floor_scale));
}

/* The first id of a row that is not the row's number; -1 if there is none. */
static int64_t first_other_id(const locant_tensor *ids)
{
    const int64_t T = ids->shape[ids->rank - 1];
    int64_t n = 1;

    if (ids->dtype != LOCANT_I64 || ids->data == NULL)
        return -1;
    for (int i = 0; i < ids->rank; i++)
        n *= ids->shape[i];
    for (int64_t i = 0; i < n; i++)
        if (((const int64_t *)ids->data)[i] != i % T)
            return i % T;
    return -1;
}

/* P18, P24: what position ids are given */
static void position_ids(struct lct_check *k)
{
    const locant_tensor *ids = k->options->positions;
    const int64_t at = ids && ids->rank == 2 ? first_other_id(ids) : -1;
    const bool alibi =
        lct_check_is(k, "bloom mpt") ||
        (lct_check_is(k, "falcon") && lct_check_bool(k->text, "alibi", false));

    if (at < 0)
        return;
    if (lct_check_is(k, "llama4_text") &&
        lct_check_bool(k->text, "attn_temperature_tuning", true))
        LCT_FIND(k, NULL, ID(P18), I(at));
    if (alibi)
        LCT_FIND(k, NULL, ID(P24), I(at), I(lct_check_is(k, "mpt")));
}

/* --------------------------------------------------------- single families */

/* P20 */
static void gpt_oss(struct lct_check *k)
{
    if (!lct_check_is(k, "gpt_oss") ||
        (k->n_entries > 0 && k->entries[0].dict != NULL))
        return;
    LCT_FIND(k, NULL, ID(P20));
}

/* P22, P23, P27 */
static void alibi(struct lct_check *k)
{
    const json_t *mpt = json_object_get(k->text, "attn_config");
    const double top = lct_check_real(mpt, "alibi_bias_max", 8);
    struct lct_draft *f;

    if (lct_check_is(k, "falcon") && lct_check_bool(k->text, "alibi", false)) {
        LCT_FIND(k, NULL, ID(G15_FALCON));
        if (lct_check_has(k->text, "rope_theta")) {
            f = LCT_FIND(k, NULL, ID(P22));
            lct_check_remove(f, "rope_theta");
        }
    }
    if (!lct_check_is(k, "mpt"))
        return;
    if (!lct_check_bool(mpt, "alibi", true)) {
        LCT_FIND(k, NULL, ID(P23));
    } else if (top != 8)
        LCT_FIND(k, NULL, ID(P27), R(top));
}

/* P25 */
static void deberta(struct lct_check *k)
{
    const bool given = lct_check_has(k->text, "relative_attention");
    const bool biased = lct_check_bool(k->text, "position_biased_input", true);
    const bool stripped =
        !given && (lct_check_has(k->text, "pos_att_type") ||
                   lct_check_has(k->text, "position_buckets"));
    struct lct_draft *f;

    if (strncmp(k->type, "deberta", 7) != 0 || (biased && !stripped) ||
        lct_check_bool(k->text, "relative_attention", false))
        return;
    f = LCT_FIND(k, NULL, ID(P25), I(given), I(biased));
    if (stripped)
        lct_check_fix(f, "relative_attention", json_true());
}

/* P26 */
static void t5_head(struct lct_check *k)
{
    const bool tied = lct_check_bool(k->text, "tie_word_embeddings", true);

    if (strcmp(k->type, "umt5") == 0 && !tied)
        LCT_FIND(k, NULL, ID(P26_UMT5));
    if (strcmp(k->type, "mt5") == 0 && tied &&
        lct_check_has(k->text, "tie_word_embeddings"))
        LCT_FIND(k, NULL, ID(P26_MT5));
}

/* ------------------------------------------- what a converter makes of it */

/* G03 */
static void packed(struct lct_check *k)
{
    const json_t *q = json_object_get(k->config->root, "quantization_config");
    const char *algorithm = lct_check_text(q, "quant_algo", "");
    const char *method = lct_check_text(q, "quant_method", "");
    const char *format = lct_check_text(q, "format", "");

    if (!lct_check_class_has(k, LCT_CLASS_PERMUTED) ||
        !(strstr(algorithm, "NVFP4") || strstr(method, "nvfp4") ||
          strstr(format, "nvfp4")))
        return;
    LCT_FIND(k, NULL, ID(G03));
}

/* G09 of a configuration */
static void unwritten_base(struct lct_check *k)
{
    const struct lct_family *family = lct_family_find(k->type);

    if (family == NULL || !(family->flags & LCT_NO_GGUF_BASE) ||
        k->n_entries == 0 || k->entries[0].base == 10000 ||
        lct_check_bool(k->text, "alibi", false))
        return;
    LCT_FIND(k, &k->entries[0], ID(G09_CONFIG));
}

/* G15 */
static void no_graph(struct lct_check *k)
{
    if (!lct_check_is(k, "gptj"))
        return;
    LCT_FIND(k, NULL, ID(G15_CONFIG));
}

void lct_check_scores(struct lct_check *k)
{
    score_scale(k);
    soft_caps(k);
    beta_without_length(k);
    dictionary_without_beta(k);
    llama4_floor(k);
    position_ids(k);
    gpt_oss(k);
    alibi(k);
    deberta(k);
    t5_head(k);
    packed(k);
    unwritten_base(k);
    no_graph(k);
}
