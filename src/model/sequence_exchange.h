/* sequence_exchange.h - what ranks that share a sequence tell each other */
#ifndef LCT_MODEL_SEQUENCE_EXCHANGE_H
#define LCT_MODEL_SEQUENCE_EXCHANGE_H
#include "sequence.h"

/* Leaves first .. last - 1 of row 'row' of the batch, which a rank has; first =
   last if it has none. */
struct lct_sequence_range {
    int64_t first, last;
};
struct lct_sequence_range lct_sequence_exchange_range(const struct lct_model *m,
                                                      int64_t row, int rank);

/* Allocate the lists of pieces, for sequences that are set. */
locant_status lct_sequence_exchange_create(struct lct_model *m);

/* Gather the tokens of sequences that are not whole, for a layer whose keys and
   values are computed. */
locant_status lct_sequence_exchange_tokens(struct lct_model *m, int64_t layer);

/* Share out the sums of sequences that are not whole, and use them. */
locant_status lct_sequence_exchange_sums(struct lct_model *m);
#endif
