/* rope_case.h - the frequencies of an encoding that rotates */
#ifndef ROPE_CASE_H
#define ROPE_CASE_H
#include "angle/schedule.h"
#include "encodings/encoding.h"
#include "oracle/near.h"

static inline const struct lct_schedule *
schedule_of(locant_encoding **e, const char *spec, int64_t D, int64_t length)
{
    const struct lct_schedule *s;

    *e = test_create(spec);
    CHECK_OK(lct_schedule_of(&s, *e, "test", D, length));
    return s;
}

static inline double radians(struct lct_phase f)
{
    return ((double)f.hi * 0x1p-64 + (double)f.lo * 0x1p-128) *
           6.283185307179586476925;
}
#endif
