/* convert_parts.h - the tensors whose rows a change of pairing moves */
#ifndef LCT_CONVERT_PARTS_H
#define LCT_CONVERT_PARTS_H
#include "convert_names.h"
#include "convert_rows.h"
#include "position_plan.h"
#include "weights.h"

/* How the heads of a layer are rotated. */
struct lct_convert_heads {
    int64_t heads, kv_heads, width; /* width: channels of a head */
    int64_t first, dims;            /* the rotated ones; dims 0: none */
};

struct lct_convert_part {
    const struct lct_weight *weight;
    struct lct_convert_name name;
    int64_t layer; /* of the plan */
    struct lct_convert_rows rows;
    int64_t n;    /* rows of the tensor: its numbers, if it is a vector */
    size_t bytes; /* of a row */
};

struct lct_convert_parts {
    struct lct_convert_part *at; /* in the order of names */
    size_t n;
    struct lct_convert_heads *heads; /* of each layer of the plan */
};

/*
 * Find them all.  An adapter need not have every one.  Errors: FORMAT (a shape
 * that disagrees with the plan; a layer without q or k), UNSUPPORTED (rows in
 * an order that is not known; blocks of scales that the rows would leave),
 * NOMEM.  Free it also after a failure.
 */
locant_status lct_convert_parts_find(struct lct_convert_parts *out,
                                     const struct lct_weights *w,
                                     const struct lct_tower *tower,
                                     const char *model_type, bool adapter);
void lct_convert_parts_free(struct lct_convert_parts *p);

/* The part whose tensor it is; NULL if its rows do not move. */
const struct lct_convert_part *
lct_convert_parts_of(const struct lct_convert_parts *p,
                     const struct lct_weight *w);
#endif
