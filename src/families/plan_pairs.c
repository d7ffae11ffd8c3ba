/* plan_pairs.c - T5, Marian, BART, Whisper and their like */
#include "plan_pairs.h"
#include "plan_tower.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- T5 */

static locant_status t5_layers(struct lct_plan_keys *k, bool decoder)
{
    int64_t count, heads, width;

    LCT_TRY(lct_plan_keys_whole(&count, k, decoder ? NULL : "layers",
                                "num_layers", k->family->layers, 1));
    if (decoder)
        LCT_TRY(lct_plan_keys_whole(&count, k, "layers", "num_decoder_layers",
                                    count, 1));
    LCT_TRY(lct_plan_tower_count(
        k, decoder ? "num_decoder_layers" : "num_layers", count));
    LCT_TRY(lct_plan_keys_whole(&heads, k, "heads", "num_heads",
                                k->family->heads, 1));
    LCT_TRY(lct_plan_keys_whole(&width, k, "head_dim", "d_kv", 64, 1));
    LCT_TRY(lct_plan_tower_layers(k->tower, count, heads, heads, width,
                                  k->plan->file));
    lct_plan_tower_scale(k->tower, 1, "1, by the class");
    return LOCANT_OK;
}

static locant_status t5_stack(struct lct_position_plan *p,
                              const struct lct_config *c, bool decoder)
{
    const bool own = (p->family->flags & LCT_OWN_BIAS) != 0;
    struct lct_plan_keys k;
    int64_t buckets, distance;
    char spec[160];

    LCT_TRY(lct_plan_tower_begin(&k, p, decoder ? "decoder" : "encoder",
                                 c->text, lct_plan_tower_where(c)));
    LCT_TRY(t5_layers(&k, decoder));
    LCT_TRY(lct_plan_keys_whole(&buckets, &k, "buckets",
                                "relative_attention_num_buckets", 32, 2));
    LCT_TRY(lct_plan_keys_whole(&distance, &k, "distance",
                                "relative_attention_max_distance", 128, 2));
    snprintf(spec, sizeof spec,
             "t5(buckets=%" PRId64 ",distance=%" PRId64 ",bidirectional=%s%s)",
             buckets, distance, decoder ? "no" : "yes", own ? ",share=no" : "");
    return lct_plan_tower_same(&k, spec,
                               decoder ? LCT_CAUSAL : LCT_BIDIRECTIONAL);
}

locant_status lct_plan_pairs_t5(struct lct_position_plan *p,
                                const struct lct_config *c)
{
    LCT_TRY(t5_stack(p, c, false));
    return t5_stack(p, c, true);
}

/* ---------------------------------------------------- Marian, BART, Whisper */

/* What one stack adds to its embeddings. */
struct input {
    const char *sinusoids; /* a spec, or NULL: a learned table */
    const char *length;    /* the key of its positions */
    int64_t fallback, offset;
};

static locant_status stack(struct lct_position_plan *p,
                           const struct lct_config *c, bool decoder,
                           const struct input *in)
{
    struct lct_plan_keys k;
    int64_t hidden, length;
    bool scaled;

    LCT_TRY(lct_plan_tower_begin(&k, p, decoder ? "decoder" : "encoder",
                                 c->text, lct_plan_tower_where(c)));
    LCT_TRY(lct_plan_tower_sizes(
        &k, decoder ? "decoder_layers" : "encoder_layers",
        decoder ? "decoder_attention_heads" : "encoder_attention_heads",
        &hidden));
    LCT_TRY(lct_plan_keys_whole(&length, &k, "length", in->length, in->fallback,
                                1));
    LCT_TRY(lct_plan_keys_switch(&scaled, &k, "scale_embedding", false));
    if (scaled)
        k.tower->input_scale = sqrt((double)hidden);
    p->length_config = p->length_trained = length;
    if (in->sinusoids != NULL)
        LCT_TRY(lct_plan_tower_input(&k, in->sinusoids));
    else
        LCT_TRY(lct_plan_tower_learned(&k, length, in->offset));
    return lct_plan_tower_same(&k, "none",
                               decoder ? LCT_CAUSAL : LCT_BIDIRECTIONAL);
}

locant_status lct_plan_pairs_marian(struct lct_position_plan *p,
                                    const struct lct_config *c)
{
    static const struct input in = { "sinusoidal(form=split)",
                                     "max_position_embeddings", 1024, 0 };

    LCT_TRY(stack(p, c, false, &in));
    return stack(p, c, true, &in);
}

locant_status lct_plan_pairs_bart(struct lct_position_plan *p,
                                  const struct lct_config *c)
{
    static const struct input in = { NULL, "max_position_embeddings", 1024, 2 };

    LCT_TRY(stack(p, c, false, &in));
    return stack(p, c, true, &in);
}

locant_status lct_plan_pairs_whisper(struct lct_position_plan *p,
                                     const struct lct_config *c)
{
    static const struct input audio = {
        "sinusoidal(form=split,spacing=inclusive)", "max_source_positions",
        1500, 0
    };
    static const struct input text = { NULL, "max_target_positions", 448, 0 };

    LCT_TRY(stack(p, c, false, &audio));
    return stack(p, c, true, &text);
}
