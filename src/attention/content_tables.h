/* content_tables.h - tables of the vectors of content, and their gradients */
#ifndef LCT_ATTENTION_CONTENT_TABLES_H
#define LCT_ATTENTION_CONTENT_TABLES_H
#include "content.h"

void lct_content_tables_fill(const struct lct_plan *p);

/*
 * Set gradients of a chunk of batch rows, from row b on, to 0; before the first
 * chunk, b = 0, the sums too.
 */
void lct_content_tables_clear_chunk(const struct lct_plan *p, int64_t b,
                                    int64_t rows);
/* Add the chunk's gradients to the sums, in order of batch rows, and to dx. */
void lct_content_tables_sum_chunk(const struct lct_plan *p,
                                  const locant_tensor *dx, bool learns,
                                  int64_t b, int64_t rows);
/* Add the sums, through the projection, to row 0 of p->gradients->params. */
void lct_content_tables_accumulate(const struct lct_plan *p);
#endif
