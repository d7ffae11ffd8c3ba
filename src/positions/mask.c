/*
 * mask.c - positions of tokens in rows with padding.
 *
 * A position counts the tokens before it without the padding, so it does not
 * depend on where the padding is (transformers#22161).
 */
#include "positions.h"

/* With 'by_mask', elements are tokens if they are 1; else, if they are not
   'pad_token'. */
struct rule {
    const locant_tensor *in; /* [B, S] */
    bool by_mask;
    int64_t pad_token;
};

static bool is_token(const struct rule *rule, int64_t b, int64_t s)
{
    int64_t x = lct_integer(rule->in, b, s);

    return rule->by_mask ? x == 1 : x != rule->pad_token;
}

static locant_status check(const char *fn, const char *arg,
                           const locant_tensor *out, const locant_tensor *in,
                           int64_t first)
{
    int64_t last;

    LCT_TRY(lct_check_ids(fn, "out", out, 2, (const int64_t[]){ -1, -1 }));
    LCT_TRY(lct_check(fn, arg, in, LCT_IN_I32 | LCT_IN_I64, 2, out->shape));
    LCT_TRY(lct_check_apart(fn, out, in));
    if (__builtin_add_overflow(first, out->shape[1], &last))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: first is %" PRId64
                           ", expected at most 2^63 - 1 "
                           "- %" PRId64 ", the number of positions",
                           fn, first, out->shape[1]);
    return LOCANT_OK;
}

static void count(locant_tensor *out, const struct rule *rule, int64_t first,
                  int64_t pad)
{
    for (int64_t b = 0; b < out->shape[0]; b++) {
        int64_t *row = lct_ids_row(out, b);
        int64_t next = first;

        for (int64_t s = 0; s < out->shape[1]; s++)
            row[s] = is_token(rule, b, s) ? next++ : pad;
    }
}

locant_status locant_positions_from_mask(locant_tensor *out,
                                         const locant_tensor *mask,
                                         int64_t first, int64_t pad)
{
    static const char fn[] = "locant_positions_from_mask";
    struct rule rule = { .in = mask, .by_mask = true };

    LCT_TRY(check(fn, "mask", out, mask, first));
    for (int64_t b = 0; b < out->shape[0]; b++) {
        for (int64_t s = 0; s < out->shape[1]; s++) {
            int64_t x = lct_integer(mask, b, s);

            if (x != 0 && x != 1)
                return locant_fail(LOCANT_ERR_PARAM,
                                   "%s: mask[%" PRId64 ", %" PRId64
                                   "] is %" PRId64 ", expected 0 or 1",
                                   fn, b, s, x);
        }
    }
    count(out, &rule, first, pad);
    return LOCANT_OK;
}

locant_status locant_positions_from_tokens(locant_tensor *out,
                                           const locant_tensor *tokens,
                                           int64_t pad_token, int64_t first,
                                           int64_t pad)
{
    struct rule rule = { .in = tokens, .pad_token = pad_token };

    LCT_TRY(
        check("locant_positions_from_tokens", "tokens", out, tokens, first));
    count(out, &rule, first, pad);
    return LOCANT_OK;
}
