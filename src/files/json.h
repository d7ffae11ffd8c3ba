/*
 * json.h - read the JSON header of a file member by member.
 *
 * jansson parses names and values; this code steps through the objects around
 * them, so that only one value is in memory at a time and every message has the
 * byte of the file.  The parser of .npy shares the functions for blanks and
 * messages.
 */
#ifndef LCT_JSON_H
#define LCT_JSON_H
#include "../core/error.h"
#include <jansson.h>
#include <stdbool.h>

enum { LCT_JSON_DEPTH = 64 };

struct lct_json {
    const char *file;  /* for messages */
    const char *where; /* "tensor 'a': ", or "" */
    const char *text;
    size_t at, end;
    size_t base; /* byte of the file where 'text' starts */
};

/* The size of an array or object, counted from its brackets and commas. */
struct lct_extent {
    size_t end;                /* one past its last bracket */
    size_t members;            /* of the array or object itself */
    size_t commas, containers; /* inside it; containers count itself too */
};

/* Fail with FORMAT: "<file>: header[byte N]: <where><format>". */
locant_status lct_json_fail(const struct lct_json *r, size_t at,
                            const char *format, ...) LOCANT_PRINTF(3, 4);

/* The next byte that is not a blank, without consuming it; 0 at the end. */
char lct_json_peek(struct lct_json *r);

/* Consume the next byte that is not a blank if it is c. */
bool lct_json_accept(struct lct_json *r, char c);

/*
 * Measure the array or object at r->at, in time linear in its length.  Fails if
 * it does not end or nests deeper than LCT_JSON_DEPTH.
 */
locant_status lct_json_measure(struct lct_extent *out,
                               const struct lct_json *r);

/*
 * Read the name of an object's next member; set *state to 0 before the first
 * call.  *name is NULL after the last member, else free it with json_decref();
 * *name_at is the byte of the file where it starts.
 */
locant_status lct_json_member(json_t **name, size_t *name_at, int *state,
                              struct lct_json *r);

/*
 * Read one value, which must have 'type' ("dtype: is an array, string
 * required"); JSON_NULL allows any.
 */
locant_status lct_json_value(json_t **out, struct lct_json *r, json_type type,
                             const char *what);
#endif
