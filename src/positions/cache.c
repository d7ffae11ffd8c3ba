/* cache.c - positions of a streaming cache, positions of SelfExtend, and groups
   of tokens of LongLoRA */
#include "distance.h"
#include "positions.h"

/* --------------------------------------------------------------- streaming */

static locant_status check_streaming(const char *fn, int64_t seen,
                                     int64_t sinks, int64_t recent)
{
    LCT_TRY(lct_check_least(fn, "seen", seen, 0));
    LCT_TRY(lct_check_least(fn, "sinks", sinks, 0));
    return lct_check_least(fn, "recent", recent, 1);
}

/* min(seen, sinks + recent), also where the sum would overflow. */
static int64_t kept_of(int64_t seen, int64_t sinks, int64_t recent)
{
    return seen - recent < sinks ? seen : sinks + recent;
}

locant_status locant_streaming_kept(int64_t *kept, int64_t seen, int64_t sinks,
                                    int64_t recent)
{
    static const char fn[] = "locant_streaming_kept";

    LCT_NOT_NULL(fn, kept);
    LCT_TRY(check_streaming(fn, seen, sinks, recent));
    *kept = kept_of(seen, sinks, recent);
    return LOCANT_OK;
}

locant_status locant_positions_streaming(locant_tensor *tokens,
                                         locant_tensor *positions, int64_t seen,
                                         int64_t sinks, int64_t recent)
{
    static const char fn[] = "locant_positions_streaming";
    int64_t kept;

    LCT_TRY(check_streaming(fn, seen, sinks, recent));
    kept = kept_of(seen, sinks, recent);
    LCT_TRY(lct_check_ids(fn, "tokens", tokens, 1, &kept));
    if (positions != NULL) {
        LCT_TRY(lct_check_ids(fn, "positions", positions, 1, &kept));
        LCT_TRY(lct_check_apart(fn, positions, tokens));
    }
    for (int64_t c = 0; c < kept; c++) {
        lct_ids_row(tokens, 0)[c] = c < sinks ? c : seen - kept + c;
        if (positions != NULL)
            lct_ids_row(positions, 0)[c] = c;
    }
    return LOCANT_OK;
}

/* -------------------------------------------------------------- SelfExtend */

static const char fn_self[] = "locant_positions_selfextend";

static locant_status check_out(const char *arg, const locant_tensor *out,
                               const locant_tensor *positions)
{
    if (out == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_check_ids(fn_self, arg, out, 2, positions->shape));
    return lct_check_apart(fn_self, out, positions);
}

locant_status locant_positions_selfextend(locant_tensor *q_out,
                                          locant_tensor *k_out,
                                          const locant_tensor *positions,
                                          int64_t group, int64_t window)
{
    int64_t offset;

    if (q_out == NULL && k_out == NULL)
        return locant_fail(LOCANT_ERR_NULL,
                           "%s: q_out and k_out are NULL, "
                           "expected at least one",
                           fn_self);
    LCT_TRY(lct_check_least(fn_self, "group", group, 1));
    LCT_TRY(lct_check_least(fn_self, "window", window, 1));
    LCT_TRY(lct_check(fn_self, "positions", positions, LCT_IN_I64, 2,
                      (const int64_t[]){ -1, -1 }));
    LCT_TRY(check_out("q_out", q_out, positions));
    LCT_TRY(check_out("k_out", k_out, positions));
    if (q_out != NULL && k_out != NULL)
        LCT_TRY(lct_check_apart(fn_self, q_out, k_out));
    /* p/group + window - window/group does not overflow: it is largest for p =
       window = INT64_MAX, where it is window. */
    offset = lct_selfextend_offset(window, group);
    for (int64_t b = 0; b < positions->shape[0]; b++)
        for (int64_t t = 0; t < positions->shape[1]; t++) {
            int64_t g = lct_floor_div(lct_ids_row(positions, b)[t], group);

            if (q_out != NULL)
                lct_ids_row(q_out, b)[t] = g + offset;
            if (k_out != NULL)
                lct_ids_row(k_out, b)[t] = g;
        }
    return LOCANT_OK;
}

/* ---------------------------------------------------------------- LongLoRA */

locant_status locant_positions_longlora(locant_tensor *groups, int64_t group,
                                        locant_longlora_form form)
{
    static const char fn[] = "locant_positions_longlora";
    int64_t tokens;

    LCT_TRY(lct_check_ids(fn, "groups", groups, 2, (const int64_t[]){ 2, -1 }));
    tokens = groups->shape[1];
    if (group < 2 || group % 2 != 0 || tokens % group != 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: group is %" PRId64 ", "
                           "expected an even divisor of the %" PRId64 " tokens",
                           fn, group, tokens);
    if ((unsigned)form > LOCANT_LONGLORA_CUT)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: form is %d, expected 0 (roll) or 1 (cut)", fn,
                           (int)form);
    for (int64_t t = 0; t < tokens; t++) {
        lct_ids_row(groups, 0)[t] = t / group;
        lct_ids_row(groups, 1)[t] = form == LOCANT_LONGLORA_ROLL
                                        ? lct_longlora_rolled(t, tokens, group)
                                        : lct_longlora_cut(t, group);
    }
    return LOCANT_OK;
}
