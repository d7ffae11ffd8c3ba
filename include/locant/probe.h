/*
 * probe.h - how a trained model uses positions: attention of its heads, how far
 * back it reads, how well positions can be decoded from its states.
 */
#ifndef LOCANT_PROBE_H
#define LOCANT_PROBE_H

#include "lab.h"

LOCANT_BEGIN_DECLS

/*
 * Measure a finished run on text of the generator, whatever it was trained on,
 * and record the results in the store; recorded results are read instead.
 * '*json' is one JSON object, described in docs/PROBES.md, in memory of
 * locant_alloc(), zero-terminated.
 *
 * In a store that is open for reading only, nothing is measured: parts that
 * were not recorded are left out.
 *
 * Errors: NULL, PARAM (no such run, not done), UNSUPPORTED (a run of a task, or
 * with memory), IO, FORMAT (a damaged checkpoint), NOMEM, INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_probe(char **json, locant_store *store, int64_t run,
             locant_progress_fn progress, void *context);

LOCANT_END_DECLS
#endif /* LOCANT_PROBE_H */
