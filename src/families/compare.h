/* compare.h - two position plans, layer by layer */
#ifndef LCT_COMPARE_H
#define LCT_COMPARE_H
#include "locant/models.h"
#include "position_plan.h"
#include <stdbool.h>

/* One side: the plan of a file, or a spec, which has no plan. */
struct lct_operand {
    struct lct_position_plan plan;
    locant_encoding *spec; /* NULL: 'plan' */
    bool pairing_given;    /* the text of the spec says the pairing */
};

/* One layer of both sides, and where differences go. */
struct lct_layer_pair {
    locant_comparison *out;
    const char *tower;
    int64_t layer;
    const locant_encoding *a, *b;         /* of the layer */
    const struct lct_layer_plan *la, *lb; /* NULL: a spec */
    int64_t dim, dim_b;                   /* channels of a head for scores */
    int64_t length;      /* over which frequencies are judged */
    int64_t counted[24]; /* the last layer counted in each difference */
    bool reordered; /* the weights of both may have other orders of channels */
    bool other_files; /* not of one kind: norms may be stored otherwise */
};

/* Note a difference: of a field that differs already only count the layer. */
locant_model_difference *lct_compare_add(struct lct_layer_pair *p,
                                         const char *field, const char *a,
                                         const char *b);
/* The same of numbers, if they differ by more than 'most' relative to the
   larger; NAN: none. */
void lct_compare_numbers(struct lct_layer_pair *p, const char *field, double a,
                         double b, double most);

/* ---------------------------------------------------- compare_rotation.c */

/* Compare the parts that rotate and the factors on scores. */
locant_status lct_compare_rotation(struct lct_layer_pair *p, const char *a,
                                   const char *b);

/* ------------------------------------------------------ compare_layer.c */

/* Compare one layer. */
locant_status lct_compare_layer(struct lct_layer_pair *p);

/* Add a sentence to out->note, once. */
void lct_compare_note(locant_comparison *out, const char *sentence);
#endif
