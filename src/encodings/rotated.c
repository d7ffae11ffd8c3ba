/* rotated.c - the channels and frequencies of a plain rotation, as numbers */
#include "locant/frequencies.h"
#include "../core/tensor.h"
#include "rotate.h"
#include <inttypes.h>

/* Set *s to the schedule of the rotating part of 'e', NULL if there is none. */
static locant_status schedule_of(const struct lct_schedule **s, bool *by_length,
                                 const char *fn, const locant_encoding *e,
                                 int64_t head_dim, int64_t length)
{
    const struct lct_part *part;

    *s = NULL;
    *by_length = false;
    if (e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: e is NULL", fn);
    if (head_dim < 1 || length < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: %s is %" PRId64 ", expected at least 1", fn,
                           head_dim < 1 ? "head_dim" : "length",
                           head_dim < 1 ? head_dim : length);
    part = lct_part_of(e, LOCANT_DOOR_ROTATE);
    if (part == NULL)
        return LOCANT_OK;
    if (part->e->row->rotate.map != NULL ||
        part->e->row->schedule.create == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: %s is no plain rotation", fn,
                           part->e->row->info.name);
    *by_length = (part->e->traits & LOCANT_TRAIT_LENGTH) != 0;
    return lct_schedule_of(s, part->e, fn, head_dim, length);
}

locant_status locant_encoding_rotated(locant_rotated *out,
                                      const locant_encoding *e,
                                      int64_t head_dim, int64_t length)
{
    static const char fn[] = "locant_encoding_rotated";
    locant_rotated found = LOCANT_ROTATED_INIT;
    const struct lct_schedule *s;
    bool by_length;

    if (out == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: out is NULL", fn);
    if (out->struct_size != sizeof *out)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_ROTATED_INIT",
                           fn, out->struct_size, sizeof *out);
    LCT_TRY(schedule_of(&s, &by_length, fn, e, head_dim, length));
    found.magnitude = 1;
    found.axes = 1;
    if (s != NULL) {
        found.pairs = s->pairs;
        found.first = s->first;
        found.interleaved = s->pairing == LCT_INTERLEAVED;
        found.axes = s->axes;
        found.magnitude = s->magnitude;
        found.by_length = by_length;
    }
    lct_schedule_done(s);
    *out = found;
    return LOCANT_OK;
}

static void put(locant_tensor *frequencies, locant_tensor *channels,
                const struct lct_schedule *s)
{
    for (int64_t i = 0; i < s->axes * s->pairs; i++) {
        double *to = lct_at(frequencies,
                            (const int64_t[]){ i / s->pairs, i % s->pairs }, 2);

        *to = lct_phase_radians(s->frequency[i]);
    }
    for (int64_t c = 0; c < s->pairs && channels != NULL; c++)
        lct_rotate_channels(lct_at(channels, &c, 1), s, c);
}

locant_status locant_encoding_frequencies(locant_tensor *frequencies,
                                          locant_tensor *channels,
                                          const locant_encoding *e,
                                          int64_t head_dim, int64_t length)
{
    static const char fn[] = "locant_encoding_frequencies";
    const struct lct_schedule *s;
    locant_status status;
    bool by_length;
    int64_t dims[2] = { 1, 0 };

    LCT_TRY(schedule_of(&s, &by_length, fn, e, head_dim, length));
    if (s != NULL) {
        dims[0] = s->axes;
        dims[1] = s->pairs;
    }
    status = lct_check(fn, "frequencies", frequencies, LCT_IN_F64, 2, dims);
    if (status == LOCANT_OK)
        status = lct_check_output(fn, "frequencies", frequencies);
    if (status == LOCANT_OK && channels != NULL) {
        status = lct_check(fn, "channels", channels, LCT_IN_I64, 2,
                           (const int64_t[]){ dims[1], 2 });
        if (status == LOCANT_OK)
            status = lct_check_output(fn, "channels", channels);
        if (status == LOCANT_OK)
            status = lct_check_apart(fn, frequencies, channels);
    }
    if (status == LOCANT_OK && s != NULL)
        put(frequencies, channels, s);
    lct_schedule_done(s);
    return status;
}
