/*
 * probe_training.c - statistics of each head at a few steps of training, kept
 * in the store.
 *
 * They include the positional bias of Gelberg et al. 2025 (DroPE), definition
 * 3.1: A^c = (1/T) sum_t sum_j c[t,j] w[t,j] of centred c, where c is the
 * diagonal, or the one below it.
 */
#include "../core/error.h"
#include "probe.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Heads are probed at the beginning and after 1/64, 1/32, .. of the steps, once
 * at least ROWS rows were trained on. Two windows take as long as training on
 * two or three rows; so all probes cost at most a twentieth of a short run, and
 * a four hundredth of a run of the quick preset.
 */
enum { PARTS = 64, ROWS = 64 };

bool lct_probe_is_due(int64_t step, int64_t steps, int64_t batch)
{
    for (int64_t part = 1; part <= PARTS; part *= 2)
        if (steps / part * batch >= ROWS && (step == 0 || step == steps / part))
            return true;
    return false;
}

enum { VERSION = 1 };

/* Settings of one version and text have the same prefix, and sort by step. */
static void prefix_of(char out[128], const locant_corpus *text)
{
    snprintf(out, 128, "version=%d;text=%s;step=", VERSION,
             locant_corpus_info_of(text)->sha256);
}

locant_status lct_probe_snapshot(struct lct_probe *p, int64_t step)
{
    json_t *found = json_pack("{s:I}", "step", (json_int_t)step);
    char prefix[128], setting[160], *text = NULL;
    locant_status status;

    if (found == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_train: no memory for a "
                                             "probe of heads");
    status = lct_probe_heads(found, p);
    if (status == LOCANT_OK)
        text = json_dumps(found, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(found);
    if (status == LOCANT_OK && text == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM, "locant_train: no memory for "
                                               "a probe of heads");
    prefix_of(prefix, p->corpus);
    snprintf(setting, sizeof setting, "%s%010" PRId64, prefix, step);
    if (status == LOCANT_OK)
        status = lct_store_keep_probe(p->store, p->run.id, "training", setting,
                                      text);
    free(text);
    return status;
}

locant_status lct_probe_training(json_t **out, const struct lct_probe *p)
{
    char prefix[128], *text;

    prefix_of(prefix, p->corpus);
    LCT_TRY(
        lct_store_read_probes(&text, p->store, p->run.id, "training", prefix));
    *out = text ? json_loads(text, 0, NULL) : NULL;
    locant_release(text);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: run %" PRId64 ": its"
                           " 'training' is not JSON",
                           p->store->path, p->run.id);
    return LOCANT_OK;
}
