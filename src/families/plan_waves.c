/* plan_waves.c - the wavelengths of a layer's rotation, from its schedule */
#include "plan_waves.h"
#include "../angle/schedule.h"
#include "../encodings/encoding.h"
#include <math.h>
#include <string.h>

/* A fraction of a turn in radians. */
static double radians(struct lct_phase f)
{
    const double pi = 3.141592653589793;

    return 2 * pi * (ldexp((double)f.hi, -64) + ldexp((double)f.lo, -128));
}

static locant_status take(struct lct_plan_waves *out,
                          const struct lct_schedule *s, const char *file)
{
    out->frequency = locant_alloc((size_t)s->pairs * sizeof *out->frequency);
    if (out->frequency == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", file);
    out->pairs = s->pairs;
    out->first = s->first;
    out->interleaved = s->pairing == LCT_INTERLEAVED;
    out->factor = s->magnitude;
    for (int64_t c = 0; c < s->pairs; c++)
        for (int a = 0; a < s->axes && out->frequency[c] == 0; a++)
            out->frequency[c] = radians(s->frequency[a * s->pairs + c]);
    return LOCANT_OK;
}

/* Encodings with parameters have no schedule; nor is a cosine one. */
static bool has_schedule(const locant_encoding *e)
{
    return e->row->schedule.create != NULL;
}

locant_status lct_plan_waves_of(struct lct_plan_waves *out,
                                const struct lct_layer_plan *layer,
                                int64_t length, const char *file)
{
    const struct lct_part *part =
        lct_part_of(layer->encoding, LOCANT_DOOR_ROTATE);
    const struct lct_schedule *s;
    locant_status status;

    *out = (struct lct_plan_waves){ .factor = 1 };
    if (part == NULL || !has_schedule(part->e))
        return LOCANT_OK;
    out->by_length = (part->e->traits & LOCANT_TRAIT_LENGTH) != 0;
    status = lct_schedule_of(&s, part->e, file, layer->qk_dim, length);
    if (status != LOCANT_OK)
        return status == LOCANT_ERR_NOMEM ? status : LOCANT_ERR_FORMAT;
    status = take(out, s, file);
    lct_schedule_done(s);
    return status;
}

void lct_plan_waves_free(struct lct_plan_waves *w)
{
    locant_release(w->frequency);
    w->frequency = NULL;
    w->pairs = 0;
}
