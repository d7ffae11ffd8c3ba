/* list.c - the oracles of whole encodings: a name each, twice. */
#include "whole.h"

/* Input, rotate, score. */
extern const struct whole_oracle whole_cape, whole_laplacian, whole_learned,
    whole_learned2d, whole_random_walk, whole_sincos2d, whole_sincos3d,
    whole_sinusoidal;
extern const struct whole_oracle whole_mrope, whole_pope, whole_rope,
    whole_rope2d, whole_rope3d, whole_rope_mixed, whole_xpos;
extern const struct whole_oracle whole_alibi, whole_beit, whole_crossformer,
    whole_dpb, whole_fire, whole_graph, whole_kerple, whole_sandwich,
    whole_swin, whole_swinv2, whole_t5;

/* Content, and what has no door. */
extern const struct whole_oracle whole_cope, whole_dape, whole_deberta,
    whole_fox, whole_music, whole_relative, whole_rerope, whole_selfextend,
    whole_shaw, whole_streaming, whole_transformer_xl, whole_xlnet;
extern const struct whole_oracle whole_layers, whole_longlora, whole_none,
    whole_pose, whole_randomized, whole_temperature, whole_window;

const struct whole_oracle *const whole_oracles[] = {
    &whole_cape, &whole_laplacian, &whole_learned, &whole_learned2d,
    &whole_random_walk, &whole_sincos2d, &whole_sincos3d, &whole_sinusoidal,

    &whole_mrope, &whole_pope, &whole_rope, &whole_rope2d, &whole_rope3d,
    &whole_rope_mixed, &whole_xpos,

    &whole_alibi, &whole_beit, &whole_crossformer, &whole_dpb, &whole_fire,
    &whole_graph, &whole_kerple, &whole_sandwich, &whole_swin,
    &whole_swinv2, &whole_t5,

    &whole_cope, &whole_dape, &whole_deberta, &whole_fox, &whole_music,
    &whole_relative, &whole_rerope, &whole_selfextend, &whole_shaw,
    &whole_streaming, &whole_transformer_xl, &whole_xlnet,

    &whole_layers, &whole_longlora, &whole_none, &whole_pose,
    &whole_randomized, &whole_temperature, &whole_window,

    NULL
};
