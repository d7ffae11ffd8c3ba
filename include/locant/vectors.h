/*
 * vectors.h - golden values to test other implementations with
 */
#ifndef LOCANT_VECTORS_H
#define LOCANT_VECTORS_H

#include "core.h"

LOCANT_BEGIN_DECLS

/*
 * Write true values of angles, rotated queries and keys, scores, gradients,
 * biases, slopes, buckets and tables, for other implementations to be tested
 * with: FOLDER/vectors.safetensors and FOLDER/vectors.json, which lists the
 * cases with their spec, inputs, formula and tolerance.  The folder is created
 * if needed.  The bytes depend on 'only' and the version alone.
 *
 * only  a pattern of names of cases as of fnmatch(3), or of their beginnings
 *       before a slash; its * matches slashes too; NULL: all
 *
 * Values of rope and of sinusoids are computed with more than 90 bits and
 * rounded to float64, the others come from the oracles in double.
 * Errors: NULL, PARAM (no case matches), IO, NOMEM.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_vectors_write(const char *folder, const char *only);

typedef enum locant_vectors_verdict {
    LOCANT_VECTORS_PASS    = 0,
    LOCANT_VECTORS_FAIL    = 1,
    LOCANT_VECTORS_MISSING = 2, /* the dump lacks the case */
    LOCANT_VECTORS_UNKNOWN = 3  /* a tensor of the dump that is no case */
} locant_vectors_verdict;

/* How one case ended; the strings live during the call. */
typedef struct locant_vectors_result {
    const char             *name;
    locant_vectors_verdict  verdict;
    const char             *where;      /* the first entry that fails, or why */
    const char             *looks_like; /* the convention it matches; "" */
    double                  error;      /* the largest |got - want| */
    double                  share;      /* of the tolerance, at most; above 1
                                           fails */
} locant_vectors_result;

/* Called for each case in order; nonzero stops. */
typedef int (*locant_vectors_fn)(const locant_vectors_result *result,
                                 void *context);

typedef struct locant_vectors_counts {
    int64_t passed, failed, missing, unknown;
} locant_vectors_counts;

/*
 * Compare a dump of another implementation with the true values: a safetensors
 * file, or a folder of them and of .npy files, whose tensors have the names of
 * cases ("rope/half/none/f32/q", a .npy at that path with ".npy" behind it).  A
 * tensor may have any floating or integer type.
 *
 * rounded  nonzero: angles may be rounded to float32 (cases in float64: to
 *          double), as in most implementations; then far positions are hardly
 *          tested
 *
 * A case that fails is compared with the other conventions of its family, and
 * with angles of the other sign, positions that begin at 1, and the like.
 * Errors: NULL, PARAM (no case matches 'only'), IO, FORMAT, UNSUPPORTED, NOMEM,
 * INTERRUPTED (each() returned nonzero).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_vectors_verify(locant_vectors_counts *out, const char *path,
                      const char *only, int rounded, locant_vectors_fn each,
                      void *context);

LOCANT_END_DECLS
#endif /* LOCANT_VECTORS_H */
