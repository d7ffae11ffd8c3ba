/* state.c - the public functions of what decoding keeps between calls */
#include "content_state.h"
#include "problem.h"
#include <inttypes.h>

static const int64_t MOST = (int64_t)1 << 40;

/* The bytes of a state for calls like 'a'; 0: there is nothing to keep.  Unless
 * NULL, prepare 'state'. */
static locant_status begin(size_t *bytes, locant_tensor *state, const char *fn,
                           const locant_attention *a, int64_t capacity)
{
    locant_attention plain;
    struct lct_problem x;
    size_t n = 0;
    bool exists;

    if (a == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: the problem is NULL", fn);
    if (capacity < 0 || capacity > MOST)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: capacity is %" PRId64 ", expected 0 .. 2^40",
                           fn, capacity);
    plain = *a;
    plain.state = NULL;
    LCT_TRY(lct_problem_begin(&x, fn, &plain, LCT_PASS_FORWARD, NULL, 0));
    exists = lct_content_state_exists(&x.plan);
    if (exists)
        n = lct_content_state_bytes(&x.plan, capacity);
    if (n > 0 && state != NULL && (size_t)state->shape[0] >= n)
        lct_content_state_begin(state, &x.plan, capacity);
    lct_problem_end(&x);
    if (exists && n == 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: the state does not fit in memory", fn);
    *bytes = n;
    return LOCANT_OK;
}

locant_status locant_attention_state_bytes(size_t *bytes,
                                           const locant_attention *a,
                                           int64_t capacity)
{
    static const char fn[] = "locant_attention_state_bytes";

    LCT_NOT_NULL(fn, bytes);
    return begin(bytes, NULL, fn, a, capacity);
}

locant_status locant_attention_state_begin(locant_tensor *state,
                                           const locant_attention *a,
                                           int64_t capacity)
{
    static const char fn[] = "locant_attention_state_begin";
    int64_t any = -1;
    size_t bytes;

    LCT_TRY(lct_check(fn, "state", state, LCT_IN_U8, 1, &any));
    LCT_TRY(lct_check_output(fn, "state", state));
    LCT_TRY(begin(&bytes, state, fn, a, capacity));
    if (bytes == 0)
        return locant_fail(
            LOCANT_ERR_UNSUPPORTED,
            "%s: attention with %s keeps nothing, expected path without "
            "forget, repo, carope, selective-rope, fox or a formula of "
            "tokens, in order and not in F64",
            fn, a->encoding == NULL ? "none" : lct_name(a->encoding));
    if ((size_t)state->shape[0] >= bytes)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_SHAPE,
                       "%s: state has %" PRId64 " bytes, expected %zu", fn,
                       state->shape[0], bytes);
}
