/* plan_spec.h - specs put together from text, and made canonical */
#ifndef LCT_PLAN_SPEC_H
#define LCT_PLAN_SPEC_H
#include "position_plan.h"

/* A growing text; begin with zeros, release 'text' with locant_release(). */
struct lct_plan_spec {
    char *text;
    size_t n, room;
    bool failed; /* no memory */
};

void lct_plan_spec_put(struct lct_plan_spec *s, const char *format, ...)
    LOCANT_PRINTF(2, 3);
/* 'lead' and a number, as short as it can be read back. */
void lct_plan_spec_number(struct lct_plan_spec *s, const char *lead,
                          double value);

/*
 * The canonical form of a spec, to be released, and its encoding.
 * Errors: FORMAT (the keys of 'file' make no encoding: the message says why),
 * NOMEM.
 */
locant_status lct_plan_spec_create(char **canonical, locant_encoding **e,
                                   const struct lct_plan_spec *s,
                                   const char *file);

/* The spec of all layers of a tower: one for all, or layers(..); to be
   released. */
locant_status lct_plan_spec_of_tower(char **out, const struct lct_tower *t,
                                     const char *file);
#endif
