/* rows.h - rows of seed 002, the chapter with classes in Java */
#ifndef LOCANT_SEED_S2_H
#define LOCANT_SEED_S2_H

#include "../tutorial.h"

/* s2_fixed.c */
void s2_goals(struct seed *s);
void s2_blindness(struct seed *s);
void s2_uses_of_order(struct seed *s);
void s2_formula(struct seed *s);
void s2_fixed(struct seed *s);
void s2_waves(struct seed *s);
/* s2_learned.c */
void s2_learned(struct seed *s);
void s2_merits(struct seed *s);
void s2_compare(struct seed *s);
void s2_repetition(struct seed *s);
void s2_interpolate(struct seed *s);
/* s2_relative.c */
void s2_relative(struct seed *s);
void s2_rotary(struct seed *s);
/* s2_models.c */
void s2_encoder(struct seed *s);
void s2_decoder(struct seed *s);
void s2_names(struct seed *s);
void s2_summary(struct seed *s);

#endif /* LOCANT_SEED_S2_H */
