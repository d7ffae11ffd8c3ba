/* augment.c - random shifts and factors of the coordinates of patches */
#include "locant/multimodal.h"
#include "positions.h"
#include <math.h>

static const char fn[] = "locant_positions_augment";

enum { MOST_AXES = 6 };

static locant_status check_number(const char *name, double x, double least)
{
    if (x >= least && x <= 1e30)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_PARAM, "%s: %s is %g, expected %g .. 1e30",
                       fn, name, x, least);
}

static locant_status check(const locant_tensor *coords, const locant_augment *a,
                           const locant_random *random)
{
    const int64_t any[2] = { -1, -1 };

    if (a == NULL || random == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           a == NULL ? "augment" : "random");
    if (a->struct_size != sizeof(*a))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_AUGMENT_INIT",
                           fn, a->struct_size, sizeof(*a));
    LCT_TRY(check_number("shift", a->shift, 0));
    LCT_TRY(check_number("jitter", a->jitter, 1));
    LCT_TRY(check_number("rescale", a->rescale, 1));
    LCT_TRY(lct_check_least(fn, "prefix", a->prefix, 0));
    LCT_TRY(lct_check(fn, "coords", coords, LCT_IN_F64, 2, any));
    LCT_TRY(lct_check_output(fn, "coords", coords));
    if (coords->shape[1] > MOST_AXES)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: coords has size %" PRId64
                           " in dimension 1, expected at most %d",
                           fn, coords->shape[1], MOST_AXES);
    return LOCANT_OK;
}

/* Uniform in +-most. */
static double draw(locant_random *random, double most)
{
    return most > 0 ? most * (2 * locant_random_uniform(random) - 1) : 0;
}

locant_status locant_positions_augment(locant_tensor *coords,
                                       const locant_augment *augment,
                                       locant_random *random)
{
    double shift[MOST_AXES], factor[MOST_AXES], rescale;
    int64_t axes;

    LCT_TRY(check(coords, augment, random));
    axes = coords->shape[1];
    for (int64_t a = 0; a < axes; a++)
        shift[a] = draw(random, augment->shift);
    for (int64_t a = 0; a < axes; a++)
        factor[a] = exp(draw(random, log(augment->jitter)));
    rescale = exp(draw(random, log(augment->rescale)));
    for (int64_t i = augment->prefix; i < coords->shape[0]; i++) {
        double *x = lct_at(coords, &i, 1);

        for (int64_t a = 0; a < axes; a++)
            x[a] = (x[a] + shift[a]) * factor[a] * rescale;
    }
    return LOCANT_OK;
}
