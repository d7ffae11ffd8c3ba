/* list.c - all oracles: a name each, twice. */
#include "oracle.h"

/* Input, rotate, score. */
extern const struct oracle cape_oracle, laplacian_oracle, learned_oracle,
    learned2d_oracle, random_walk_oracle, sincos2d_oracle, sincos3d_oracle,
    sinusoidal_oracle;
extern const struct oracle mrope_oracle, pope_oracle, rope_oracle,
    rope2d_oracle, rope3d_oracle, rope_mixed_oracle, xpos_oracle;
extern const struct oracle alibi_oracle, beit_oracle, crossformer_oracle,
    dpb_oracle, fire_oracle, graph_oracle, kerple_oracle, sandwich_oracle,
    swin_oracle, swinv2_oracle, t5_oracle;

/* Content, and what has no door. */
extern const struct oracle cope_oracle, dape_oracle, deberta_oracle,
    fox_oracle, music_oracle, relative_oracle, rerope_oracle, selfextend_oracle,
    shaw_oracle, streaming_oracle, transformer_xl_oracle, xlnet_oracle;
extern const struct oracle layers_oracle, longlora_oracle, none_oracle,
    pose_oracle, randomized_oracle, temperature_oracle, window_oracle;

const struct oracle *const oracle_all[] = {
    &cape_oracle, &laplacian_oracle, &learned_oracle, &learned2d_oracle,
    &random_walk_oracle, &sincos2d_oracle, &sincos3d_oracle, &sinusoidal_oracle,

    &mrope_oracle, &pope_oracle, &rope_oracle, &rope2d_oracle, &rope3d_oracle,
    &rope_mixed_oracle, &xpos_oracle,

    &alibi_oracle, &beit_oracle, &crossformer_oracle, &dpb_oracle, &fire_oracle,
    &graph_oracle, &kerple_oracle, &sandwich_oracle, &swin_oracle,
    &swinv2_oracle, &t5_oracle,

    &cope_oracle, &dape_oracle, &deberta_oracle, &fox_oracle, &music_oracle,
    &relative_oracle, &rerope_oracle, &selfextend_oracle, &shaw_oracle,
    &streaming_oracle, &transformer_xl_oracle, &xlnet_oracle,

    &layers_oracle, &longlora_oracle, &none_oracle, &pose_oracle,
    &randomized_oracle, &temperature_oracle, &window_oracle,

    NULL
};
