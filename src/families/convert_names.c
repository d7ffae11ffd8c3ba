/* convert_names.c - see convert_names.h */
#include "convert_names.h"
#include "../core/text.h"
#include <stddef.h>
#include <string.h>

/* ---------------------------------------------------------------- modules */

/*
 * The name of a module within its layer.  'models' are the types that it is of,
 * between blanks; NULL: all whose module has that name hold the same.
 */
static const struct module {
    const char *name;
    enum lct_convert_module holds;
    const char *models;
} modules[] = {
    { "self_attn.q_proj", LCT_CONVERT_Q, NULL },
    { "self_attn.k_proj", LCT_CONVERT_K, NULL },
    { "self_attn.q_b_proj", LCT_CONVERT_Q, NULL },
    { "self_attn.kv_a_proj_with_mqa", LCT_CONVERT_LATENT_K, NULL },
    { "self_attn.q_norm", LCT_CONVERT_Q_NORM, NULL },
    { "self_attn.k_norm", LCT_CONVERT_K_NORM, NULL },
    { "self_attn.q_layernorm", LCT_CONVERT_Q_NORM, NULL },
    { "self_attn.k_layernorm", LCT_CONVERT_K_NORM, NULL },
    { "self_attn.query_layernorm", LCT_CONVERT_Q_NORM, NULL },
    { "self_attn.key_layernorm", LCT_CONVERT_K_NORM, NULL },
    { "self_attn.qkv_proj", LCT_CONVERT_STACKED, NULL },
    { "self_attn.W_pack", LCT_CONVERT_STACKED, NULL },
    { "self_attn.query_key_value", LCT_CONVERT_GROUPED, "persimmon fuyu" },
    { "self_attention.query_key_value", LCT_CONVERT_GROUPED, "falcon" },
    { "self_attention.query_key_value", LCT_CONVERT_STACKED, "chatglm" },
    { "attention.query_key_value", LCT_CONVERT_GROUPED,
      "gpt_neox gpt_neox_japanese" },
    { "attention.query_key_value", LCT_CONVERT_STACKED, "bailing_moe" },
    { "attn.q_proj", LCT_CONVERT_Q, NULL }, /* GPT-J */
    { "attn.k_proj", LCT_CONVERT_K, NULL },
    { "attn.c_attn", LCT_CONVERT_STACKED, "qwen" },
    { "attn.Wqkv", LCT_CONVERT_STACKED, NULL },
    { "norm_attn_norm.attn.Wqkv", LCT_CONVERT_STACKED, NULL }, /* DBRX */
    { "attention.wqkv", LCT_CONVERT_GROUPED, NULL },           /* InternLM 2 */
    { "attention.wq", LCT_CONVERT_Q, NULL },                   /* params.json */
    { "attention.wk", LCT_CONVERT_K, NULL },
    { "attention.q_proj", LCT_CONVERT_Q, NULL }, /* DINOv3 */
    { "attention.k_proj", LCT_CONVERT_K, NULL },
    { "attn_q", LCT_CONVERT_Q, NULL }, /* GGUF */
    { "attn_k", LCT_CONVERT_K, NULL },
    { "attn_qkv", LCT_CONVERT_STACKED, NULL },
    { "attn_q_b", LCT_CONVERT_Q, NULL },
    { "attn_kv_a_mqa", LCT_CONVERT_LATENT_K, NULL },
    { "attn_q_norm", LCT_CONVERT_Q_NORM, NULL },
    { "attn_k_norm", LCT_CONVERT_K_NORM, NULL },
};

/* Parts of the names of towers that have positions of their own. */
static const char *const others[] = { "vision", "visual", "audio",
                                      "image",  "talker", "speech" };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Where ".N.MODULE" followed by a dot or the end stands in the name: *layer =
 * N, and the result points at what follows; NULL if it is not there.
 */
static const char *find_module(int64_t *layer, const char *name,
                               const char *module)
{
    const size_t n = strlen(module);

    for (const char *at = name; (at = strstr(at, module)) != NULL; at++) {
        const char *digits = at - 1;

        if (at < name + 2 || *digits != '.' || (at[n] != '.' && at[n] != 0))
            continue;
        while (digits > name && is_digit(digits[-1]))
            digits--;
        if (digits == at - 1 || at - digits > 7 ||
            (digits > name && digits[-1] != '.'))
            continue;
        for (*layer = 0; is_digit(*digits); digits++)
            *layer = 10 * *layer + (*digits - '0');
        return at + n;
    }
    return NULL;
}

/* ---------------------------------------------------------------- tensors */

/* What follows the name of a module: exactly this, or this and a dot. */
static const struct {
    const char *tail;
    enum lct_convert_tensor holds;
} tails[] = {
    { ".weight", LCT_CONVERT_MATRIX },
    { ".bias", LCT_CONVERT_VECTOR },
    { ".base_layer.weight", LCT_CONVERT_MATRIX },
    { ".base_layer.bias", LCT_CONVERT_VECTOR },
    { ".lora_A", LCT_CONVERT_STILL },
    { ".lora_B.bias", LCT_CONVERT_VECTOR },
    { ".lora_B", LCT_CONVERT_MATRIX },
    { ".lora_magnitude_vector", LCT_CONVERT_VECTOR },
    { ".norms", LCT_CONVERT_MATRIX },
    { ".weight_packed", LCT_CONVERT_MATRIX },
    { ".weight_scale", LCT_CONVERT_SCALES },
    { ".weight_scale_inv", LCT_CONVERT_SCALES },
    { ".weight_zero_point", LCT_CONVERT_SCALES },
    { ".weight_shape", LCT_CONVERT_STILL },
    { ".weight_global_scale", LCT_CONVERT_STILL },
    { ".input_scale", LCT_CONVERT_STILL },
    { ".input_global_scale", LCT_CONVERT_STILL },
    { ".output_scale", LCT_CONVERT_STILL },
    { ".q_scale", LCT_CONVERT_STILL },
    { ".k_scale", LCT_CONVERT_STILL },
    { ".v_scale", LCT_CONVERT_STILL },
    { ".rotary_emb", LCT_CONVERT_STILL },
};

static enum lct_convert_tensor tensor_of(const char *tail)
{
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        const size_t n = strlen(tails[i].tail);

        if (strncmp(tail, tails[i].tail, n) == 0 &&
            (tail[n] == 0 || (tail[n] == '.' && n > 0)))
            return strcmp(tails[i].tail, ".weight") == 0 && tail[n] != 0
                       ? LCT_CONVERT_UNKNOWN /* of bitsandbytes */
                       : tails[i].holds;
    }
    return LCT_CONVERT_UNKNOWN;
}

/* Is it of another tower, by what stands before the module?  An adapter for
   images ("..q_proj.lora_B.vision.weight") is none. */
bool lct_convert_name_is_other(const char *name, const char *module)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *at = strstr(name, others[i]);

        if (at != NULL && at < module)
            return true;
    }
    return false;
}

bool lct_convert_name(struct lct_convert_name *out, const char *name,
                      const char *model_type)
{
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const struct module *m = &modules[i];
        const char *tail = NULL;

        if (m->models == NULL || lct_is_among(m->models, model_type))
            tail = find_module(&out->layer, name, m->name);
        if (tail == NULL)
            continue;
        if (lct_convert_name_is_other(name, tail))
            return false;
        if (strncmp(name, "mtp.", 4) == 0 || strstr(name, ".mtp.") != NULL)
            out->layer = -1;
        out->module = m->holds;
        out->tensor = tensor_of(tail);
        if (m->holds >= LCT_CONVERT_Q_NORM && out->tensor == LCT_CONVERT_MATRIX)
            out->tensor = LCT_CONVERT_VECTOR;
        return true;
    }
    return false;
}
