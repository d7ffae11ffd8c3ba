/* rows.h - rows of seed 004, the course page */
#ifndef LOCANT_SEED_S4_H
#define LOCANT_SEED_S4_H

#include "../tutorial.h"

/* s4_sinusoid.c */
void s4_header(struct seed *s);
void s4_goals(struct seed *s);
void s4_why(struct seed *s);
void s4_formula(struct seed *s);
void s4_function(struct seed *s);
void s4_heat(struct seed *s);
void s4_properties(struct seed *s);
void s4_homework_1(struct seed *s);
/* s4_rotary.c */
void s4_learned(struct seed *s);
void s4_rope(struct seed *s);
void s4_apply(struct seed *s);
void s4_homework_2(struct seed *s);
/* s4_alibi.c */
void s4_slopes(struct seed *s);
void s4_alibi(struct seed *s);
void s4_homework_3(struct seed *s);
/* s4_survey.c */
void s4_table(struct seed *s);
void s4_summary(struct seed *s);
void s4_homework_5(struct seed *s);
void s4_models(struct seed *s);
/* s4_train.c */
void s4_homework_4(struct seed *s);

#endif /* LOCANT_SEED_S4_H */
