/* angles.c - the public table of angles */
#include "../core/tensor.h"
#include "schedule.h"
#include <inttypes.h>
#include <math.h>

enum { CHUNK = 1 << 16 }; /* pairs computed at a time, 512 KiB of scratch */

static const char fn[] = "locant_angles";

static locant_status check_position(const locant_tensor *positions, int64_t t)
{
    double p = ((const double *)positions->data)[t];

    if (!(fabs(p) < 0x1p63))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: position %" PRId64 " is %g, "
                           "expected a finite number below 2^63 in magnitude",
                           fn, t, p);
    return LOCANT_OK;
}

static locant_status check(const locant_tensor *out,
                           const locant_tensor *positions, double base,
                           locant_angle_mode mode)
{
    LCT_TRY(lct_check(fn, "out", out, LCT_IN_F32, 3,
                      (const int64_t[]){ -1, -1, 2 }));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check(fn, "positions", positions, LCT_IN_I64 | LCT_IN_F64, 1,
                      (const int64_t[]){ out->shape[0] }));
    LCT_TRY(lct_check_apart(fn, out, positions));
    if (!(base > 0 && base <= 0x1.fffffffffffffp1023))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: base is %g, expected a finite number above 0",
                           fn, base);
    /* Whole turns of these frequencies were dropped, which is exact only at
     * integer positions. */
    if (base < 1 && mode == LOCANT_ANGLES_EXACT &&
        positions->dtype == LOCANT_F64)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: base is %g, expected at "
                           "least 1 for real positions",
                           fn, base);
    if ((unsigned)mode > LOCANT_ANGLES_GGML)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: mode is %d, expected 0 "
                           "(exact), 1 (hf) or 2 (ggml)",
                           fn, (int)mode);
    if (positions->dtype == LOCANT_F64)
        for (int64_t t = 0; t < positions->shape[0]; t++)
            LCT_TRY(check_position(positions, t));
    return LOCANT_OK;
}

/*
 * Compute rows first .. first + n - 1 in scratch, which holds n rows of cosines
 * and n of sines, and interleave them into out.
 */
static void fill(locant_tensor *out, const struct lct_schedule *s,
                 const locant_tensor *positions, int64_t first, int64_t n,
                 float *scratch)
{
    float *cosines = scratch;
    float *sines = scratch + n * s->pairs;

    if (positions->dtype == LOCANT_F64)
        lct_schedule_angles_real(cosines, sines, s,
                                 (const double *)positions->data + first,
                                 (size_t)n);
    else
        lct_schedule_angles(cosines, sines, s,
                            (const int64_t *)positions->data + first,
                            (size_t)n);
    for (int64_t t = 0; t < n; t++) {
        float *row = (float *)out->data + (first + t) * out->stride[0];

        for (int64_t i = 0; i < s->pairs; i++) {
            float *pair = row + i * out->stride[1];

            pair[0] = cosines[t * s->pairs + i];
            pair[1] = sines[t * s->pairs + i];
        }
    }
}

locant_status locant_angles(locant_tensor *out, const locant_tensor *positions,
                            double base, locant_angle_mode mode)
{
    struct lct_schedule *s;
    float *scratch;
    int64_t pairs, rows;

    LCT_TRY(check(out, positions, base, mode));
    if (lct_empty(out))
        return LOCANT_OK;
    pairs = out->shape[1];
    rows = pairs < CHUNK ? CHUNK / pairs : 1;
    if (rows > out->shape[0])
        rows = out->shape[0];
    s = lct_schedule_create(base, pairs, 2 * pairs);
    scratch = locant_alloc((size_t)(rows * pairs) * 2 * sizeof(float));
    if (s == NULL || scratch == NULL) {
        locant_release(scratch);
        locant_release(s);
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " frequencies", fn,
                           pairs);
    }
    s->mode = mode;
    lct_recipe_plain(s, base);
    for (int64_t t = 0; t < out->shape[0]; t += rows) {
        int64_t left = out->shape[0] - t;

        fill(out, s, positions, t, left < rows ? left : rows, scratch);
    }
    locant_release(scratch);
    locant_release(s);
    return LOCANT_OK;
}
