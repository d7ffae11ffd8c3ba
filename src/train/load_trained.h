/* load_trained.h - trained tensors in a model of another spec */
#ifndef LCT_LOAD_TRAINED_H
#define LCT_LOAD_TRAINED_H
#include "../store/run_sizes.h"

/*
 * The encoding a run is to be evaluated under: 'spec' (NULL: its own) with
 * lengths that are left out those of training; with a policy, what ends made
 * 'longest' positions long.
 */
locant_status lct_encoding_as(locant_encoding **out, const locant_run_info *run,
                              const char *spec, enum locant_eval_policy policy,
                              int64_t longest);

/*
 * Copy all tensors.  Those of the encodings are matched by the part they belong
 * to and their name there: the table of t5 is the one of temperature+t5.
 * PARAM names the one that has no partner.  With 'longer' a table may have more
 * rows in 'to', and the rest is left alone.
 */
locant_status lct_copy_trained(struct lct_model *to, struct lct_model *from,
                               bool longer);

/*
 * As lct_load_trained_as() into an encoding whose tables are longer; 'trained'
 * and 'own' are the run's model and encoding, for lct_extend_tables().  All
 * are to be freed, also after a failure.
 */
locant_status lct_load_trained_longer(struct lct_model **model,
                                      struct lct_model **trained,
                                      locant_encoding **own,
                                      const locant_encoding *encoding,
                                      locant_store *store,
                                      const locant_run_info *run, int64_t room);

/*
 * Fill the tables that are longer in 'to' for windows of T positions: rows
 * beyond the trained ones are the last (clamp) or begin anew (wrap); resample:
 * the trained ones are drawn out over the T positions, ends to ends, where T
 * is more than there are.
 */
locant_status lct_extend_tables(struct lct_model *to, struct lct_model *from,
                                enum locant_eval_policy policy, int64_t T);

/*
 * The model of a run with what its checkpoint holds, verified, and room for
 * 'room' tokens.  Both are to be freed, also after a failure.
 */
locant_status lct_load_trained(struct lct_model **model,
                               locant_encoding **encoding, locant_store *store,
                               const locant_run_info *run, int64_t room);

/*
 * The same tensors in a model of another encoding, which outlives it.  PARAM
 * where a parameter of one encoding has no partner of its shape in the other.
 * The model is to be freed, also after a failure.
 */
locant_status lct_load_trained_as(struct lct_model **model,
                                  const locant_encoding *encoding,
                                  locant_store *store,
                                  const locant_run_info *run, int64_t room);

/*
 * A row can name a model of any size, and memory is taken before its checkpoint
 * at 'path' is read: FORMAT when the file is too small to hold it.
 */
locant_status lct_check_room(const locant_run_info *run, const char *path,
                             const locant_store *store);

/* Rows of segments that 'room' tokens hold, of a model with memory. */
int64_t lct_memory_rows(int64_t length, int64_t room);
#endif
