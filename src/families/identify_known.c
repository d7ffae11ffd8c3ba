/* identify_known.c - common conventions, for one position, whose angles are
 * known modulo whole turns */
#include "identify_rule.h"
#include <math.h>
#include <stdio.h>

static const double two_pi = 6.283185307179586;

static const char *const scalings[] = {
    "",
    ",scaling=linear(factor=2)",
    ",scaling=linear(factor=4)",
    ",scaling=linear(factor=8)",
    ",scaling=llama3",
    ",scaling=llama3(factor=32)",
    ",scaling=yarn(factor=4,original=32768)",
    ",scaling=yarn(factor=40,original=4096,attention=1)",
    ",scaling=yarn(factor=32,original=4096,truncate=no)"
};
enum { SCALINGS = sizeof(scalings) / sizeof(scalings[0]) };

static bool angles_fit(const struct lct_turns *have,
                       const struct lct_spectrum *s,
                       const struct lct_turn *turns, const double *error,
                       double position)
{
    double gain = have->about.magnitude;

    if (fabs(gain - s->gain) > 0.01 * gain)
        return false;
    for (int64_t c = 0; c < s->pairs; c++) {
        double angle = (lct_rule_frequency(have, s, c) - turns[c].f) * position;

        if (!(fabs(angle - two_pi * round(angle / two_pi)) <= error[c]))
            return false;
    }
    return true;
}

locant_status lct_identify_known(locant_identity *out,
                                 const struct lct_spectrum *s,
                                 const struct lct_turn *turns,
                                 const double *angle_error, double position)
{
    LCT_APPEND(out->note,
               "All rows have one position, so a frequency cannot be "
               "told from others that make whole turns, nor an offset "
               "from a factor; listed are the common conventions that "
               "fit without an offset.");
    for (int i = 0; i < LCT_BASES * SCALINGS; i++) {
        struct lct_turns have;
        locant_encoding *e;
        locant_status status;
        char keys[128], spec[512];

        (void)snprintf(keys, sizeof(keys), "base=%.15g%s",
                       lct_bases[i % LCT_BASES], scalings[i / LCT_BASES]);
        lct_rule_spec(spec, sizeof(spec), s, s->layout.width, keys);
        LCT_TRY(locant_encoding_create(&e, spec));
        status = lct_turns_of(&have, e, s->head_dim, 1);
        if (status == LOCANT_OK) {
            if (angles_fit(&have, s, turns, angle_error, position))
                lct_identify_remains(out, "%s", locant_encoding_spec(e));
            lct_turns_free(&have);
        }
        locant_encoding_free(e);
        LCT_TRY(status);
    }
    return LOCANT_OK;
}
