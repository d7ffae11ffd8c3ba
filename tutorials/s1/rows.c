/* rows.c - the twelve rows of seed 001 */
#include "rows.h"

const struct seed_row seed_rows_s1[] = {
    { "S1.1", "text", "the order of study", s1_order, "3-7", 0, NULL },
    { "S1.2", "text", "RoPE beyond 512 trained tokens", s1_claim, "11", 0,
      "E-1.1" },
    { "S1.3", "function", "get_pe(pos, j, dim) and the table [50, 512]",
      s1_get_pe, "16-31", 0, NULL },
    { "S1.4", "class", "learned absolute positions [50, 512]", s1_learned,
      "33-42", 0, "E-1.4" },
    { "S1.5", "function", "rotate_half(x)", s1_rotate_half, "54-61, 162-165", 0,
      NULL },
    { "S1.6", "function", "apply_rotary_pos_emb(q, k, sin, cos)", s1_apply,
      "63-71, 167-171", 0, NULL },
    { "S1.7", "class", "RotaryPositionEmbedding(dim), one head", s1_rotary,
      "73-93", 0, "E-1.3" },
    { "S1.8", "class", "AttentionWithRoPE(dim, head_dim)", s1_single, "95-125",
      0, "E-1.2" },
    { "S1.9", "experiment", "one head of 64 on [2, 10, 128]", s1_single_run,
      "127-152", 0, "E-1.2" },
    { "S1.10", "class", "RotaryPositionEmbedding(dim), many heads",
      s1_rotary_heads, "173-195", 0, NULL },
    { "S1.11", "class", "MultiHeadAttentionWithRoPE(dim, num_heads=4)",
      s1_multi, "197-246", 0, NULL },
    { "S1.12", "experiment", "four heads on [2, 10, 128]", s1_multi_run,
      "248-273", 0, NULL },
    { NULL, NULL, NULL, NULL, NULL, 0, NULL }
};
