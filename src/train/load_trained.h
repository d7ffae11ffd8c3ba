/* load_trained.h - load the model of a run, also under another encoding */
#ifndef LCT_LOAD_TRAINED_H
#define LCT_LOAD_TRAINED_H
#include "../store/run_sizes.h"
#include "locant/evaluate.h"

/*
 * The encoding to evaluate a run under: 'spec' (NULL: the run's own), with the
 * trained length where the spec omits one. With a policy other than NONE, its
 * table is extended to 'longest' positions.
 */
locant_status lct_encoding_as(locant_encoding **out, const locant_run_info *run,
                              const char *spec, enum locant_eval_policy policy,
                              int64_t longest);

/*
 * Copy all tensors. Parameters of encodings are matched by the name of the
 * encoding they belong to, so the table of t5 matches that of temperature+t5.
 * With 'longer' a table may have more rows in 'to'; these rows are not changed.
 * Errors: PARAM; the message names the tensor without a partner.
 */
locant_status lct_copy_trained(struct lct_model *to, struct lct_model *from,
                               bool longer);

/*
 * As lct_load_trained_as(), with an encoding whose tables are longer. Also
 * loads the run's own model and encoding into *trained and *own, for
 * lct_extend_tables(). Free all three, also after a failure.
 */
locant_status lct_load_trained_longer(struct lct_model **model,
                                      struct lct_model **trained,
                                      locant_encoding **own,
                                      const locant_encoding *encoding,
                                      locant_store *store,
                                      const locant_run_info *run, int64_t room);

/*
 * Fill the tables that are longer in 'to' for windows of T positions. Rows
 * beyond the trained ones repeat the last one (clamp) or start again from the
 * first (wrap). With resample a trained table of fewer than T rows is
 * interpolated to T rows; its first and last rows are kept.
 */
locant_status lct_extend_tables(struct lct_model *to, struct lct_model *from,
                                enum locant_eval_policy policy, int64_t T);

/* The model of a run without values, for 'room' tokens; one with memory gets
   rows of the trained length. */
locant_status lct_make_untrained(struct lct_model **model,
                                 const locant_encoding *encoding,
                                 const locant_run_info *run, int64_t room,
                                 bool gradients);

/*
 * The model of a run with the values of its checkpoint, which is verified, and
 * space for 'room' tokens. Free both, also after a failure.
 */
locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room);

/* As lct_load_trained(), with space for gradients. */
locant_status lct_load_for_backward(struct lct_model **model,
                                    locant_encoding **encoding,
                                    locant_store *store,
                                    const locant_run_info *run, int64_t room);

/*
 * Load the checkpoint into a model of another encoding, which must outlive the
 * model. PARAM if a parameter of one encoding has no partner of the same shape
 * in the other. Free the model, also after a failure.
 */
locant_status lct_load_trained_as(struct lct_model **model,
                                  const locant_encoding *encoding,
                                  locant_store *store,
                                  const locant_run_info *run, int64_t room);

/* Fail if the run is not done; the message begins with 'fn'. */
locant_status lct_check_done(const char *fn, const locant_run_info *run);

/*
 * Fail with FORMAT if the checkpoint at 'path' is too small for the run's
 * model. Call it before the model is created, since a row of the store can name
 * a model of any size.
 */
locant_status lct_check_checkpoint_size(const locant_run_info *run,
                                        const char *path,
                                        const locant_store *store);

/* Rows of 'length' tokens that fit into 'room' tokens, at least 1. */
int64_t lct_segment_rows(int64_t length, int64_t room);
#endif
