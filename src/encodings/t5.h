/* t5.h - buckets of distances, for encodings whose first keys are those of t5 */
#ifndef LCT_T5_H
#define LCT_T5_H
#include "encoding.h"

/* The keys that these functions read. */
enum { LCT_T5_BUCKETS, LCT_T5_DISTANCE, LCT_T5_BIDIRECTIONAL };
enum { LCT_T5_MOST = 1024 }; /* buckets */

/* For the hooks 'check' and 'prepare'. */
locant_status lct_t5_check(const locant_encoding *e);
locant_status lct_t5_prepare(locant_encoding *e);

int64_t lct_t5_bucket(const struct lct_call *c, int64_t q_pos, int64_t k_pos);
#endif
