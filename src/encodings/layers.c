/*
 * layers.c - two encodings in one model: most layers local, every n-th global.
 *
 * Layer l is global where l + 1 is a multiple of 'period', the pattern of
 * Gemma 3 (period 6), Llama 4, SmolLM3 and Command R7B (period 4), whose global
 * layers have no positional encoding or one of longer wavelengths.
 * Yang et al.: RoPE to NoPE and Back Again: A New Hybrid Attention Strategy.
 * 2025. arXiv:2501.18795.
 */
#include "spec.h"
#include <string.h>
#include <math.h>

enum { LOCAL, GLOBAL, PERIOD };

/* clang-format off */
static const struct lct_key keys[] = {
    { .name = "local", .kind = LCT_SPEC, .def = NAN, .family = lct_encodings,
      .doc = "of most layers; left out: none" },
    { .name = "global", .kind = LCT_SPEC, .def = NAN, .family = lct_encodings,
      .doc = "of every period-th layer; left out: none" },
    { .name = "period", .kind = LCT_INTEGER, .def = 4, .min = 1,
      .max = 1 << 20, .doc = "layer l is global if (l + 1) % period is 0" },
    { 0 }
};
/* clang-format on */

static locant_status check(const locant_encoding *e)
{
    for (int k = LOCAL; k <= GLOBAL; k++)
        if (e->nested[k] != NULL && e->nested[k]->row->layers != NULL)
            return LCT_REFUSE(
                "%s of layers is itself layers(..), expected another encoding",
                keys[k].name);
    return LOCANT_OK;
}

/* A token has the same position in all layers. */
static locant_status check_positions(const locant_encoding *e)
{
    const locant_encoding *a = lct_placing_part(e->nested[LOCAL]);
    const locant_encoding *b = lct_placing_part(e->nested[GLOBAL]);

    if (a == NULL || b == NULL || strcmp(a->spec, b->spec) == 0)
        return LOCANT_OK;
    return LCT_REFUSE("local of layers chooses positions by %s, global by %s, "
                      "expected the same",
                      a->spec, b->spec);
}

/* A kind of layer that is left out has no encoding. */
static locant_status prepare(locant_encoding *e)
{
    bool changed = false;

    for (int k = LOCAL; k <= GLOBAL; k++) {
        if (e->nested[k] != NULL)
            continue;
        LCT_TRY(lct_spec_parse(&e->nested[k], "locant_encoding_create", "none",
                               lct_encodings));
        changed = true;
    }
    LCT_TRY(check_positions(e));
    return changed ? lct_encoding_compose(e) : LOCANT_OK;
}

static int key_of_layer(const locant_encoding *e, int64_t l)
{
    int64_t period = (int64_t)e->value[PERIOD];

    return l % period == period - 1 ? GLOBAL : LOCAL;
}

static const locant_variant variants[] = {
    { "layers(local=window(size=1024)+rope,"
      "global=rope(base=1000000,scaling=linear(factor=8)),period=6)",
      "5 local to 1 global, 4B and larger", "Gemma 3" },
    { "layers(local=window(size=512)+rope,global=rope(base=1000000),period=6)",
      "5 local to 1 global, 1B", "Gemma 3 1B" },
    { "layers(local=rope(base=500000,pairing=interleaved),"
      "global=temperature,period=4)",
      "no RoPE but a temperature in every 4th layer (its local layers see "
      "chunks of 8192 tokens)",
      "Llama 4" },
    { "layers(local=rope(base=5000000),global=none,period=4)",
      "no RoPE in every 4th layer", "SmolLM3" },
    { "layers(local=window(size=4096)+rope(base=50000,pairing=interleaved),"
      "global=none,period=4)",
      "3 local with RoPE to 1 global without", "Command R7B, Command A" },
    { "layers(local=window(size=4096)+rope(base=1000000),global=none,period=4)",
      "3 local with RoPE to 1 global without", "EXAONE 4 32B" },
    { 0 }
};

const struct lct_encoding lct_enc_layers = {
    .info = {
        .name = "layers",
        .title = "Two encodings, by layer",
        .formula = "layer l: global if (l + 1) % period = 0, else local",
        .gradient = "",
        .source = "Yang et al. 2025, arXiv:2501.18795v1; transformers 5, "
                  "models/gemma3, llama4, smollm3, cohere2",
        .used_by = "Gemma 3, Llama 4, SmolLM3, Command R7B, EXAONE 4",
        .pitfalls = "no_rope_layers of Llama 4 and SmolLM3 is 1 where RoPE is "
                    "used.  Not expressible: ModernBERT, global where l % 3 = "
                    "0, and Gemma 4, whose last layer is always global.",
        .variants = variants,
        .traits = 0,
    },
    .keys = keys,
    .check = check,
    .prepare = prepare,
    .layers = key_of_layer,
};
