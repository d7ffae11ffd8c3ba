/* numbers.h - what the makers of the document of numbers share */
#ifndef LCT_NUMBERS_H
#define LCT_NUMBERS_H
#include "losses.h"
#include <jansson.h>
#include <stdbool.h>

/* The document in the making.  'failed' is set where memory ran short. */
struct lct_numbers {
    const struct lct_results *r;
    size_t seeds;           /* of the encoding with the most */
    json_t *all, *declared, *rows;
    bool failed;
};

/* NAN: it is none. */
double lct_number_of(const json_t *value);

/* to[key] = value; a number that is not finite is null. */
void lct_put(struct lct_numbers *n, json_t *to, const char *key, json_t *value);
void lct_put_real(struct lct_numbers *n, json_t *to, const char *key,
                  double value);
void lct_put_count(struct lct_numbers *n, json_t *to, const char *key,
                   int64_t value);
void lct_put_text(struct lct_numbers *n, json_t *to, const char *key,
                  const char *value);
/* Its mean, bounds and errors. */
void lct_put_interval(struct lct_numbers *n, json_t *to,
                      const locant_interval *e);
/* The object "key" of row i, made when first asked for. */
json_t *lct_part_of_row(struct lct_numbers *n, size_t i, const char *key);
/* The object under that number as a key, made when first asked for. */
json_t *lct_put_at(struct lct_numbers *n, json_t *to, int64_t key);
/* A new object, a new array there; NULL where memory ran short. */
json_t *lct_put_object(struct lct_numbers *n, json_t *to, const char *key);
json_t *lct_put_array(struct lct_numbers *n, json_t *to, const char *key);
void lct_add_real(struct lct_numbers *n, json_t *to, double value);
void lct_add_count(struct lct_numbers *n, json_t *to, int64_t value);
json_t *lct_add_object(struct lct_numbers *n, json_t *to);

/* All that is not a row; one more row, without what compares it with others. */
void lct_put_facts(struct lct_numbers *n);
/* Intervals of every row under rows.N.part.<length of the term>, nats per byte;
   less another term unless 'less' is NULL. */
locant_status lct_put_losses(struct lct_numbers *n, const char *part,
                             struct lct_term term, const struct lct_term *less);

/* What there is of the measures besides P1. */
locant_status lct_put_measures(struct lct_numbers *n);

void lct_put_row(struct lct_numbers *n, const struct lct_group *g);
/* "extension", where that was measured. */
locant_status lct_put_extension(struct lct_numbers *n);
/* "surface", where that was measured. */
locant_status lct_put_surface(struct lct_numbers *n);
/* "probes", where trained models were looked into. */
locant_status lct_put_probes(struct lct_numbers *n);
/* to.training, of a group whose heads were looked at during training. */
void lct_put_training(struct lct_numbers *n, json_t *to,
                      const struct lct_group *g);
/* "tasks", where there are scores. */
locant_status lct_put_tasks(struct lct_numbers *n);

/* Points of a training curve at most: means over equal spans of steps. */
enum { LCT_CURVE_POINTS = 120 };


/*
 * Every number of the page as one JSON document, described in docs/NUMBERS.md;
 * null where undefined.  The page prints its numbers from there.  json_decref()
 * when done.
 */
locant_status lct_numbers_create(struct json_t **out,
                                 const struct lct_results *r);

/* What lies at a path such as "rows.3.loss.1024.mean"; NULL if nothing does. */
const struct json_t *lct_numbers_at(const struct json_t *numbers,
                                    const char *path);
#endif
