/* numbers.h - makes the document of all numbers of the page; shared by
   numbers*.c */
#ifndef LCT_NUMBERS_H
#define LCT_NUMBERS_H
#include "losses.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define LCT_LEVEL .95 /* confidence level of all intervals */
enum { LCT_BOOTSTRAP_SEED = 1 };

/* The document while it is made. After a failure it will be discarded, so the
   functions that put values need no status. */
struct lct_numbers {
    const struct lct_results *r;
    size_t seeds;            /* most seeds of an encoding */
    json_t *all;             /* the document */
    json_t *declared, *rows; /* two members of it */
    locant_status status;    /* the first failure */
    bool without_bootstrap;  /* only the means of intervals */
};

/* Record a status; true if nothing has failed yet. */
bool lct_numbers_check(struct lct_numbers *n, locant_status status);

/* The value of a JSON number; NAN for any other value. */
double lct_number_of(const json_t *value);

/* Set to[key] = value; takes ownership of 'value'. Numbers that are not finite
   become null. */
void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value);
void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value);
void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value);
void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value);
/* Put a new object or array into an object under a key, or add it to the end of
   an array. Returns it; after a failure NULL, or the previous element. */
json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key);
json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key);
void lct_add_real(struct lct_numbers *n, json_t *to, double value);
void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value);
json_t *lct_add_object(struct lct_numbers *n, json_t *to);
json_t *lct_add_array(struct lct_numbers *n, json_t *to);
/* Put an array of numbers. */
void lct_put_reals(struct lct_numbers *n, json_t *to, const char *key,
                   const double *values, size_t count);
void lct_put_counts(struct lct_numbers *n, json_t *to, const char *key,
                    const int64_t *values, size_t count);

/* The type of a member of a struct. */
enum lct_field_kind {
    LCT_FIELD_REAL,
    LCT_FIELD_INT,
    LCT_FIELD_FLAG,  /* int that is true or false */
    LCT_FIELD_COUNT, /* int64_t or size_t */
    LCT_FIELD_BOOL,
    LCT_FIELD_TEXT,  /* const char * */
    LCT_FIELD_STRING /* char[] */
};

/* A key of the document, and the member of a struct whose value it has. */
struct lct_field {
    const char *key;
    enum lct_field_kind kind;
    size_t offset; /* of the member, in bytes */
};

/* A field of the given key, and one whose key is the name of the member. */
/* clang-format off */
#define LCT_FIELD_AS(key, type, member)                                        \
    { key, LCT_FIELD_KIND(((type *)0)->member), offsetof(type, member) }
#define LCT_FIELD(type, member) LCT_FIELD_AS(#member, type, member)
#define LCT_FIELDS_END { .key = NULL }
#define LCT_FIELD_KIND(x) _Generic((x), double: LCT_FIELD_REAL,                \
    int: LCT_FIELD_INT, int64_t: LCT_FIELD_COUNT, size_t: LCT_FIELD_COUNT,     \
    bool: LCT_FIELD_BOOL, const char *: LCT_FIELD_TEXT,                        \
    char *: LCT_FIELD_STRING)
/* clang-format on */

/* Put the fields of the struct at 'from'. */
void lct_put_fields(struct lct_numbers *n, json_t *to,
                    const struct lct_field *fields, const void *from);
/* Put an array with one object for each of 'count' structs of 'size' bytes. */
void lct_put_list(struct lct_numbers *n, json_t *to, const char *key,
                  const struct lct_field *fields, const void *first,
                  size_t count, size_t size);

/* Put mean, bounds and standard errors of loss[seeds, blocks]; nulls if there
   are no losses. Without bootstrap, put the mean alone. */
void lct_put_interval(struct lct_numbers *n, json_t *to, const double *loss,
                      size_t seeds, size_t blocks);
/* Put the members of an interval. */
void lct_put_interval_of(struct lct_numbers *n, json_t *to,
                         const locant_interval *e);
/* Wilson's interval of exact / items; NAN if there are no items. */
void lct_numbers_wilson(struct lct_numbers *n, double *low, double *high,
                        size_t exact, size_t items);
/* Put exact / items under the key, and its interval as "low" and "high". */
void lct_put_share(struct lct_numbers *n, json_t *to, const char *key,
                   size_t exact, size_t items);
/* The object of that key in row i, created on first use. */
json_t *lct_part_of_row(struct lct_numbers *n, size_t i, const char *key);
/* The object whose key is a number, such as a length; created on first use. */
json_t *lct_put_at(struct lct_numbers *n, json_t *to, int64_t key);

/* Put what was run, where, and the gates. */
void lct_put_facts(struct lct_numbers *n);
/* Add the row of an encoding, without comparisons with others. */
void lct_put_row(struct lct_numbers *n, const struct lct_group *g);
/* Put "pairs". */
struct lct_claims;
void lct_put_pairs(struct lct_numbers *n, const struct lct_claims *claims);
/* Put "extension", if it was measured. */
void lct_put_extension(struct lct_numbers *n);
/* Put "surface", if it was measured. */
void lct_put_surface(struct lct_numbers *n);
/* Put "probes", if trained models were probed. */
void lct_put_probes(struct lct_numbers *n);
/* Put "training" if heads of the group were probed during training. */
void lct_put_training(struct lct_numbers *n, json_t *to,
                      const struct lct_group *g);
/* Put "tasks", if there are scores. */
void lct_put_tasks(struct lct_numbers *n);

/* Most points of a training curve; each is a mean over an equal span of
   steps. */
enum { LCT_CURVE_POINTS = 120 };

/*
 * Every number of the page as one JSON document, described in docs/NUMBERS.md;
 * null where undefined.  The page prints its numbers from it.  To be released
 * by json_decref().
 */
locant_status lct_numbers_create(struct json_t **out,
                                 const struct lct_results *r);

/* The same without the bootstrap, whose intervals no claim rests on and which
   take most of the time. */
locant_status lct_numbers_create_claims(struct json_t **out,
                                        const struct lct_results *r);

/* The value at a path such as "rows.3.loss.1024.mean"; NULL if there is
   none. */
const struct json_t *lct_numbers_at(const struct json_t *numbers,
                                    const char *path);
#endif
