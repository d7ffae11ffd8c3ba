/* numbers.h - what the files that make the numbers document share */
#ifndef LCT_NUMBERS_H
#define LCT_NUMBERS_H
#include "losses.h"
#include <jansson.h>
#include <stdbool.h>

/* The document while it is made. 'failed' is set when memory runs out. */
struct lct_numbers {
    const struct lct_results *r;
    size_t seeds; /* seeds of the encoding with the most */
    json_t *all, *declared, *rows;
    bool failed;
};

/* The value of a JSON number; NAN for anything else. */
double lct_number_of(const json_t *value);

/* to[key] = value; a number that is not finite becomes null. */
void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value);
void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value);
void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value);
void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value);
/* Put mean, bounds and standard errors. */
void lct_put_interval(struct lct_numbers *n, json_t *to,
                      const locant_interval *e);
/* The object "key" of row i, created on first use. */
json_t *lct_part_of_row(struct lct_numbers *n, size_t i, const char *key);
/* The object whose key is that number, created on first use. */
json_t *lct_put_at(struct lct_numbers *n, json_t *to, int64_t key);
/* Put a new object or array; NULL if memory ran out. */
json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key);
json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key);
void lct_add_real(struct lct_numbers *n, json_t *to, double value);
void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value);
json_t *lct_add_object(struct lct_numbers *n, json_t *to);

/* Put everything that is not in a row. */
void lct_put_facts(struct lct_numbers *n);
/* Put intervals of a term into rows.N.part.<its length>, nats per byte; minus
   another term unless 'less' is NULL. */
locant_status lct_put_losses(struct lct_numbers *n, const char *part,
                             struct lct_term term, const struct lct_term *less);

/* Put all measures except P1. */
locant_status lct_put_measures(struct lct_numbers *n);

/* Put one more row, without its comparisons with others. */
void lct_put_row(struct lct_numbers *n, const struct lct_group *g);
/* Put "extension", if it was measured. */
locant_status lct_put_extension(struct lct_numbers *n);
/* Put "surface", if it was measured. */
locant_status lct_put_surface(struct lct_numbers *n);
/* Put "probes", if trained models were probed. */
locant_status lct_put_probes(struct lct_numbers *n);
/* Put to.training of a group whose heads were probed during training. */
void lct_put_training(struct lct_numbers *n, json_t *to,
                      const struct lct_group *g);
/* Put "tasks", if there are scores. */
locant_status lct_put_tasks(struct lct_numbers *n);

/* Most points of a training curve; each is a mean over an equal span of
   steps. */
enum { LCT_CURVE_POINTS = 120 };

/*
 * Every number of the page as one JSON document, described in docs/NUMBERS.md;
 * null where undefined.  The page prints its numbers from there.  json_decref()
 * when done.
 */
locant_status lct_numbers_create(struct json_t **out,
                                 const struct lct_results *r);

/* The value at a path such as "rows.3.loss.1024.mean"; NULL if there is
   none. */
const struct json_t *lct_numbers_at(const struct json_t *numbers,
                                    const char *path);
#endif
