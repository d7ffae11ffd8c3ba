/*
 * convert_latent.h - kv_b of multi-head latent attention, which GGUF files have
 * in two tensors
 *
 *     kv_b [H (nope + v), rank]   of head h: nope rows of keys, v of values
 *     k_b  [H, rank, nope]        those of keys, transposed
 *     v_b  [H, v, rank]
 *
 * Source: convert_hf_to_gguf.py of llama.cpp since April 2025
 * (DeepseekV2Model); older files have kv_b as it is.
 */
#ifndef LCT_CONVERT_LATENT_H
#define LCT_CONVERT_LATENT_H
#include "position_plan.h"
#include "weights.h"

struct lct_convert_latent {
    int64_t heads, nope, values, rank;
};

/* The sizes of a layer whose tensors have this rank, and of which 'rotated'
   channels of a head rotate. */
struct lct_convert_latent
lct_convert_latent_of(const struct lct_layer_plan *layer, int64_t rotated,
                      int64_t rank);

/* Numbers of a tensor: 'n' of them, 'step' apart from 'first' on. */
struct lct_convert_latent_row {
    int64_t first, step, n;
};

/* Row 'row' of k_b [H rank, nope] or of v_b [H v, rank] in kv_b; row 'row' of
   kv_b in one of the two, v_b if *values. */
struct lct_convert_latent_row
lct_convert_latent_key(const struct lct_convert_latent *l, int64_t row);
struct lct_convert_latent_row
lct_convert_latent_value(const struct lct_convert_latent *l, int64_t row);
struct lct_convert_latent_row
lct_convert_latent_joined(bool *values, const struct lct_convert_latent *l,
                          int64_t row);

/* out [r.n] = those numbers of w, whose rows of nope or rank are whole
   blocks. */
void lct_convert_latent_read(float *out, const struct lct_weight *w,
                             struct lct_convert_latent_row r);
/* The same as they are stored; of types whose blocks are single numbers. */
void lct_convert_latent_copy(unsigned char *out, const struct lct_weight *w,
                             struct lct_convert_latent_row r);
#endif
