/* sequence_heads.h - attention of one layer where rows have several leaves */
#ifndef LCT_MODEL_SEQUENCE_HEADS_H
#define LCT_MODEL_SEQUENCE_HEADS_H
#include "sequence.h"

/* As the functions of heads.c without 'sequence'. */
locant_status lct_sequence_heads_reserve(struct lct_model *m);
locant_status lct_sequence_heads_forward(struct lct_model *m, int64_t layer);
locant_status lct_sequence_heads_backward(struct lct_model *m, int64_t layer);
#endif
