/* rotate.h - rows turned by a schedule, for the public call and attention */
#ifndef LCT_ROTATE_H
#define LCT_ROTATE_H
#include "../angle/schedule.h"
#include "../kernel/kernels.h"

/*
 * Turn one row in place by the angles whose cosines and sines stand in c and s
 * [pairs]; sign -1 turns back.  Channels past 2 * pairs are left alone.
 */
void lct_rotate_row(float *row, const struct lct_schedule *s,
                    const struct lct_kernels *k, const float *cos_row,
                    const float *sin_row, float sign);
void lct_rotate_row_f64(double *row, const struct lct_schedule *s,
                        const float *cos_row, const float *sin_row,
                        double sign);
#endif
