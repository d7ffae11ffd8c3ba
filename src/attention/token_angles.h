/*
 * token_angles.h - rotations by angles that the inputs of tokens choose.
 *
 * Tables hold the numbers z of each token and head (encodings/doors.h), summed
 * in double in the order of the document's tokens.  So a token's angles depend
 * on the tokens up to it alone, and a call for some queries of a text has the
 * bits of a call for all.  A query is rotated by the angles of its own key.
 */
#ifndef LCT_ATTENTION_TOKEN_ANGLES_H
#define LCT_ATTENTION_TOKEN_ANGLES_H
#include "tables.h"

/* Numbers of a token and head; token_numbers of the request is given. */
int64_t lct_token_angles_count(const struct lct_plan *p);

void lct_token_angles_layout(struct lct_tables *tables,
                             const struct lct_plan *p, struct lct_arena *arena);
void lct_token_angles_fill(const struct lct_plan *p);

/*
 * out [D] = row 'at' = b, h, i of the queries or keys, x [D], rotated.
 * 'backward' writes dx [D] given dout [D], and keeps the gradient of z.
 */
void lct_token_angles_rotate(double *out, const struct lct_plan *p,
                             const double *x, enum lct_role role,
                             const int64_t at[3]);
void lct_token_angles_rotate_backward(double *dx, const struct lct_plan *p,
                                      const double *dout, const double *x,
                                      enum lct_role role, const int64_t at[3]);

/* Before the rows of backward, and after: add the gradients of parameters to
 * row 0 of p->gradients->params, and write dx unless it is NULL. */
void lct_token_angles_begin_backward(const struct lct_plan *p);
void lct_token_angles_end_backward(const struct lct_plan *p,
                                   const locant_tensor *dx);
#endif
