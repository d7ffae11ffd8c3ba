/*
 * probe_training.c - statistics of each head at a few steps of training, kept
 * in the store.
 */
#include "../core/error.h"
#include "probe.h"
#include <inttypes.h>
#include <stdio.h>

/*
 * Heads are probed at the beginning and after 1/PARTS, 2/PARTS, 4/PARTS, .. of
 * the steps, leaving out parts in which fewer than ROWS rows are trained on. A
 * probe takes as long as training on two or three rows, so all probes cost at
 * most a twentieth of a short run, and a four hundredth of a run of the quick
 * preset.
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

/* The part of a setting before its step; ten digits of the step make settings
   sort by step. */
static void set_prefix(char out[128], const locant_corpus *text)
{
    snprintf(out, 128, "version=%d;text=%s;step=", VERSION,
             locant_corpus_info_of(text)->sha256);
}

locant_status lct_probe_keep_heads(struct lct_probe *p, int64_t step)
{
    json_t *found = json_pack("{s:I}", "step", (json_int_t)step);
    char prefix[128], setting[160];
    locant_status status;

    if (found == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_train: no memory for a "
                                             "probe of heads");
    set_prefix(prefix, p->corpus);
    snprintf(setting, sizeof setting, "%s%010" PRId64, prefix, step);
    status = lct_probe_measure_heads(found, p);
    if (status == LOCANT_OK)
        status = lct_probe_keep_part(p, "training", setting, found);
    json_decref(found);
    return status;
}

locant_status lct_probe_load_heads(json_t **out, const struct lct_probe *p)
{
    char prefix[128], *text;

    set_prefix(prefix, p->corpus);
    LCT_TRY(
        lct_store_read_probes(&text, p->store, p->run.id, "training", prefix));
    return lct_probe_parse_part(out, p, "training", text);
}
