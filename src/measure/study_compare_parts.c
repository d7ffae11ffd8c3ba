/* study_compare_parts.c - settings of two studies side by side, and how far
   their orders of the encodings agree */
#include "study_compare.h"
#include "numbers.h"
#include "statistics.h"
#include "claims.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- settings */

/* A setting, and its path in a study. */
static const struct setting {
    const char *name, *path;
} settings[] = {
    { "preset", "configuration.preset" },
    { "runs", "configuration.runs" },
    { "seeds", "configuration.seeds" },
    { "steps", "numbers.protocol.steps" },
    { "optimizer", "numbers.protocol.optimizer" },
    { "batch", "numbers.protocol.batch" },
    { "length", "numbers.protocol.length" },
    { "vocabulary", "numbers.protocol.vocabulary" },
    { "model", "numbers.model.text" },
    { "corpus", "corpus.kind" },
    { "sha256", "corpus.sha256" },
    { "blocks", "numbers.protocol.blocks" },
    { "failed", NULL }, /* gates */
    { "cpu", "numbers.machine.cpu" },
    { "isa", "numbers.machine.isa" },
    { "threads", "numbers.machine.threads" },
    { "compiler", "numbers.machine.compiler" },
    { "commit", "numbers.commit" },
    { "date", "numbers.date" },
};

/* The names of the gates that failed, as "g2, g3". */
static json_t *failed_gates(const json_t *study)
{
    const json_t *gates = lct_numbers_at(study, "numbers.gates"), *one;
    char text[128] = "";
    size_t i;

    json_array_foreach(gates, i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));

        if (name == NULL || strlen(name) > 8 ||
            !json_is_false(json_object_get(one, "passed")) ||
            strlen(text) > sizeof text - 16)
            continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 *text ? ", " : "", name);
    }
    return *text ? json_string(text) : json_null();
}

/* The value as a text; null if it is not known, or not a text or a number. */
static json_t *value_of(const struct setting *s, const json_t *study)
{
    const json_t *value = s->path ? lct_numbers_at(study, s->path) : NULL;
    char text[32];

    if (s->path == NULL)
        return failed_gates(study);
    if (json_is_string(value))
        return json_incref((json_t *)value);
    if (!json_is_integer(value))
        return json_null();
    snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT,
             json_integer_value(value));
    return json_string(text);
}

void lct_study_put_settings(struct lct_numbers *n, const json_t *a,
                            const json_t *b)
{
    json_t *list = lct_put_array(n, n->all, "settings");

    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        json_t *x = value_of(&settings[i], a), *y = value_of(&settings[i], b);
        json_t *to;

        if (json_is_null(x) && json_is_null(y)) {
            json_decref(x);
            json_decref(y);
            continue;
        }
        to = lct_add_object(n, list);
        lct_put_text(n, to, "setting", settings[i].name);
        lct_put(n, to, "differs", json_boolean(!json_equal(x, y)));
        lct_put(n, to, "a", x);
        lct_put(n, to, "b", y);
    }
}

/* ------------------------------------------------------------------- orders */

/* The index of an encoding among those of a study; -1: it has none. */
static json_int_t index_of(const json_t *study, const char *encoding)
{
    const json_t *list = lct_numbers_at(study, "configuration.encodings"), *one;
    size_t i;

    json_array_foreach(list, i, one)
        if (strcmp(json_string_value(one), encoding) == 0)
            return (json_int_t)i;
    return -1;
}

/*
 * How a study's own test orders encodings x and y at a length: 1 if the loss of
 * x is higher, -1 if it is lower, 0 if the test does not tell. The numbers of a
 * study are not trusted, so the pair found must be of these encodings.
 */
static int order_of(const json_t *study, int64_t length, const char *x,
                    const char *y)
{
    const json_int_t i = index_of(study, x), j = index_of(study, y);
    const json_int_t n = (json_int_t)json_array_size(
        lct_numbers_at(study, "configuration.encodings"));
    const json_int_t low = i < j ? i : j, high = i < j ? j : i;
    const char *first, *second;
    const json_t *pair;
    double mean, corrected;
    char path[96];

    snprintf(path, sizeof path, "numbers.pairs.loss.%" PRId64 ".pairs.%lld",
             length, (long long)(low * (2 * n - low - 1) / 2 + high - low - 1));
    pair = lct_numbers_at(study, path);
    first = json_string_value(json_object_get(pair, "first"));
    second = json_string_value(json_object_get(pair, "second"));
    if (first == NULL || second == NULL || strcmp(first, i < j ? x : y) != 0 ||
        strcmp(second, i < j ? y : x) != 0)
        return 0;
    mean = lct_number_of(json_object_get(pair, "mean"));
    corrected = lct_number_of(json_object_get(pair, "corrected"));
    if (!(corrected < LCT_ALPHA) ||
        !(lct_number_of(lct_numbers_at(study, "numbers.protocol.seeds")) >=
          LCT_TESTED_SEEDS))
        return 0;
    return (i < j ? 1 : -1) * ((mean > 0) - (mean < 0));
}

/* Put the pairs of named encodings that both studies order, in the same way and
   in opposite ways. */
static void put_tested(struct lct_numbers *n, json_t *to,
                       const json_t *const study[2], int64_t length,
                       const char *const *name, size_t count)
{
    json_t *opposed = lct_put_array(n, to, "opposed");
    int64_t agreed = 0;

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            const int a = order_of(study[0], length, name[i], name[j]);
            const int b = a ? order_of(study[1], length, name[i], name[j]) : 0;

            agreed += a * b > 0;
            if (a * b < 0) {
                json_t *one = lct_add_object(n, opposed);

                /* the first has the lower loss in study a */
                lct_put_text(n, one, "first", name[a < 0 ? i : j]);
                lct_put_text(n, one, "second", name[a < 0 ? j : i]);
            }
        }
    lct_put_count(n, to, "agreed", agreed);
}

/* Losses of both studies, and names, of the rows that have both at a length. */
struct ordered {
    double *a, *b;     /* [rows] */
    const char **name; /* [rows] */
    size_t n;
};

static void read_losses(struct ordered *o, const struct lct_numbers *n,
                        int64_t length)
{
    o->n = 0;
    for (size_t i = 0; i < json_array_size(n->rows); i++) {
        char path[64];
        const json_t *row = json_array_get(n->rows, i), *loss;

        snprintf(path, sizeof path, "loss.%" PRId64, length);
        loss = lct_numbers_at(row, path);
        o->a[o->n] = lct_number_of(json_object_get(loss, "a"));
        o->b[o->n] = lct_number_of(json_object_get(loss, "b"));
        o->name[o->n] = json_string_value(json_object_get(row, "encoding"));
        o->n += isfinite(o->a[o->n]) && isfinite(o->b[o->n]);
    }
}

static void put_order(struct lct_numbers *n, json_t *list, struct ordered *o,
                      const json_t *const study[2], int64_t length)
{
    json_t *to = lct_add_object(n, list);
    size_t swapped;
    double tau;

    read_losses(o, n, length);
    tau = lct_kendall(&swapped, o->a, o->b, o->n);
    lct_put_count(n, to, "length", length);
    lct_put_count(n, to, "encodings", (int64_t)o->n);
    lct_put_count(n, to, "pairs", o->n > 0 ? (int64_t)lct_pair_count(o->n) : 0);
    lct_put_real(n, to, "tau", tau);
    lct_put_count(n, to, "swapped", (int64_t)swapped);
    put_tested(n, to, study, length, o->name, o->n);
}

void lct_study_put_orders(struct lct_numbers *n, const json_t *a,
                          const json_t *b)
{
    const json_t *const study[2] = { a, b };
    const size_t rows = json_array_size(n->rows) + 1;
    json_t *list = lct_put_array(n, n->all, "orders");
    struct ordered o = { locant_alloc(rows * sizeof *o.a),
                         locant_alloc(rows * sizeof *o.b),
                         locant_alloc(rows * sizeof *o.name), 0 };

    if (o.a == NULL || o.b == NULL || o.name == NULL)
        lct_numbers_check(n, locant_fail(LOCANT_ERR_NOMEM,
                                         "study: no memory for %zu encodings",
                                         rows));
    else
        for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++)
            put_order(n, list, &o, study, INT64_C(128) << k);
    locant_release(o.a);
    locant_release(o.b);
    locant_release(o.name);
}
