/*
 * sweep.h - the file that parts of a report take their configuration from.
 *
 *     {"format": "locant sweep", "version": 1, "preset": "full",
 *      "optimizer": "muon", "vocabulary": 512, "seeds": 5,
 *      "corpus_sha256": "..", "encodings": [{"spec": "rope", "rate": 0.002}]}
 *
 * Every encoding has its learning rate, or none has because they are not chosen
 * yet. Parts must not decide such things for themselves, since they would
 * decide differently.
 */
#ifndef LCT_SWEEP_H
#define LCT_SWEEP_H
#include "plan.h"

struct json_t;

enum { LCT_SWEEP_MOST = 1 << 20 }; /* bytes of a file; larger are refused */

struct lct_sweep {
    struct json_t *root; /* checked; strings of this struct are in it */
    locant_preset preset;
    locant_optimizer optimizer;
    int vocabulary, seeds;
    const char *corpus_sha256;
    size_t n;
    const char **specs; /* [n] */
    double *rates;      /* [n], all above 0; NULL: not chosen yet */
};

/* Read the file, which is not trusted: every member is checked, and unknown
   ones are refused. 'name' is for error messages. Errors: FORMAT, NOMEM. */
locant_status lct_sweep_read(struct lct_sweep *out, const char *bytes,
                             size_t size, const char *name);
locant_status lct_sweep_open(struct lct_sweep *out, const char *path);
void lct_sweep_free(struct lct_sweep *s);

/* Write the file of this plan; 'rates': they are chosen. */
locant_status lct_sweep_write(const char *path, const struct lct_plan *plan,
                              const char *corpus_sha256, bool rates);
#endif
