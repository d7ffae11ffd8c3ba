/* clock.h - how long work takes */
#ifndef LCT_CLOCK_H
#define LCT_CLOCK_H

/* Seconds of a monotonic clock. */
double lct_clock(void);
#endif
