/* plan_alibi.c - BLOOM, MPT, Falcon; GPT-J and Qwen 1 */
#include "plan_alibi.h"
#include "../files/decimal.h"
#include "plan_decoder.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static locant_status begin(struct lct_plan_keys *k, struct lct_position_plan *p,
                           const struct lct_config *c)
{
    int64_t hidden;

    LCT_TRY(
        lct_plan_tower_begin(k, p, "text", c->text, lct_plan_tower_where(c)));
    return lct_plan_tower_sizes(k, NULL, NULL, &hidden);
}

static locant_status length(struct lct_plan_keys *k, const char *key,
                            int64_t fallback)
{
    LCT_TRY(lct_plan_keys_whole(&k->plan->length_config, k, "length", key,
                                fallback, 1));
    k->plan->length_trained = k->plan->length_config;
    return LOCANT_OK;
}

locant_status lct_plan_alibi_bloom(struct lct_position_plan *p,
                                   const struct lct_config *c)
{
    struct lct_plan_keys k;

    LCT_TRY(begin(&k, p, c));
    if (json_object_get(k.object, "seq_length") != NULL) /* else no limit */
        LCT_TRY(length(&k, "seq_length", 0));
    k.tower->ids = LCT_IDS_MASK;
    return lct_plan_tower_same(&k,
                               p->dialect == LCT_DIALECT_GGUF
                                   ? "alibi" /* as llama.cpp computes it */
                                   : "alibi(dialect=bloom)",
                               LCT_CAUSAL);
}

/* --------------------------------------------------------------------- MPT */

/* What attn_config says; 'k' reads it. */
static locant_status mpt_attention(struct lct_plan_keys *k, bool *alibi,
                                   double *most, double *scale)
{
    LCT_TRY(lct_plan_keys_switch(alibi, k, "alibi", true));
    LCT_TRY(lct_plan_keys_real(most, k, "alibi_bias_max", "alibi_bias_max", 8));
    LCT_TRY(lct_plan_keys_real(scale, k, NULL, "softmax_scale", 0));
    if (k->plan->stack == LCT_STACK_HF4 || k->plan->stack == LCT_STACK_HF5) {
        *alibi = true; /* transformers does not read these two */
        *most = 8;
    }
    return LOCANT_OK;
}

locant_status lct_plan_alibi_mpt(struct lct_position_plan *p,
                                 const struct lct_config *c)
{
    struct lct_plan_keys k, inner;
    const json_t *config;
    char number[LCT_DECIMAL_BYTES], spec[96];
    double most, scale;
    bool alibi, table;

    LCT_TRY(begin(&k, p, c));
    LCT_TRY(length(&k, "max_seq_len", 2048));
    LCT_TRY(lct_plan_keys_object(&config, &k, "attn_config"));
    inner = k;
    inner.object = config;
    inner.where = "attn_config.";
    LCT_TRY(mpt_attention(&inner, &alibi, &most, &scale));
    if (scale != 0)
        lct_plan_tower_scale(k.tower, scale, "attn_config.softmax_scale");
    if (alibi) {
        lct_decimal_exact(number, most);
        snprintf(spec, sizeof spec, "alibi(%smax=%s)",
                 p->dialect == LCT_DIALECT_GGUF ? "" : "dialect=mpt,", number);
        return lct_plan_tower_same(&k, spec, LCT_CAUSAL);
    }
    LCT_TRY(lct_plan_keys_switch(&table, &k, "learned_pos_emb", true));
    if (table)
        LCT_TRY(lct_plan_tower_learned(&k, p->length_config, 0));
    return lct_plan_tower_same(&k, "none", LCT_CAUSAL);
}

/* ------------------------------------------------------------------ Falcon */

/* Heads of keys: one, unless the new architecture or neither says else. */
static locant_status falcon_heads(struct lct_plan_keys *k)
{
    struct lct_tower *t = k->tower;
    const int64_t heads = t->layers[0].heads;
    int64_t kv = heads;
    bool new, multi;

    LCT_TRY(lct_plan_keys_switch(&new, k, "new_decoder_architecture", false));
    LCT_TRY(lct_plan_keys_switch(&multi, k, "multi_query", true));
    if (new)
        LCT_TRY(lct_plan_keys_whole(&kv, k, NULL, "num_kv_heads", heads, 1));
    else if (multi)
        kv = 1;
    for (int64_t l = 0; l < t->n_layers; l++)
        t->layers[l].kv_heads = kv;
    return lct_plan_keys_note(k, "kv_heads", "num_kv_heads",
                              new ? LCT_GIVEN : LCT_DERIVED, "%" PRId64, kv);
}

locant_status lct_plan_alibi_falcon(struct lct_position_plan *p,
                                    const struct lct_config *c)
{
    struct lct_plan_keys k;
    bool alibi;

    if (lct_config_bool(&alibi, c->text, "alibi") == LCT_RIGHT && alibi &&
        p->stack != LCT_STACK_LLAMACPP) {
        LCT_TRY(begin(&k, p, c));
        LCT_TRY(lct_plan_keys_switch(&alibi, &k, "alibi", false));
        LCT_TRY(length(&k, p->family->names->length, 2048));
        k.tower->ids = LCT_IDS_MASK;
        LCT_TRY(lct_plan_tower_same(&k, "alibi(dialect=falcon)", LCT_CAUSAL));
        return falcon_heads(&k);
    }
    LCT_TRY(lct_plan_decoder(p, c));
    k = (struct lct_plan_keys){ .plan = p,
                                .tower = &p->towers[0],
                                .family = p->family,
                                .object = c->text,
                                .where = lct_plan_tower_where(c) };
    LCT_TRY(lct_plan_keys_switch(&alibi, &k, "alibi", false));
    return falcon_heads(&k);
}

/* ------------------------------------------------------------------- GPT-J */

locant_status lct_plan_alibi_gptj(struct lct_position_plan *p,
                                  const struct lct_config *c)
{
    const char *pairing = p->interleaved ? "interleaved" : "half";
    struct lct_plan_keys k;
    int64_t dim;
    char spec[64];

    LCT_TRY(begin(&k, p, c));
    LCT_TRY(length(&k, "n_positions", 2048));
    p->length_tables = p->length_config;
    LCT_TRY(lct_plan_keys_whole(
        &dim, &k, "rotated", "rotary_dim",
        lct_plan_keys_null(&k, "rotary_dim") ? k.tower->layers[0].qk_dim : 64,
        2));
    if (dim > k.tower->layers[0].qk_dim)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: rotary_dim is %" PRId64
                           ", expected at most the %" PRId64
                           " channels of a head",
                           p->file, dim, k.tower->layers[0].qk_dim);
    if (dim == k.tower->layers[0].qk_dim)
        snprintf(spec, sizeof spec, "rope(pairing=%s)", pairing);
    else
        snprintf(spec, sizeof spec, "rope(dim=%" PRId64 ",pairing=%s)", dim,
                 pairing);
    return lct_plan_tower_same(&k, spec, LCT_CAUSAL);
}

/* ------------------------------------------------------------------ Qwen 1 */

locant_status lct_plan_alibi_qwen(struct lct_position_plan *p,
                                  const struct lct_config *c)
{
    struct lct_plan_keys k;
    struct lct_plan_spec s = { 0 };
    int64_t trained, dim, width;
    double base, part;
    bool dynamic, logn;

    LCT_TRY(begin(&k, p, c));
    LCT_TRY(length(&k, "max_position_embeddings", 8192));
    LCT_TRY(lct_plan_keys_whole(&trained, &k, "trained", "seq_length",
                                p->length_config, 2));
    LCT_TRY(lct_plan_keys_whole(&width, &k, "head_dim", "kv_channels", 128, 2));
    LCT_TRY(lct_plan_keys_real(&base, &k, "base", "rotary_emb_base", 10000));
    LCT_TRY(lct_plan_keys_real(&part, &k, "partial", "rotary_pct", 1));
    LCT_TRY(lct_plan_keys_switch(&dynamic, &k, "use_dynamic_ntk", true));
    LCT_TRY(lct_plan_keys_switch(&logn, &k, "use_logn_attn", true));
    if (p->stack == LCT_STACK_LLAMACPP)
        dynamic = logn = false; /* its graph has neither */
    dim = part > 0 && part <= 1 ? (int64_t)((double)width * part) : 0;
    if (dim < 2 || dim % 2 != 0)
        return LCT_PLAN_KEYS_WRONG(&k, "rotary_pct",
                                   "an even number of rotated channels");
    p->length_trained = trained;
    for (int64_t l = 0; l < k.tower->n_layers; l++) {
        k.tower->layers[l].qk_dim = k.tower->layers[l].v_dim = width;
        k.tower->layers[l].scale = 1 / sqrt((double)width);
    }
    if (logn)
        lct_plan_spec_put(&s, "temperature(kind=logn,length=%" PRId64 ")+",
                          trained);
    lct_plan_spec_number(&s, "rope(base=", base);
    lct_plan_spec_put(&s, p->interleaved ? ",pairing=interleaved" : "");
    if (dim != width)
        lct_plan_spec_put(&s, ",dim=%" PRId64, dim);
    if (dynamic)
        lct_plan_spec_put(&s, ",scaling=dynamic(factor=2,original=%" PRId64 ")",
                          trained);
    lct_plan_spec_put(&s, ")");
    return lct_plan_tower_same_put(&k, &s, LCT_CAUSAL);
}
