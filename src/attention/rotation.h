/*
 * rotation.h - rotate or map queries and keys in double, and their gradients.
 *
 * Plain rotations use tables of angles, as locant_encoding_rotate() does;
 * general maps of the rotate door are called for each row.
 */
#ifndef LCT_ATTENTION_ROTATION_H
#define LCT_ATTENTION_ROTATION_H
#include "tables.h"

/*
 * out [Dq] = row 'at' = b, h, i of the queries or keys, x [D], rotated or
 * mapped, without the temperature.  'backward' writes dx [D] given the gradient
 * dout [Dq], which it may change, and adds to the gradients of parameters in
 * 'dparam', a row of p->gradients->params.
 */
void lct_rotation_row(double *out, const struct lct_plan *p, const double *x,
                      enum lct_role role, const int64_t at[3]);
void lct_rotation_row_backward(double *dx, double *dparam,
                               const struct lct_plan *p, double *dout,
                               const double *x, enum lct_role role,
                               const int64_t at[3]);

/* out [D] = query 'at', x [D], rotated for relation r (tables.h); and, given
 * the gradient dout, dx += its gradient.  dout may change. */
void lct_rotation_relation(double *out, const struct lct_plan *p,
                           const double *x, int r, const int64_t at[3]);
void lct_rotation_relation_backward(double *dx, const struct lct_plan *p,
                                    double *dout, int r, const int64_t at[3]);

/*
 * If values rotate like keys: rotate a value x [Dv] of the keys (sign 1), its
 * gradient (-1), an output of the queries (-1) or its gradient (1), in place.
 */
void lct_rotation_value(const struct lct_plan *p, double *x, enum lct_role role,
                        const int64_t at[3], double sign);

/*
 * As lct_rotation_row(), from the caller's q or k to a row of padded_q floats.
 * 'backward' takes the gradient of such a row and writes 'dx' unless it is
 * NULL; 'added' [Dv] is added to dx, unless it is NULL.  'mapped' is s->mapped
 * (scratch.h).
 */
void lct_rotation_load_row(float *to, const struct lct_plan *p, double *mapped,
                           enum lct_role role, const int64_t at[3]);
void lct_rotation_load_row_backward(const locant_tensor *dx, double *dparam,
                                    const struct lct_plan *p, const float *from,
                                    const float *added, double *mapped,
                                    enum lct_role role, const int64_t at[3]);

/* What to rotate all queries or keys by: positions, coordinates, schedules. */
struct lct_places lct_rotation_places(const struct lct_plan *p,
                                      enum lct_role role);

/* Does the rotate door have parameters?  Call it after tables are filled. */
static inline bool lct_rotation_learns(const struct lct_plan *p)
{
    return p->tables->rotate != NULL && p->request->general_map &&
           p->tables->rotate->param[0] != NULL;
}
#endif
