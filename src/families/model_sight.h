/* model_sight.h - images within texts: their arguments, checked, and what a run
   has of them */
#ifndef LCT_MODEL_SIGHT_H
#define LCT_MODEL_SIGHT_H
#include "model_input.h"
#include "net_sight.h"

/* Check pixels and grid beside the ids of *out, to which they go.  Errors: as
   locant_model_logits(). */
locant_status lct_model_sight_check(struct lct_model_input *out, const char *fn,
                                    const struct lct_net *n,
                                    const locant_model_input *in);

/* What tokens of images are, and where they sit. */
struct lct_model_sight {
    struct lct_net_seen seen;
    int64_t *at;        /* [B, T]: which token of all images, or -1 */
    int64_t *positions; /* [3, B, T] */
    int64_t *next;      /* [3, B]: the positions of a next token */
};

/* Run the tower over the images of 'in', whose tokens get their places and,
   unless it has some, positions.  Begin with zeros; free it whatever is
   returned, after the last use of 'in'.  Errors: as lct_net_run_step(). */
locant_status lct_model_sight_read(struct lct_model_sight *s,
                                   const struct lct_net *n,
                                   struct lct_model_input *in);
void lct_model_sight_free(struct lct_model_sight *s);
#endif
