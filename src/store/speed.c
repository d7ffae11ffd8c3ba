/* speed.c - how fast a run was trained, as a probe in the store */
#include "speed.h"
#include <jansson.h>
#include <math.h>

static const char probe_name[] = "speed";

locant_status lct_speed_keep(locant_store *store, int64_t run,
                             const struct lct_speed *x)
{
    json_t *json = json_pack("{s:f, s:f}", "forward_ms", x->forward,
                             "backward_ms", x->backward);
    char text[128];
    const size_t n = json ? json_dumpb(json, text, sizeof text, 0) : 0;

    json_decref(json);
    if (n == 0 || n >= sizeof text)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_train: no memory for the speed");
    text[n] = '\0';
    return lct_store_keep_probe(store, run, probe_name, "", text);
}

static double number(const json_t *json, const char *key)
{
    const json_t *x = json_object_get(json, key);

    return json_is_number(x) ? json_number_value(x) : NAN;
}

locant_status lct_speed_read(struct lct_speed *x, locant_store *store,
                             int64_t run)
{
    json_t *json;
    char *text;

    *x = (struct lct_speed){ NAN, NAN };
    LCT_TRY(lct_store_read_probe(&text, store, run, probe_name, ""));
    if (text == NULL)
        return LOCANT_OK;
    json = json_loads(text, 0, NULL);
    locant_release(text);
    x->forward = number(json, "forward_ms");
    x->backward = number(json, "backward_ms");
    json_decref(json);
    return LOCANT_OK;
}
