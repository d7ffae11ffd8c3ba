/* clock.h - a monotonic clock */
#ifndef LCT_CLOCK_H
#define LCT_CLOCK_H

/* Seconds since an arbitrary time. */
double lct_clock(void);
#endif
