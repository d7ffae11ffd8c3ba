/* vector_cases.h - the list of all cases, and the values they need */
#ifndef LCT_VECTOR_CASES_H
#define LCT_VECTOR_CASES_H
#include "vector_values.h"

enum { LCT_VECTOR_NAME = 112 };

struct lct_vector_case {
    char name[LCT_VECTOR_NAME];
    char truth[LCT_VECTOR_NAME]; /* name of the case in float64, or itself */
    char slack[LCT_VECTOR_NAME]; /* "" if there is none */
    size_t group;
    int quantity;
    locant_dtype dtype;
    bool wanted;
};

struct lct_vector_cases {
    struct lct_vector_group *groups;
    size_t n_groups;
    struct lct_vector_case *all;
    size_t n;
    struct lct_vector_values *values; /* [n_groups, LCT_VECTOR_QUANTITIES] */
    struct lct_vector_angles angles;  /* the last that were needed */
};

/*
 * List all cases; those whose name matches the pattern, or begins with it and a
 * slash, are wanted.  NULL: all.  Errors: NOMEM, PARAM (none matches).
 */
locant_status lct_vector_cases_make(struct lct_vector_cases *out,
                                    const char *pattern);
void lct_vector_cases_free(struct lct_vector_cases *c);

/* The values of a quantity of a group, computed once.  Errors: NOMEM. */
locant_status lct_vector_cases_values(const struct lct_vector_values **out,
                                      struct lct_vector_cases *c, size_t group,
                                      int quantity);

/* The case of that name, or NULL. */
const struct lct_vector_case *
lct_vector_cases_find(const struct lct_vector_cases *c, const char *name);
#endif
