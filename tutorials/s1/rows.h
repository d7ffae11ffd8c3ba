/* rows.h - rows of seed 001, the notebook in three sections */
#ifndef LOCANT_SEED_S1_H
#define LOCANT_SEED_S1_H

#include "../tutorial.h"

/* s1_absolute.c */
void s1_order(struct seed *s);
void s1_claim(struct seed *s);
void s1_get_pe(struct seed *s);
void s1_learned(struct seed *s);
/* s1_rotary.c */
void s1_rotate_half(struct seed *s);
void s1_apply(struct seed *s);
void s1_rotary(struct seed *s);
void s1_rotary_heads(struct seed *s);
/* s1_attention.c */
void s1_single(struct seed *s);
void s1_single_run(struct seed *s);
void s1_multi(struct seed *s);
void s1_multi_run(struct seed *s);

#endif /* LOCANT_SEED_S1_H */
