/* convert_states.c - see convert_states.h */
#include "convert_states.h"
#include "convert_verify.h"
#include <math.h>
#include <string.h>

enum { TOKENS = 8 };

/* Tokens of a text, none of which is padding. */
static void draw(int64_t *ids, int64_t vocabulary, int64_t pad)
{
    locant_random r = { .seed = 1 };

    for (int i = 0; i < TOKENS; i++) {
        const int64_t at =
            (int64_t)locant_random_below(&r, (uint64_t)vocabulary);

        ids[i] = at == pad ? (pad + 1) % vocabulary : at;
    }
}

/* *out = the states of that text [TOKENS, *width]. */
static locant_status states(float **out, int64_t *width, const char *path,
                            const struct lct_convert *c)
{
    const struct lct_tower *t = &c->plan.towers[0];
    const int64_t row[2] = { 1, TOKENS };
    int64_t numbers[TOKENS] = { 0 }, shape[3] = { 1, TOKENS };
    locant_tensor ids = locant_dense(numbers, LOCANT_I64, 2, row), to;
    locant_model_input in = LOCANT_MODEL_INPUT_INIT;
    locant_model *m;
    locant_status status = locant_model_open(&m, path, LOCANT_F32);
    locant_model_info info;

    LCT_TRY(status);
    info = locant_model_info_of(m);
    shape[2] = *width = info.width;
    if (info.vocab > 0)
        draw(numbers, info.vocab, t->ids == LCT_IDS_PAD ? t->pad : -1);
    in.ids = &ids;
    in.decoder_ids = c->plan.n_towers > 1 ? &ids : NULL;
    *out = locant_alloc((size_t)(TOKENS * info.width) * sizeof **out);
    to = locant_dense(*out, LOCANT_F32, 3, shape);
    status = *out != NULL
                 ? locant_model_logits(&to, NULL, m, &in, LOCANT_MODEL_HIDDEN)
                 : locant_fail(LOCANT_ERR_NOMEM, "no memory to verify states");
    locant_model_close(m);
    return status;
}

static locant_status compare(double *worst, const float *a, const float *b,
                             int64_t n)
{
    double largest = 0, difference = 0;

    for (int64_t i = 0; i < n; i++) {
        const double here = fabs((double)a[i] - (double)b[i]);

        largest = fmax(largest, fabs((double)a[i]));
        if (!isnan(difference) && !(here <= difference))
            difference = here;
    }
    *worst = largest > 0 ? difference / largest : difference;
    if (*worst <= LCT_CONVERT_TOLERANCE)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "states differ by %.1e of the largest, at most %.0e "
                       "expected",
                       *worst, LCT_CONVERT_TOLERANCE);
}

locant_status lct_convert_states(double *worst, const struct lct_convert *c)
{
    float *a = NULL, *b = NULL;
    int64_t width, after;
    locant_status status = states(&a, &width, c->model, c);

    if (status == LOCANT_OK)
        status = states(&b, &after, c->output.temporary, c);
    if (status == LOCANT_OK && width != after)
        status = locant_fail(LOCANT_ERR_FORMAT,
                             "states have %lld channels, %lld expected",
                             (long long)after, (long long)width);
    if (status == LOCANT_OK)
        status = compare(worst, a, b, TOKENS * width);
    locant_release(a);
    locant_release(b);
    return status;
}
