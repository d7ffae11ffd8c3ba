/* rows.h - rows of seed 003, the survey of four methods */
#ifndef LOCANT_SEED_S3_H
#define LOCANT_SEED_S3_H

#include "../tutorial.h"

/* s3_order.c */
void s3_blindness(struct seed *s);
void s3_attention(struct seed *s);
void s3_equivariance(struct seed *s);
void s3_causal(struct seed *s);
/* s3_absolute.c */
void s3_sinusoid(struct seed *s);
void s3_learned(struct seed *s);
void s3_sinusoid_class(struct seed *s);
/* s3_relative.c */
void s3_segments(struct seed *s);
void s3_xl(struct seed *s);
void s3_cost(struct seed *s);
/* s3_rotary.c */
void s3_rope(struct seed *s);
void s3_frequencies(struct seed *s);
void s3_apply(struct seed *s);
/* s3_model.c */
void s3_heads(struct seed *s);
void s3_block(struct seed *s);
void s3_run(struct seed *s);
/* s3_survey.c */
void s3_taxonomy(struct seed *s);
void s3_table(struct seed *s);
void s3_evolution(struct seed *s);
void s3_conclusion(struct seed *s);
void s3_models(struct seed *s);
/* s3_future.c */
void s3_future(struct seed *s);

#endif /* LOCANT_SEED_S3_H */
