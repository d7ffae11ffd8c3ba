/* net_temperature.c - see net_temperature.h */
#include "net_temperature.h"
#include "compare.h"
#include "net_math.h"
#include <math.h>
#include <string.h>

locant_status lct_net_temperature_bind(struct lct_net_attention *a)
{
    static const char kind[] = "temperature(kind=ministral";
    const char *spec = a->plan->spec, *rest;
    struct lct_spec_parts *parts;
    const char *part;

    if (spec == NULL || strncmp(spec, kind, sizeof(kind) - 1) != 0 ||
        (rest = strstr(spec, ")+")) == NULL)
        return LOCANT_OK;
    parts = locant_alloc(sizeof(*parts));
    if (parts == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    lct_spec_split(parts, spec);
    part = lct_spec_part(parts, "temperature");
    a->heat = lct_spec_number(part, "scale", 0.1);
    a->heat_floor = lct_spec_number(part, "floor", 8192);
    locant_release(parts);
    return locant_encoding_create(&a->cold, rest + 2);
}

void lct_net_temperature_apply(void *q, const struct lct_net_step *s,
                               const struct lct_net_attention *a)
{
    const struct lct_net_cache *c = s->cache;
    const struct lct_net_math *m = s->n->math;
    const int64_t width = a->plan->heads * a->plan->qk_dim;

    for (int64_t i = 0; i < c->B * s->T; i++) {
        const int64_t b = i / s->T, t = i % s->T;
        const int64_t slot = b * c->capacity + c->length - s->T + t;
        const double p = (double)c->positions[slot];

        m->scale(lct_net_math_at(m, q, i * width),
                 1 + a->heat * log1p(floor(p / a->heat_floor)), width);
    }
}
