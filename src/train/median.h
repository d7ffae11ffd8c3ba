/* median.h - the median of a few times */
#ifndef LCT_TRAIN_MEDIAN_H
#define LCT_TRAIN_MEDIAN_H

/* Of an odd number n of values. */
static inline double lct_median(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        int below = 0, same = 0;

        for (int k = 0; k < n; k++) {
            below += x[k] < x[i];
            same += x[k] == x[i];
        }
        if (below <= n / 2 && below + same > n / 2)
            return x[i];
    }
    return 0;
}
#endif
