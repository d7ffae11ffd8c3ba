/* net_temperature.h - a temperature that follows position ids (Ministral 3) */
#ifndef LCT_NET_TEMPERATURE_H
#define LCT_NET_TEMPERATURE_H
#include "net_attention.h"

/*
 * a->cold = the encoding of a layer without its temperature, which attention
 * takes by slots; NULL if it has none that follows position ids.
 * Errors: NOMEM.
 */
locant_status lct_net_temperature_bind(struct lct_net_attention *a);

/*
 * q [B T, heads width] *= 1 + scale ln(1 + floor(p / floor)) of the position p
 * of each token.  Source: modeling_ministral3.py of transformers 5.23,
 * get_llama_4_attn_scale().
 */
void lct_net_temperature_apply(void *q, const struct lct_net_step *s,
                               const struct lct_net_attention *a);
#endif
