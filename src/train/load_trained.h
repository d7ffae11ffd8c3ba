/* load_trained.h - trained tensors in a model of another spec */
#ifndef LCT_LOAD_TRAINED_H
#define LCT_LOAD_TRAINED_H
#include "../store/run_sizes.h"

/*
 * The encoding to evaluate a run under: 'spec' (NULL: its own), with the
 * trained length where the spec omits one. With a policy, tables that end are
 * extended to 'longest' positions.
 */
locant_status lct_encoding_as(locant_encoding **out, const locant_run_info *run,
                              const char *spec, enum locant_eval_policy policy,
                              int64_t longest);

/*
 * Copy all tensors. Parameters of encodings are matched by the name of the
 * encoding they belong to, so the table of t5 matches that of temperature+t5.
 * Errors: PARAM; the message names the tensor without a partner. With 'longer'
 * a table may have more rows in 'to'; these rows are not changed.
 */
locant_status lct_copy_trained(struct lct_model *to, struct lct_model *from,
                               bool longer);

/*
 * As lct_load_trained_as(), with an encoding whose tables are longer. 'trained'
 * and 'own', the model and encoding of the run, are for lct_extend_tables().
 * All three are to be freed, also after a failure.
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
 * first (wrap). resample: if T is larger than the trained table, it is
 * interpolated to T rows, and its first and last rows are kept.
 */
locant_status lct_extend_tables(struct lct_model *to, struct lct_model *from,
                                enum locant_eval_policy policy, int64_t T);

/*
 * The model of a run with the values of its checkpoint, which is verified, and
 * space for 'room' tokens. Both are to be freed, also after a failure.
 */
locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room);

/* The same, with room for gradients if they are asked for. */
locant_status lct_load_model(struct lct_model **model,
                             locant_encoding **encoding, locant_store *store,
                             const locant_run_info *run, int64_t room,
                             bool gradients);

/*
 * Load the checkpoint into a model of another encoding, which must outlive the
 * model. PARAM if a parameter of one encoding has no partner of the same shape
 * in the other. The model is to be freed, also after a failure.
 */
locant_status lct_load_trained_as(struct lct_model **model,
                                  const locant_encoding *encoding,
                                  locant_store *store,
                                  const locant_run_info *run, int64_t room);

/* Refuse a run that is not done, for function 'fn'. */
locant_status lct_check_done(const char *fn, const locant_run_info *run);

/*
 * Refuse with FORMAT if the checkpoint at 'path' is too small for the run's
 * model. A row of the store can name a model of any size, and memory is
 * allocated before the checkpoint is read.
 */
locant_status lct_check_room(const locant_run_info *run, const char *path,
                             const locant_store *store);

/* How many segments of 'length' fit into 'room' tokens, at least 1. */
int64_t lct_memory_rows(int64_t length, int64_t room);
#endif
