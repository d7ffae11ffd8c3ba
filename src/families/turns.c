/* turns.c - the pairs of channels that a plain rotation turns, and how far */
#include "turns.h"
#include "../core/error.h"
#include <string.h>

void lct_turns_free(struct lct_turns *t)
{
    locant_release(t->f);
    locant_release(t->channels);
    memset(t, 0, sizeof(*t));
}

static locant_status fill(struct lct_turns *out, const locant_encoding *e,
                          int64_t dim, int64_t length)
{
    const int64_t axes = out->about.axes, pairs = out->about.pairs;
    locant_tensor f, channels;

    out->f = locant_alloc((size_t)(axes * pairs) * sizeof(*out->f));
    out->channels = locant_alloc((size_t)(2 * pairs) * sizeof(*out->channels));
    if (out->f == NULL || out->channels == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %lld pairs",
                           (long long)pairs);
    f = locant_dense(out->f, LOCANT_F64, 2, (int64_t[]){ axes, pairs });
    channels =
        locant_dense(out->channels, LOCANT_I64, 2, (int64_t[]){ pairs, 2 });
    return locant_encoding_frequencies(&f, &channels, e, dim, length);
}

locant_status lct_turns_of(struct lct_turns *out, const locant_encoding *e,
                           int64_t dim, int64_t length)
{
    locant_status s;

    *out = (struct lct_turns){ .about = LOCANT_ROTATED_INIT };
    s = locant_encoding_rotated(&out->about, e, dim, length);
    if (s == LOCANT_OK && out->about.pairs > 0)
        s = fill(out, e, dim, length);
    if (s != LOCANT_OK)
        lct_turns_free(out);
    return s;
}

void lct_turns_join(struct lct_turns *t)
{
    const int64_t pairs = t->about.pairs;

    for (int64_t c = 0; c < pairs; c++)
        for (int a = 1; a < t->about.axes && t->f[c] == 0; a++)
            t->f[c] = t->f[a * pairs + c];
}
