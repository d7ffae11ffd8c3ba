/*
 * plan_names.h - plans that were made under the names of transformers, told in
 * those of the file
 */
#ifndef LCT_PLAN_NAMES_H
#define LCT_PLAN_NAMES_H
#include "position_plan.h"

enum { LCT_PLAN_NAME = 64 };

/* What a file calls the keys of transformers. */
struct lct_plan_names {
    /* out = the name of 'key', without the dictionaries that it is in; false:
       no key of such files says it. */
    bool (*name)(char out[LCT_PLAN_NAME], const void *context, const char *key);
    bool (*has)(const void *context, const char *name); /* is it there? */
    const void *context;
};

/* The keys of the notes: one that the file has not is a default, and what no
   key says is derived. */
void lct_plan_names_notes(struct lct_position_plan *p,
                          const struct lct_plan_names *names);

/* Remove the notes of a field. */
void lct_plan_names_drop(struct lct_position_plan *p, const char *field);

/* Fail with 'status' again, and the last message with the file's names. */
locant_status lct_plan_names_fail(locant_status status,
                                  const struct lct_plan_names *names);

/* The last part of a key: "rope_theta" of "rope_parameters.rope_theta". */
const char *lct_plan_names_last(const char *key);
#endif
