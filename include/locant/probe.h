/*
 * probe.h - what a trained model does with positions: attention of its heads,
 * how far back it reads, where its states say they are.
 */
#ifndef LOCANT_PROBE_H
#define LOCANT_PROBE_H

#include "lab.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Measure a finished run on fixed text, which is the generator's whatever the
 * run was trained on, and keep what was found in the store; measured before, it
 * is read back.  '*json' is one JSON object, described in docs/PROBES.md, in
 * memory of locant_alloc(), zero-terminated.
 *
 * Of a store that is open for reading only, what was kept is read; parts that
 * were not measured are left out.
 *
 * Errors: NULL, PARAM (no such run, not done), UNSUPPORTED (a run of a task, or
 * with memory), IO, FORMAT (a damaged checkpoint), NOMEM, INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_probe(char **json, locant_store *store, int64_t run,
             locant_progress_fn progress, void *context);

#ifdef __cplusplus
}
#endif
#endif /* LOCANT_PROBE_H */
