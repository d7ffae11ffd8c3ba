/* statistics.h - what the files of statistics share */
#ifndef LCT_STATISTICS_H
#define LCT_STATISTICS_H
#include "../core/error.h"
#include "locant/statistics.h"

/* Mean and half width of the t interval; half is NAN for n = 1. */
void lct_t_interval(double *mean, double *half, const double *x, size_t n,
                    double level);

/* PARAM unless 0 < level < 1. */
locant_status lct_check_level(const char *fn, double level);
#endif
