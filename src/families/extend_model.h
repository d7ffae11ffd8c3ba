/* extend_model.h - read what is extended from a model, and extend its
 * configuration */
#ifndef LCT_EXTEND_MODEL_H
#define LCT_EXTEND_MODEL_H
#include "extend.h"
#include "position_plan.h"

struct lct_extend_model {
    struct lct_config config;
    struct lct_position_plan plan;
    const struct lct_tower *tower;
    int64_t layer;  /* the first that is extended */
    char keys[128]; /* of its spec, beside base and scaling */
    json_t *others; /* see struct lct_extend */
};

/*
 * Open MODEL and fill 'e' from its first rotated layer without a window; 'to'
 * and 'trained' (0: as the file says) are those of the caller.
 * Errors: as lct_position_plan_read(); PARAM (to is not above the trained
 * length; the length is not known), UNSUPPORTED (no such layer; it is scaled by
 * something that factors cannot be multiplied with).
 */
locant_status lct_extend_model_open(struct lct_extend_model *out,
                                    struct lct_extend *e, const char *path);
void lct_extend_model_close(struct lct_extend_model *m);

/*
 * The configuration with the extension, as JSON, and its plan.  *plan is empty
 * and *config NULL if the dialect of the file cannot say it.  Errors: as
 * lct_position_plan_of(), NOMEM.
 */
locant_status lct_extend_model_apply(json_t **config,
                                     struct lct_position_plan *plan,
                                     const struct lct_extend_model *m,
                                     const struct lct_extend *e,
                                     enum lct_extend_method method);

/* Do the layers that should stay as they are do so? */
bool lct_extend_model_spares_windows(const struct lct_extend_model *m,
                                     const struct lct_position_plan *plan);
#endif
