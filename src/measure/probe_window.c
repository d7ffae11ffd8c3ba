/* probe_window.c - what all parts of a probe need: windows of text, numbers as
   JSON, and the model as it was before training */
#include "../model/model.h"
#include "probe.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WINDOW_STEP = 1021 }; /* bytes from one window to the next */

locant_status lct_probe_doubles(double **out, int64_t n)
{
    *out = locant_alloc((size_t)n * sizeof **out);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_probe: no memory for %" PRId64 " numbers",
                           n);
    memset(*out, 0, (size_t)n * sizeof **out);
    return LOCANT_OK;
}

json_t *lct_probe_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *lct_probe_reals(const double *x, int64_t n)
{
    json_t *list = json_array();

    for (int64_t i = 0; i < n; i++)
        json_array_append_new(list, lct_probe_real(x[i]));
    return list;
}

void lct_probe_window(int32_t *tokens, const struct lct_probe *p, int64_t w,
                      int64_t T)
{
    const size_t span = p->text->size - (size_t)T;
    const uint8_t *from = p->text->bytes + (size_t)(w * WINDOW_STEP) % span;

    for (int64_t t = 0; t < T; t++)
        tokens[t] = from[t];
}

locant_status lct_probe_forget(struct lct_probe *p)
{
    memcpy(p->trained, lct_model_params(p->model),
           lct_model_size(p->model) * sizeof(real));
    return lct_model_init(p->model, p->run.seed);
}

void lct_probe_recall(struct lct_probe *p)
{
    memcpy(lct_model_params(p->model), p->trained,
           lct_model_size(p->model) * sizeof(real));
}
