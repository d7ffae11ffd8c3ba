/* randomized.c - positions drawn from a longer range, or spread over it */
#include "positions.h"
#include "sampling.h"

static locant_status check(const char *fn, const locant_tensor *out,
                           int64_t range)
{
    LCT_TRY(lct_check_ids(fn, "out", out, 2, (const int64_t[]){ -1, -1 }));
    if (range < out->shape[1])
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: range is %" PRId64 ", "
                           "expected at least the %" PRId64 " tokens of a row",
                           fn, range, out->shape[1]);
    return LOCANT_OK;
}

static locant_status make_sampler(struct lct_sampler **out, const char *fn,
                                  const locant_random *random, int64_t n)
{
    LCT_NOT_NULL(fn, random);
    *out = lct_sampler_create(n);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory to draw %" PRId64 " numbers", fn, n);
    return LOCANT_OK;
}

locant_status locant_positions_randomized(locant_tensor *out, int64_t range,
                                          locant_random *random)
{
    static const char fn[] = "locant_positions_randomized";
    struct lct_sampler *s;

    LCT_TRY(check(fn, out, range));
    LCT_TRY(make_sampler(&s, fn, random, out->shape[1]));
    for (int64_t b = 0; b < out->shape[0]; b++)
        lct_sample(lct_ids_row(out, b), out->shape[1], range, random, s);
    lct_sampler_free(s);
    return LOCANT_OK;
}

/*
 * floor(t (range - 1) / last) without a 128-bit product: if range - 1 =
 * q last + r with r < last, it is t q + floor(t r / last).
 */
static int64_t spaced(int64_t t, int64_t range, int64_t last)
{
    int64_t q = (range - 1) / last, r = (range - 1) % last;

    return t * q + t * r / last;
}

locant_status locant_positions_spaced(locant_tensor *out, int64_t range)
{
    static const char fn[] = "locant_positions_spaced";
    int64_t last;

    LCT_TRY(check(fn, out, range));
    last = out->shape[1] - 1;
    if (last >= INT64_C(1) << 31) /* t r must fit */
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: out has %" PRId64 " tokens "
                           "in a row, expected at most 2^31",
                           fn, last + 1);
    for (int64_t b = 0; b < out->shape[0]; b++)
        for (int64_t t = 0; t <= last; t++)
            lct_ids_row(out, b)[t] = last == 0 ? 0 : spaced(t, range, last);
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- PoSE */

/* cut [chunks - 1]: cut[c] is the first token of chunk c + 1.  As in the
   authors' code the first of two chunks has 1 .. (tokens + 1)/2 tokens. */
static void draw_cuts(int64_t *cut, int64_t chunks, int64_t tokens,
                      locant_random *random, struct lct_sampler *s)
{
    if (chunks == 2) {
        uint64_t most = ((uint64_t)tokens + 1) / 2;

        cut[0] = 1 + (int64_t)locant_random_below(random, most);
        return;
    }
    lct_sample(cut, chunks - 1, tokens - 1, random, s);
    for (int64_t c = 0; c < chunks - 1; c++)
        cut[c]++;
}

static void pose_row(int64_t *row, int64_t tokens, const int64_t *cut,
                     int64_t chunks, int64_t range, locant_random *random)
{
    int64_t skip = 0, t = 0;

    for (int64_t c = 0; c < chunks; c++) {
        int64_t end = c < chunks - 1 ? cut[c] : tokens;

        if (c > 0)
            skip += (int64_t)locant_random_below(
                random, (uint64_t)(range - tokens - skip) + 1);
        for (; t < end; t++)
            row[t] = t + skip;
    }
}

locant_status locant_positions_pose(locant_tensor *out, int64_t chunks,
                                    int64_t range, locant_random *random)
{
    static const char fn[] = "locant_positions_pose";
    struct lct_sampler *s;
    int64_t *cut, tokens;

    LCT_TRY(check(fn, out, range));
    tokens = out->shape[1];
    if (lct_empty(out))
        return LOCANT_OK;
    if (chunks < 1 || chunks > tokens)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: chunks is %" PRId64 ", "
                           "expected 1 to %" PRId64 ", the tokens of a row",
                           fn, chunks, tokens);
    LCT_TRY(make_sampler(&s, fn, random, chunks));
    cut = locant_alloc((size_t)chunks * sizeof(*cut));
    if (cut == NULL) {
        lct_sampler_free(s);
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " chunks", fn, chunks);
    }
    for (int64_t b = 0; b < out->shape[0]; b++) {
        if (chunks > 1)
            draw_cuts(cut, chunks, tokens, random, s);
        pose_row(lct_ids_row(out, b), tokens, cut, chunks, range, random);
    }
    locant_release(cut);
    lct_sampler_free(s);
    return LOCANT_OK;
}
