/* numbers_put.c - puts values, structs and intervals into a document of
   numbers */
#include "../files/utf8.h"
#include "numbers.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

double lct_number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool lct_numbers_check(struct lct_numbers *n, locant_status status)
{
    if (n->status == LOCANT_OK)
        n->status = status;
    return n->status == LOCANT_OK;
}

/* Record a failure of jansson, whose only cause is lack of memory. */
static void check(struct lct_numbers *n, int failed)
{
    if (failed && n->status == LOCANT_OK)
        n->status =
            locant_fail(LOCANT_ERR_NOMEM, "report: no memory for the numbers");
}

void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value)
{
    check(n, json_object_set_new(to, key, value));
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* JSON cannot hold text that is not UTF-8: it becomes null. */
static json_t *string(const char *value)
{
    return value && lct_is_utf8(value) ? json_string(value) : json_null();
}

void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value)
{
    lct_put(n, to, key, number(value));
}

void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value)
{
    lct_put(n, to, key, json_integer((json_int_t)value));
}

void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value)
{
    lct_put(n, to, key, string(value));
}

static void add(struct lct_numbers *n, json_t *to, json_t *value)
{
    check(n, json_array_append_new(to, value));
}

void lct_add_real(struct lct_numbers *n, json_t *to, double value)
{
    add(n, to, number(value));
}

void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value)
{
    add(n, to, json_integer((json_int_t)value));
}

json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key)
{
    lct_put(n, to, key, json_object());
    return json_object_get(to, key);
}

json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key)
{
    lct_put(n, to, key, json_array());
    return json_object_get(to, key);
}

json_t *lct_add_object(struct lct_numbers *n, json_t *to)
{
    add(n, to, json_object());
    return json_array_get(to, json_array_size(to) - 1);
}

json_t *lct_add_array(struct lct_numbers *n, json_t *to)
{
    add(n, to, json_array());
    return json_array_get(to, json_array_size(to) - 1);
}

void lct_put_reals(struct lct_numbers *n, json_t *to, const char *key,
                   const double *values, size_t count)
{
    json_t *list = lct_put_array(n, to, key);

    for (size_t i = 0; i < count; i++)
        lct_add_real(n, list, values[i]);
}

void lct_put_counts(struct lct_numbers *n, json_t *to, const char *key,
                    const int64_t *values, size_t count)
{
    json_t *list = lct_put_array(n, to, key);

    for (size_t i = 0; i < count; i++)
        lct_add_count(n, list, values[i]);
}

/* ------------------------------------------------------------------ structs */

static json_t *value_of(enum lct_field_kind kind, const void *member)
{
    switch (kind) {
    case LCT_FIELD_REAL: return number(*(const double *)member);
    case LCT_FIELD_INT: return json_integer(*(const int *)member);
    case LCT_FIELD_COUNT: return json_integer(*(const int64_t *)member);
    case LCT_FIELD_BOOL: return json_boolean(*(const bool *)member);
    case LCT_FIELD_FLAG: return json_boolean(*(const int *)member);
    case LCT_FIELD_TEXT: return string(*(const char *const *)member);
    case LCT_FIELD_STRING: return string(member);
    }
    return NULL;
}

void lct_put_fields(struct lct_numbers *n, json_t *to,
                    const struct lct_field *fields, const void *from)
{
    for (const struct lct_field *f = fields; f->key; f++)
        lct_put(n, to, f->key,
                value_of(f->kind, (const char *)from + f->offset));
}

void lct_put_list(struct lct_numbers *n, json_t *to, const char *key,
                  const struct lct_field *fields, const void *first,
                  size_t count, size_t size)
{
    json_t *list = lct_put_array(n, to, key);

    for (size_t i = 0; i < count; i++)
        lct_put_fields(n, lct_add_object(n, list), fields,
                       (const char *)first + i * size);
}

/* clang-format off */
#define OF_INTERVAL(member) LCT_FIELD(locant_interval, member)
static const struct lct_field interval[] = { OF_INTERVAL(mean),
    OF_INTERVAL(low), OF_INTERVAL(high), OF_INTERVAL(seed_error),
    OF_INTERVAL(data_error), LCT_FIELDS_END };
/* clang-format on */

void lct_put_interval_of(struct lct_numbers *n, json_t *to,
                         const locant_interval *e)
{
    lct_put_fields(n, to, interval, e);
}

void lct_put_interval(struct lct_numbers *n, json_t *to, const double *loss,
                      size_t seeds, size_t blocks)
{
    locant_interval e;
    double sum = 0;

    if (n->without_bootstrap) {
        for (size_t i = 0; i < seeds * blocks; i++)
            sum += loss[i];
        lct_put_real(n, to, "mean", sum / (double)(seeds * blocks));
        return;
    }
    if (lct_numbers_check(n, locant_bootstrap(&e, loss, seeds, blocks,
                                              LCT_LEVEL, LCT_BOOTSTRAP_SEED)))
        lct_put_interval_of(n, to, &e);
}

void lct_numbers_wilson(struct lct_numbers *n, double *low, double *high,
                        size_t exact, size_t items)
{
    *low = *high = NAN;
    if (items > 0)
        lct_numbers_check(n, locant_wilson(low, high, exact, items, LCT_LEVEL));
}

void lct_put_share(struct lct_numbers *n, json_t *to, const char *key,
                   size_t exact, size_t items)
{
    double low, high;

    lct_numbers_wilson(n, &low, &high, exact, items);
    lct_put_real(n, to, key, items > 0 ? (double)exact / (double)items : NAN);
    lct_put_real(n, to, "low", low);
    lct_put_real(n, to, "high", high);
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
    json_t *object;

    snprintf(name, sizeof name, "%" PRId64, key);
    object = json_object_get(to, name);
    return object ? object : lct_put_object(n, to, name);
}
