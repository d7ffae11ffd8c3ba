/* check_scores.c - checks P14 to P27, G03, G09 and G15 of a configuration:
 * scales, caps, temperatures and biases of scores */
#include "check.h"
#include "family.h"
#include "../core/quote.h"
#include <math.h>
#include <string.h>

/* P14, P15 */
static void score_scale(struct lct_check *k)
{
    const double scalar =
        lct_check_real(k->text, "query_pre_attn_scalar", (double)k->d);
    struct lct_draft *f;

    if ((lct_check_is(k, "granite") || lct_check_is(k, "granitemoe")) &&
        !lct_check_has(k->text, "attention_multiplier")) {
        const double usual = k->d > 0 ? 1 / sqrt((double)k->d) : 1;

        f = lct_check_report(k, LCT_CHECK_P14, "attention_multiplier",
                             "attention_multiplier is absent");
        lct_check_says(f, LCT_HF | LCT_VLLM,
                       "scores are multiplied by 1, not by %.6g", usual);
        lct_check_says(f, LCT_LLAMA_CPP, "the default of its code, %.6g",
                       usual);
        lct_check_mend(f, "the multiplier that the model was trained with "
                          "(Granite 3.1 8B: 0.0078125)");
    }
    if (k->d > 0 && scalar != (double)k->d && scalar > 0) {
        f = lct_check_report(k, LCT_CHECK_P15, "query_pre_attn_scalar",
                             "query_pre_attn_scalar is %.10g and a head has "
                             "%lld channels",
                             scalar, (long long)k->d);
        lct_check_says(f, LCT_HF | LCT_VLLM | LCT_MLX,
                       "scores are multiplied by %.6g, not by %.6g",
                       1 / sqrt(scalar), 1 / sqrt((double)k->d));
        lct_check_says(f, LCT_LLAMA_CPP,
                       "%.6g where its code knows the size of the model",
                       1 / sqrt(scalar));
        lct_check_mend(f, "right for Gemma 2 27B, which has 144");
    }
}

/* P16 */
static void soft_caps(struct lct_check *k)
{
    static const char *const keys[] = { "attn_logit_softcapping",
                                        "final_logit_softcapping" };
    struct lct_draft *f;

    if (lct_check_is(k, "gemma3_text") && lct_check_has(k->text, keys[0])) {
        f = lct_check_report(k, LCT_CHECK_P16, keys[0],
                             "Gemma 3 has no cap of attention scores, and the "
                             "file has %.10g",
                             lct_check_real(k->text, keys[0], 0));
        lct_check_says(f, LCT_HF | LCT_VLLM, "no cap");
        lct_check_says(f, LCT_LLAMA_CPP, "the converter's assertion fails");
        lct_check_mend(f, "null");
    }
    for (int i = 0; i < 2 && lct_check_is(k, "gemma2"); i++) {
        if (!json_is_null(json_object_get(k->text, keys[i])))
            continue;
        f = lct_check_report(k, LCT_CHECK_P16, keys[i], "%s is null", keys[i]);
        lct_check_says(f, LCT_HF | LCT_VLLM, "no cap");
        lct_check_says(f, LCT_LLAMA_CPP, "its default, %d", i ? 30 : 50);
        lct_check_mend(f, "%d, with which Gemma 2 was trained", i ? 30 : 50);
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
    struct lct_draft *f;

    if (!lct_check_has(dict, beta_key) && !lct_check_has(k->text, beta_key))
        return;
    if (dict != NULL && k->entries[0].original > 0)
        return;
    if (dict == NULL)
        found = "ignores it here, and takes the dictionary of the class";
    else if (strcmp(k->entries[0].kind, "yarn") == 0)
        found = "takes the whole length: no temperature up to there";
    f = lct_check_report(k, LCT_CHECK_P17, beta_key,
                         "llama_4_scaling_beta has no "
                         "original_max_position_embeddings to count by");
    lct_check_says(f, LCT_HF5, "%s", found);
    lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP, "KeyError");
    lct_check_mend(f, "add original_max_position_embeddings (Ministral 3: "
                      "16384)");
}

/* X10 */
static void dictionary_without_beta(struct lct_check *k)
{
    const json_t *dict = dictionary(k);
    const char *key;
    struct lct_draft *f;

    if (!(lct_check_is(k, "ministral3") || lct_check_is(k, "mistral4")) ||
        dict == NULL || lct_check_has(dict, beta_key))
        return;
    key = LCT_CHECK_PATH(&k->entries[0], beta_key);
    f = lct_check_report(k, LCT_CHECK_X10, key,
                         "the dictionary of '%s' has no llama_4_scaling_beta",
                         k->type);
    lct_check_says(f, LCT_HF5, "TypeError in the first call");
    lct_check_says(f, LCT_VLLM | LCT_LLAMA_CPP, "no temperature");
    lct_check_mend(f, "add it beside factor (Ministral 3: 0.1)");
    if (lct_check_has(k->text, beta_key)) {
        lct_check_fix(f, key, json_incref(json_object_get(k->text, beta_key)));
        lct_check_remove(f, beta_key);
    }
}

/* P17 of Llama 4 */
static void llama4_floor(struct lct_check *k)
{
    const double floor_scale = lct_check_real(k->text, "floor_scale", 8192);
    struct lct_draft *f;

    if (!lct_check_is(k, "llama4_text") || floor_scale > 0)
        return;
    f = lct_check_report(k, LCT_CHECK_P17, "floor_scale",
                         "floor_scale is %.10g, and positions are divided by "
                         "it",
                         floor_scale);
    lct_check_says(f, LCT_EVERY_STACK, "infinite or negative temperatures");
    lct_check_mend(f, "8192");
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
        lct_check_is(k, "bloom") || lct_check_is(k, "mpt") ||
        (lct_check_is(k, "falcon") && lct_check_bool(k->text, "alibi", false));
    struct lct_draft *f;

    if (at < 0)
        return;
    if (lct_check_is(k, "llama4_text") &&
        lct_check_bool(k->text, "attn_temperature_tuning", true)) {
        f = lct_check_report(k, LCT_CHECK_P18, "attn_temperature_tuning",
                             "the position ids are not 0, 1, .. from token "
                             "%lld on, and temperatures do not follow them",
                             (long long)at);
        lct_check_says(f, LCT_HF, "counts slots of the cache, padding too");
        lct_check_says(f, LCT_VLLM, "counts position ids");
        lct_check_mend(f, "pad on the right, or not at all");
    }
    if (alibi) {
        f = lct_check_report(k, LCT_CHECK_P24, "position_ids",
                             "the position ids are not 0, 1, .. from token "
                             "%lld on, and '%s' does not read them",
                             (long long)at, k->type);
        lct_check_says(f, LCT_HF,
                       lct_check_is(k, "mpt")
                           ? "distances to the last key"
                           : "distances counted by the attention mask");
        lct_check_mend(f, "separate packed texts by the mask, one to a row");
    }
}

/* --------------------------------------------------------- single families */

/* P20 */
static void gpt_oss(struct lct_check *k)
{
    struct lct_draft *f;

    if (!lct_check_is(k, "gpt_oss") ||
        (k->n_entries > 0 && k->entries[0].dict != NULL))
        return;
    f = lct_check_report(k, LCT_CHECK_P20, "rope_scaling",
                         "rope_scaling is absent or null");
    lct_check_says(f, LCT_HF5,
                   "YaRN with factor 32 of 4096 and truncate: false, all from "
                   "the class");
    lct_check_says(f, LCT_HF4 | LCT_VLLM | LCT_LLAMA_CPP | LCT_MLX,
                   "no scaling: other angles from pair 8 on, no amplitude "
                   "1.346574");
    lct_check_mend(f, "write the scaling out: yarn, factor 32, original 4096, "
                      "truncate false");
}

/* P22, P23, P27 */
static void alibi(struct lct_check *k)
{
    const json_t *mpt = json_object_get(k->text, "attn_config");
    const double top = lct_check_real(mpt, "alibi_bias_max", 8);
    struct lct_draft *f;

    if (lct_check_is(k, "falcon") && lct_check_bool(k->text, "alibi", false)) {
        f = lct_check_report(k, LCT_CHECK_G15, "alibi",
                             "this Falcon has ALiBi");
        lct_check_says(f, LCT_LLAMA_CPP,
                       "the converter writes no ALiBi: RoPE instead");
        lct_check_mend(f, "run it elsewhere");
        if (lct_check_has(k->text, "rope_theta")) {
            f = lct_check_report(k, LCT_CHECK_P22, "rope_theta",
                                 "alibi is true, so rope_theta is not used");
            lct_check_says(f, LCT_HF | LCT_VLLM, "ALiBi, no rotation");
            lct_check_says(f, LCT_LLAMA_CPP, "rotation, no ALiBi");
            lct_check_mend(f, "remove rope_theta");
            lct_check_remove(f, "rope_theta");
        }
    }
    if (!lct_check_is(k, "mpt"))
        return;
    if (!lct_check_bool(mpt, "alibi", true)) {
        f = lct_check_report(k, LCT_CHECK_P23, "attn_config.alibi",
                             "attn_config.alibi is false");
        lct_check_says(f, LCT_HF, "adds ALiBi all the same");
        lct_check_says(f, LCT_LLAMA_CPP, "max_alibi_bias 0: none");
        lct_check_mend(f, "transformers has no MPT without ALiBi");
    } else if (top != 8) {
        f = lct_check_report(k, LCT_CHECK_P27, "attn_config.alibi_bias_max",
                             "alibi_bias_max is %.10g", top);
        lct_check_says(f, LCT_HF,
                       "8 all the same: slopes 2^(-8 h / H) instead of "
                       "2^(-%.10g h / H)",
                       top);
        lct_check_says(f, LCT_LLAMA_CPP | LCT_VLLM, "%.10g", top);
        lct_check_mend(f, "the model's own code (trust_remote_code), or "
                          "llama.cpp");
    }
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
    f = lct_check_report(k, LCT_CHECK_P25, "relative_attention",
                         "relative_attention is %s",
                         given ? "false" : "absent");
    lct_check_says(f, LCT_HF,
                   biased ? "absolute positions alone"
                          : "no positions at all: the order of tokens has no "
                            "effect");
    lct_check_mend(f, "relative_attention: true");
    if (stripped)
        lct_check_fix(f, "relative_attention", json_true());
}

/* P26 */
static void t5_head(struct lct_check *k)
{
    const bool tied = lct_check_bool(k->text, "tie_word_embeddings", true);
    struct lct_draft *f;

    if (strcmp(k->type, "umt5") == 0 && !tied) {
        f = lct_check_report(k, LCT_CHECK_P26, "tie_word_embeddings",
                             "tie_word_embeddings is false, and logits of "
                             "UMT5 are scaled all the same");
        lct_check_says(f, LCT_HF5,
                       "multiplies the state by d_model^-0.5 "
                       "before the head: logits too small");
        lct_check_says(f, LCT_HF4, "does not");
        lct_check_mend(f, "multiply lm_head by d_model^0.5, or compute logits "
                          "elsewhere");
    }
    if (strcmp(k->type, "mt5") == 0 && tied &&
        lct_check_has(k->text, "tie_word_embeddings")) {
        f = lct_check_report(k, LCT_CHECK_P26, "tie_word_embeddings",
                             "tie_word_embeddings is true, and logits of mT5 "
                             "are not scaled");
        lct_check_says(f, LCT_HF5,
                       "never multiplies the state by "
                       "d_model^-0.5: logits too large");
        lct_check_says(f, LCT_HF4, "does");
        lct_check_mend(f, "mT5 has a head of its own: false");
    }
}

/* ------------------------------------------- what a converter makes of it */

/* G03 */
static void packed(struct lct_check *k)
{
    const json_t *q = json_object_get(k->config->root, "quantization_config");
    const char *algorithm = lct_check_text(q, "quant_algo", "");
    const char *method = lct_check_text(q, "quant_method", "");
    const char *format = lct_check_text(q, "format", "");
    struct lct_draft *f;

    if (!lct_check_class_has(k, LCT_CLASS_PERMUTED) ||
        !(strstr(algorithm, "NVFP4") || strstr(method, "nvfp4") ||
          strstr(format, "nvfp4")))
        return;
    f = lct_check_report(k, LCT_CHECK_G03, "/quantization_config",
                         "the weights are packed as NVFP4, and a converter "
                         "must permute the rows of q and k");
    lct_check_says(f, LCT_LLAMA_CPP,
                   "packed tensors skip the permutation (#22611): wrong "
                   "scores from position 1 on");
    lct_check_mend(f, "convert the unpacked weights, and quantise afterwards");
}

/* G09 of a configuration */
static void unwritten_base(struct lct_check *k)
{
    const struct lct_family *family = lct_family_find(k->type);
    struct lct_draft *f;

    if (family == NULL || !(family->flags & LCT_NO_GGUF_BASE) ||
        k->n_entries == 0 || k->entries[0].base == 10000 ||
        lct_check_bool(k->text, "alibi", false))
        return;
    f = lct_check_report(k, LCT_CHECK_G09, "rope_theta",
                         "the base is %.10g, and the converter of '%s' writes "
                         "no freq_base",
                         k->entries[0].base, k->type);
    lct_check_says(f, LCT_LLAMA_CPP, "base 10000");
    lct_check_mend(f, "--rope-freq-base %.10g, or write %s.rope.freq_base",
                   k->entries[0].base, k->type);
}

/* G15 */
static void no_graph(struct lct_check *k)
{
    struct lct_draft *f;

    if (!lct_check_is(k, "gptj"))
        return;
    f = lct_check_report(k, LCT_CHECK_G15, "model_type",
                         "llama.cpp has a name for GPT-J but no graph");
    lct_check_says(f, LCT_LLAMA_CPP, "refuses the file");
    lct_check_mend(f, "run it elsewhere");
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
