/* probe_window.c - what the parts of a probe share: numbers as JSON, stored
   parts, windows of text, and the model as it was before training */
#include "probe.h"
#include "../corpus/tokens.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_STEP = 1021 }; /* tokens from one window to the next */

locant_status lct_alloc_doubles(double **out, int64_t n)
{
    *out = locant_alloc((size_t)n * sizeof **out);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for %" PRId64 " numbers",
                           n);
    return LOCANT_OK;
}

json_t *lct_real_json(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *lct_reals_json(const double *x, int64_t n)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, lct_real_json(x[i]));
    return list;
}

locant_status lct_probe_keep_part(const struct lct_probe *p, const char *part,
                                  const char *setting, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6));
    locant_status status;

    if (text == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for the text of '%s'",
                           part);
    status = lct_store_keep_probe(p->store, p->run.id, part, setting, text);
    free(text);
    return status;
}

locant_status lct_probe_parse_part(json_t **out, const struct lct_probe *p,
                                   const char *part, char *text)
{
    *out = text ? json_loads(text, 0, NULL) : NULL;
    locant_release(text);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: run %" PRId64 ": its '%s' is not JSON",
                           p->store->path, p->run.id, part);
    return LOCANT_OK;
}

int64_t lct_probe_far(const struct lct_probe *p)
{
    const int64_t far = LCT_PROBE_FAR * p->length;

    return far <= p->longest ? far : p->length;
}

/* The first token of window w of T tokens. */
static size_t begin_of(const struct lct_probe *p, int64_t w, int64_t T)
{
    return (size_t)(w * WINDOW_STEP) % (p->text->size - (size_t)T);
}

void lct_probe_copy_window(int32_t *tokens, const struct lct_probe *p,
                           int64_t w, int64_t T)
{
    const size_t from = begin_of(p, w, T);

    for (int64_t t = 0; t < T; t++)
        tokens[t] = lct_split_id(p->text, from + (size_t)t);
}

double lct_probe_bytes(const struct lct_probe *p, int64_t windows, int64_t T,
                       int64_t n)
{
    size_t bytes = 0;

    for (int64_t w = 0; w < windows; w++)
        bytes += lct_tokens_bytes(p->text, begin_of(p, w, T) + (size_t)(T - n),
                                  (size_t)n);
    return (double)bytes / (double)(windows * n);
}

locant_status lct_probe_run_windows(struct lct_probe *p,
                                    const struct lct_windows *w,
                                    lct_layer_watcher watch, void *context)
{
    int32_t tokens[LCT_PROBE_LONG], none[LCT_PROBE_LONG];
    const int64_t T = w->length;
    locant_status status = LOCANT_OK;

    for (int64_t i = 0; i < LCT_PROBE_LONG; i++)
        none[i] = -1;
    lct_model_watch(p->model, watch, context);
    for (int64_t at = 0, rows; at < w->n && status == LOCANT_OK; at += rows) {
        rows = w->n - at < w->at_once ? w->n - at : w->at_once;
        for (int64_t r = 0; r < rows; r++) {
            lct_probe_copy_window(tokens + r * T, p, w->first + at + r, T);
            for (int64_t i = 0; w->repeated && i < T; i++)
                tokens[r * T + i] = tokens[r * T];
        }
        status = lct_model_forward(p->model, tokens, none, rows, T, NULL, NULL);
    }
    lct_model_watch(p->model, NULL, NULL);
    return status;
}

locant_status lct_probe_add_members(json_t *out, json_t *more)
{
    const bool added = more != NULL && json_object_update(out, more) == 0;

    json_decref(more);
    return added ? LOCANT_OK
                 : locant_fail(LOCANT_ERR_NOMEM, "locant_probe: no memory");
}

locant_status lct_probe_set_initial(struct lct_probe *p)
{
    memcpy(p->trained, lct_model_params(p->model),
           lct_model_size(p->model) * sizeof(real));
    return lct_model_init(p->model, p->run.seed);
}

void lct_probe_set_trained(struct lct_probe *p)
{
    memcpy(lct_model_params(p->model), p->trained,
           lct_model_size(p->model) * sizeof(real));
}
