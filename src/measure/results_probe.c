/* results_probe.c - adds what probes found to the results of a page */
#include "probe.h"
#include "results.h"
#include <string.h>

/* Only finished models of text without memory are probed. */
static bool can_be_probed(const locant_run_info *run)
{
    struct lct_model_config config;

    return strcmp(run->status, "done") == 0 &&
           strcmp(run->source, "text") == 0 &&
           lct_model_parse(&config, run->model) == LOCANT_OK &&
           config.memory == 0;
}

locant_status lct_results_probe(struct lct_results *r, locant_store *store,
                                bool measure, locant_progress_fn progress,
                                void *context)
{
    for (size_t i = 0; i < r->n; i++) {
        struct lct_group *g = &r->groups[i];

        if (g->n == 0 || g->probe || !can_be_probed(&g->results[0].run))
            continue;
        LCT_TRY(lct_probe_read(&g->probe, store, g->results[0].run.id, measure,
                               progress, context));
        if (json_object_get(g->probe, "attention") == NULL) {
            json_decref(g->probe);
            g->probe = NULL;
        }
    }
    return LOCANT_OK;
}
