/* numbers_put.c - values, intervals and losses into the document of numbers */
#include "../files/utf8.h"
#include "numbers_extension.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BOOTSTRAP_SEED = 1 };
static const double level = .95;

double lct_number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value)
{
    n->failed |= json_object_set_new(to, key, value) != 0;
}

void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value)
{
    lct_put(n, to, key, isfinite(value) ? json_real(value) : json_null());
}

void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value)
{
    lct_put(n, to, key, json_integer((json_int_t)value));
}

/* Text that is not UTF-8 cannot be in JSON: null. */
void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value)
{
    lct_put(n, to, key,
            value && lct_is_utf8(value) ? json_string(value) : json_null());
}

json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key)
{
    json_t *object = json_object();

    lct_put(n, to, key, object); /* owned by 'to' */
    return n->failed ? NULL : object;
}

json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key)
{
    json_t *array = json_array();

    lct_put(n, to, key, array);
    return n->failed ? NULL : array;
}

void lct_add_real(struct lct_numbers *n, json_t *to, double value)
{
    n->failed |= json_array_append_new(to, isfinite(value) ? json_real(value)
                                                           : json_null()) != 0;
}

void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value)
{
    n->failed |=
        json_array_append_new(to, json_integer((json_int_t)value)) != 0;
}

json_t *lct_add_object(struct lct_numbers *n, json_t *to)
{
    json_t *object = json_object();

    n->failed |= json_array_append_new(to, object) != 0;
    return n->failed ? NULL : object;
}

/* -------------------------------------------------------------------- rows */

json_t *lct_part_of_row(struct lct_numbers *n, size_t i, const char *key)
{
    json_t *row = json_array_get(n->rows, i);
    json_t *part = json_object_get(row, key);

    return part ? part : lct_put_object(n, row, key);
}

json_t *lct_put_at(struct lct_numbers *n, json_t *to, int64_t key)
{
    char name[24];
    json_t *there;

    snprintf(name, sizeof name, "%" PRId64, key);
    there = json_object_get(to, name);
    return there ? there : lct_put_object(n, to, name);
}

void lct_put_interval(struct lct_numbers *n, json_t *to,
                      const locant_interval *e)
{
    lct_put_real(n, to, "mean", e->mean);
    lct_put_real(n, to, "low", e->low);
    lct_put_real(n, to, "high", e->high);
    lct_put_real(n, to, "seed_error", e->seed_error);
    lct_put_real(n, to, "data_error", e->data_error);
}

locant_status lct_put_losses(struct lct_numbers *n, const char *part,
                             struct lct_term term, const struct lct_term *less)
{
    size_t seeds, blocks;
    double *loss;
    locant_status status;

    LCT_TRY(lct_measured(&loss, &seeds, &blocks, n->r, term, less));
    status = LOCANT_OK;
    for (size_t i = 0; i < n->r->n && status == LOCANT_OK; i++) {
        const size_t own = n->r->groups[i].n; /* the first ones of 'seeds' */
        locant_interval e;

        status = locant_bootstrap(&e, loss + i * seeds * blocks, own, blocks,
                                  level, BOOTSTRAP_SEED);
        if (status == LOCANT_OK)
            lct_put_interval(n,
                             lct_put_at(n, lct_part_of_row(n, i, part),
                                        lct_length(n->r, term.k)),
                             &e);
    }
    locant_release(loss);
    return status;
}

/* ---------------------------------------------- beyond the trained length */

locant_status lct_extension_interval(locant_interval *e,
                                     const struct lct_ext_maker *k,
                                     const double *loss, const double *other,
                                     const bool *only)
{
    size_t seeds = 0;

    for (size_t s = 0; s < k->seeds; s++) {
        double *row = k->room + seeds * k->blocks, sum = 0;

        for (size_t b = 0; b < k->blocks; b++) {
            const size_t i = s * k->blocks + b;

            row[b] = loss[i] - (other ? other[i] : 0);
            sum += row[b];
        }
        seeds += isfinite(sum) && (only == NULL || only[s]) ? 1 : 0;
    }
    return locant_bootstrap(e, k->room, seeds, k->blocks, LCT_EXT_LEVEL,
                            BOOTSTRAP_SEED);
}

locant_status lct_extension_put_loss(const struct lct_ext_maker *k, json_t *to,
                                     const double *loss, const double *other)
{
    locant_interval e = { NAN, NAN, NAN, NAN, NAN };

    if (loss != other)
        LCT_TRY(lct_extension_interval(&e, k, loss, other, NULL));
    lct_put_interval(k->n, to, &e);
    return LOCANT_OK;
}
