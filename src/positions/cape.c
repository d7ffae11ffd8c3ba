/* cape.c - real positions, shifted and scaled at random in training */
#include "positions.h"
#include <math.h>

static const char fn[] = "locant_positions_cape";

/* Products of three numbers up to MOST, or of two and an index, are finite. */
static const double MOST = 1e30;

/* 'above_least': is the value above its lower limit, which the text 'least'
   names? */
static locant_status check_real(const char *name, double value,
                                bool above_least, const char *least)
{
    if (above_least && value <= MOST)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s is %g, expected a number %s and at most %g", fn,
                       name, value, least, MOST);
}

static locant_status check(const locant_tensor *out, const locant_cape *c)
{
    if (c == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: cape is NULL", fn);
    if (c->struct_size != sizeof(*c))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected "
                           "%zu; start from LOCANT_CAPE_INIT",
                           fn, c->struct_size, sizeof(*c));
    LCT_TRY(check_real("step", c->step, c->step > 0, "above 0"));
    LCT_TRY(check_real("global_shift", c->global_shift, c->global_shift >= 0,
                       "of at least 0"));
    LCT_TRY(check_real("local_shift", c->local_shift, c->local_shift >= 0,
                       "of at least 0"));
    LCT_TRY(check_real("max_scale", c->max_scale, c->max_scale >= 1,
                       "of at least 1"));
    LCT_TRY(
        lct_check(fn, "out", out, LCT_IN_F64, 2, (const int64_t[]){ -1, -1 }));
    return lct_check_output(fn, "out", out);
}

/* A random number, uniform in -width .. width. */
static double draw_symmetric(locant_random *random, double width)
{
    return width * (2.0 * locant_random_uniform(random) - 1.0);
}

locant_status locant_positions_cape(locant_tensor *out, const locant_cape *c,
                                    locant_random *random)
{
    double centre;

    LCT_TRY(check(out, c));
    centre = c->centred ? (double)(out->shape[1] - 1) / 2 : 0;
    for (int64_t b = 0; b < out->shape[0]; b++) {
        double *row = lct_at(out, &b, 1);
        double shift = 0, scale = 1;

        if (random != NULL)
            shift = draw_symmetric(random, c->global_shift);
        for (int64_t t = 0; t < out->shape[1]; t++) {
            row[t] = c->step * ((double)t - centre);
            if (random != NULL)
                row[t] +=
                    shift + draw_symmetric(random, c->local_shift * c->step);
        }
        if (random != NULL)
            scale = exp(draw_symmetric(random, log(c->max_scale)));
        for (int64_t t = 0; t < out->shape[1]; t++)
            row[t] *= scale;
    }
    return LOCANT_OK;
}
