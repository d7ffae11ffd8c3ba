/* rows.h - the rows of S0, a notebook in Chinese with PyTorch code. */
#ifndef LOCANT_SEED_S0_H
#define LOCANT_SEED_S0_H

#include "../tutorial.h"

/* s0_order.c */
void s0_why(struct seed *s);
void s0_schematic(struct seed *s);
void s0_setup(struct seed *s);
void s0_attention(struct seed *s);
void s0_permutation(struct seed *s);

/* s0_sinusoidal.c */
void s0_formula(struct seed *s);
void s0_merits(struct seed *s);
void s0_class(struct seed *s);
void s0_first_rows(struct seed *s);
void s0_visualise(struct seed *s);
void s0_relative(struct seed *s);

/* s0_tables.c */
void s0_learned(struct seed *s);
void s0_clipped(struct seed *s);
void s0_shapes(struct seed *s);
void s0_compare(struct seed *s);

/* s0_effect.c */
void s0_effect(struct seed *s);

/* s0_variants.c */
void s0_rope(struct seed *s);
void s0_alibi(struct seed *s);
void s0_variant_shapes(struct seed *s);
void s0_alibi_maps(struct seed *s);

/* s0_benchmark.c */
void s0_benchmark(struct seed *s);
void s0_benchmark_table(struct seed *s);

/* s0_words.c */
void s0_ideas(struct seed *s);
void s0_features(struct seed *s);
void s0_advice(struct seed *s);
void s0_names(struct seed *s);

#endif /* LOCANT_SEED_S0_H */
