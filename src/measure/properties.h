/* properties.h - gate g1: the properties an encoding declares */
#ifndef LCT_PROPERTIES_H
#define LCT_PROPERTIES_H
#include "results.h"

/* Check gate g1 on the encodings of the results, and the identities of papers
   on this machine. */
locant_status lct_properties_gate(struct lct_results *r);

/* What an encoding lacks, NULL if nothing, and by how much. */
struct lct_lack {
    const char *what;
    double error;
};

/* Of rotated vectors: the errors of lengths and of scores between shifted
   positions, and the bound of the latter. A property with a NAN is lacking. */
struct lct_lack lct_properties_judge_rotation(unsigned traits, double length,
                                              double score, double score_bound);

/* Of biases a [heads, LCT_PROPERTIES_KEYS] of n elements, and of biases b of
   the same distances at other positions. */
enum { LCT_PROPERTIES_KEYS = 64 };
struct lct_lack lct_properties_judge_bias(unsigned traits, const double *a,
                                          const double *b, int64_t n);

/* Does an encoding have the properties it declares? If not, the message says
   which one it lacks. */
locant_status lct_properties_check(bool *held, char message[256],
                                   const char *spec, int64_t heads,
                                   int64_t width);
#endif
