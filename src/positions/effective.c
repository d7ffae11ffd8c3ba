/* effective.c - effective distances and temperatures */
#include "distance.h"
#include "positions.h"

/* --------------------------------------------------------------- distances */

static locant_status check_distance(const char *fn,
                                    const locant_distance_form *f)
{
    if (f == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: form is NULL", fn);
    if ((unsigned)f->kind > LOCANT_DISTANCE_STREAMING)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: kind is %d, expected 0 (rerope), 1 (leaky), 2 "
                           "(selfextend) or 3 (streaming)",
                           fn, (int)f->kind);
    LCT_TRY(lct_check_least(fn, "window", f->window, 1));
    if (f->kind == LOCANT_DISTANCE_LEAKY &&
        !(f->factor >= 1 && f->factor < (double)INFINITY))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: factor is %g, expected a "
                           "finite number of at least 1",
                           fn, f->factor);
    if (f->kind == LOCANT_DISTANCE_SELFEXTEND)
        return lct_check_least(fn, "group", f->group, 1);
    if (f->kind == LOCANT_DISTANCE_STREAMING)
        return lct_check_least(fn, "sinks", f->sinks, 0);
    return LOCANT_OK;
}

static double distance(const locant_distance_form *f, int64_t p_i, int64_t p_j)
{
    switch (f->kind) {
    case LOCANT_DISTANCE_LEAKY:
        return lct_leaky_distance(f->window, f->factor, p_i, p_j);
    case LOCANT_DISTANCE_SELFEXTEND:
        return lct_selfextend_distance(f->window, f->group, p_i, p_j);
    case LOCANT_DISTANCE_STREAMING:
        return lct_streaming_distance(f->sinks, f->window, p_i, p_j);
    case LOCANT_DISTANCE_REROPE: break;
    }
    return lct_rerope_distance(f->window, p_i, p_j);
}

locant_status locant_distance(double *out, const locant_distance_form *form,
                              int64_t p_i, int64_t p_j)
{
    static const char fn[] = "locant_distance";

    LCT_NOT_NULL(fn, out);
    LCT_TRY(check_distance(fn, form));
    *out = distance(form, p_i, p_j);
    return LOCANT_OK;
}

/* Write element i of a row of F32 or F64. */
static void put(const locant_tensor *t, void *row, int64_t i, double x)
{
    if (t->dtype == LOCANT_F32)
        ((float *)row)[i] = (float)x;
    else
        ((double *)row)[i] = x;
}

locant_status locant_distances(locant_tensor *out,
                               const locant_distance_form *form,
                               const locant_tensor *q_pos,
                               const locant_tensor *k_pos)
{
    static const char fn[] = "locant_distances";

    LCT_TRY(check_distance(fn, form));
    LCT_TRY(
        lct_check(fn, "out", out, LCT_IN_REAL, 2, (const int64_t[]){ -1, -1 }));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check(fn, "q_pos", q_pos, LCT_IN_I64, 1, out->shape));
    LCT_TRY(lct_check(fn, "k_pos", k_pos, LCT_IN_I64, 1, out->shape + 1));
    LCT_TRY(lct_check_apart(fn, out, q_pos));
    LCT_TRY(lct_check_apart(fn, out, k_pos));
    for (int64_t i = 0; i < out->shape[0]; i++) {
        void *row = lct_at(out, &i, 1);

        for (int64_t j = 0; j < out->shape[1]; j++)
            put(out, row, j,
                distance(form, lct_ids_row(q_pos, 0)[i],
                         lct_ids_row(k_pos, 0)[j]));
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------- temperature */

static locant_status check_temperature(const char *fn,
                                       const locant_temperature_form *f)
{
    if (f == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: form is NULL", fn);
    if ((unsigned)f->kind > LOCANT_TEMPERATURE_INKLING)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: kind is %d, expected 0 "
                           "(llama4), 1 (ministral), 2 (logn) or 3 (inkling)",
                           fn, (int)f->kind);
    if (f->kind == LOCANT_TEMPERATURE_LOGN)
        return lct_check_least(fn, "length", f->length, 2);
    if (!(fabs(f->scale) <= 1e30)) /* keeps the factor finite */
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: scale is %g, expected a "
                           "number from -1e30 to 1e30",
                           fn, f->scale);
    return lct_check_least(fn, "length", f->length, 1);
}

static double temperature(const locant_temperature_form *f, int64_t p)
{
    switch (f->kind) {
    case LOCANT_TEMPERATURE_MINISTRAL:
        return lct_temperature_ministral(f->scale, f->length, p);
    case LOCANT_TEMPERATURE_LOGN: return lct_temperature_logn(f->length, p);
    case LOCANT_TEMPERATURE_INKLING:
        return lct_temperature_inkling(f->scale, f->length, p);
    case LOCANT_TEMPERATURE_LLAMA4: break;
    }
    return lct_temperature_llama4(f->scale, f->length, p);
}

locant_status locant_temperature(double *out,
                                 const locant_temperature_form *form,
                                 int64_t position)
{
    static const char fn[] = "locant_temperature";

    LCT_NOT_NULL(fn, out);
    LCT_TRY(check_temperature(fn, form));
    LCT_TRY(lct_check_least(fn, "position", position, 0));
    *out = temperature(form, position);
    return LOCANT_OK;
}

locant_status locant_temperatures(locant_tensor *out,
                                  const locant_temperature_form *form,
                                  const locant_tensor *positions)
{
    static const char fn[] = "locant_temperatures";
    int64_t any = -1;

    LCT_TRY(check_temperature(fn, form));
    LCT_TRY(lct_check(fn, "out", out, LCT_IN_REAL, 1, &any));
    LCT_TRY(lct_check_output(fn, "out", out));
    LCT_TRY(lct_check(fn, "positions", positions, LCT_IN_I64, 1, out->shape));
    LCT_TRY(lct_check_apart(fn, out, positions));
    for (int64_t t = 0; t < out->shape[0]; t++)
        LCT_TRY(
            lct_check_least(fn, "position", lct_ids_row(positions, 0)[t], 0));
    for (int64_t t = 0; t < out->shape[0]; t++)
        put(out, out->data, t, temperature(form, lct_ids_row(positions, 0)[t]));
    return LOCANT_OK;
}
