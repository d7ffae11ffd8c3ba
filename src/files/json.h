/*
 * json.h - the JSON header of a file, member by member.
 *
 * jansson reads names and values; the objects around them are walked here, so
 * that at no time more than one value is in memory, and every sentence knows
 * its byte of the file.
 */
#ifndef LCT_JSON_H
#define LCT_JSON_H
#include "../core/error.h"
#include <jansson.h>
#include <stdbool.h>

enum { LCT_JSON_DEPTH = 64 };

struct lct_json {
    const char *file;  /* for sentences */
    const char *where; /* "tensor 'a': ", or "" */
    const char *text;
    size_t at, end;
    size_t base;       /* byte of the file where 'text' starts */
};

/* What an array or object is, told by its brackets and commas alone. */
struct lct_extent {
    size_t end;     /* one past its last bracket */
    size_t members; /* of itself */
    size_t commas, containers; /* of everything in it, and itself */
};

/* Record "<file>: header[byte N]: <where><what>"; LOCANT_ERR_FORMAT. */
locant_status lct_json_fail(const struct lct_json *r, size_t at,
                            const char *format, ...) LOCANT_PRINTF(3, 4);

/* The next byte that is no blank, 0 at the end; it is not taken. */
char lct_json_peek(struct lct_json *r);

/*
 * Measure the array or object at r->at.  Fails when it does not end or nests
 * deeper than LCT_JSON_DEPTH.  Time linear in its length.
 */
locant_status lct_json_measure(struct lct_extent *out,
                               const struct lct_json *r);

/*
 * Step through an object: *state is 0 before its '{'.  *name is the next name,
 * to be freed with json_decref(), or NULL after its '}'; *name_at is its byte.
 */
locant_status lct_json_member(json_t **name, size_t *name_at, int *state,
                              struct lct_json *r);

/*
 * Read one value, which must be of 'type' ("dtype: is an array, string
 * required"); JSON_NULL takes any.
 */
locant_status lct_json_value(json_t **out, struct lct_json *r, json_type type,
                             const char *what);
#endif
