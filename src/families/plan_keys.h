/*
 * plan_keys.h - the keys of a configuration that a position plan needs, with
 * the defaults of the class, and a note of where each value came from
 */
#ifndef LCT_PLAN_KEYS_H
#define LCT_PLAN_KEYS_H
#include "family.h"
#include "position_plan.h"

/* Who reads: the plan and the tower that are filled, the object read. */
struct lct_plan_keys {
    struct lct_position_plan *plan;
    struct lct_tower *tower;
    const struct lct_family *family;
    const json_t *object;
    const char *where; /* "text_config." or the like, for messages */
    json_t *own;       /* rope parameters of the class; the reader frees it */
};

/* Instead of a default: the key must be there. */
#define LCT_PLAN_NEEDED INT64_MIN

/*
 * *out = the whole number of 'key', of 'least' to 2^40, or 'fallback' if it is
 * absent or null.  'field' is what it is called in notes, NULL: no note.
 * Errors: FORMAT (another type or range; absent though needed), NOMEM.
 */
locant_status lct_plan_keys_whole(int64_t *out, struct lct_plan_keys *k,
                                  const char *field, const char *key,
                                  int64_t fallback, int64_t least);
/* The same for a finite number; NAN as 'fallback': the key must be there. */
locant_status lct_plan_keys_real(double *out, struct lct_plan_keys *k,
                                 const char *field, const char *key,
                                 double fallback);
/* The same for a number above 0 of another object, 'where' it is. */
locant_status lct_plan_keys_real_of(double *out, struct lct_plan_keys *k,
                                    const json_t *object, const char *where,
                                    const char *key, double fallback);
locant_status lct_plan_keys_switch(bool *out, struct lct_plan_keys *k,
                                   const char *key, bool fallback);
/* *out is NULL if the key is absent or null. */
locant_status lct_plan_keys_text(const char **out, struct lct_plan_keys *k,
                                 const char *key);
/* An array or an object; NULL if the key is absent or null. */
locant_status lct_plan_keys_array(const json_t **out, struct lct_plan_keys *k,
                                  const char *key);
locant_status lct_plan_keys_object(const json_t **out, struct lct_plan_keys *k,
                                   const char *key);
/* Is the key there, with null? */
bool lct_plan_keys_null(const struct lct_plan_keys *k, const char *key);

/* Fail with FORMAT: "FILE: WHERE KEY is VALUE, expected EXPECTED". */
locant_status lct_plan_keys_wrong(const struct lct_plan_keys *k,
                                  const char *where, const char *key,
                                  const json_t *value, const char *format, ...)
    LOCANT_PRINTF(5, 6);

/* The same of a key of the object that is read: k, key, format, .. */
#define LCT_PLAN_KEYS_WRONG(k, key, ...)                                       \
    lct_plan_keys_wrong(k, (k)->where, key, json_object_get((k)->object, key), \
                        __VA_ARGS__)

/* Note where a value came from; "" as 'key': it is derived. */
locant_status lct_plan_keys_note(struct lct_plan_keys *k, const char *field,
                                 const char *key, enum lct_origin origin,
                                 const char *format, ...) LOCANT_PRINTF(5, 6);
/* The same of a number, as short as it can be read back. */
locant_status lct_plan_keys_note_real(struct lct_plan_keys *k,
                                      const char *field, const char *key,
                                      enum lct_origin origin, double value);
#endif
