/* whole_doors.h - what the judges of the single doors share. */
#ifndef WHOLE_DOORS_H
#define WHOLE_DOORS_H

#include "whole_case.h"

/* How far an element of t may be from 'want', formed in double from terms up
 * to 'largest'. */
double whole_rounding(const locant_tensor *t, double want, double largest);

/* n random positions the case is defined at; n random coordinates, F64 [n] or
 * [n, axes]. */
locant_tensor whole_ints(const struct whole_case *c, int64_t n);
locant_tensor whole_reals(const struct whole_case *c, int64_t n);

/* One random call of the rotate door with spec i, and of its backward. */
void whole_judge_turn(const struct whole_oracle *o, int i, int round);
#endif
