/* check_windows.c - checks P05 to P08, P13 and X08: windows */
#include "check.h"
#include "check_gguf.h"
#include <string.h>

int64_t lct_check_window(const struct lct_check *k)
{
    if (lct_check_is_gguf(k))
        return lct_check_gguf_integer(k, "attention.sliding_window", 0);
    if (json_object_get(k->text, "sliding_window") != NULL)
        return lct_check_integer(k->text, "sliding_window", 0);
    if (lct_check_is(k, "mistral gemma2 cohere2") ||
        lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW))
        return 4096;
    return 0;
}

static bool window_is_on(const struct lct_check *k)
{
    return lct_check_window(k) > 0 &&
           (!lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW) ||
            lct_check_bool(k->text, "use_sliding_window", false));
}

/* P05, P07 */
static void qwen_window(struct lct_check *k)
{
    const bool on = lct_check_bool(k->text, "use_sliding_window", false);
    const int64_t window = lct_check_integer(k->text, "sliding_window", 0);
    const int64_t first = lct_check_integer(k->text, "max_window_layers", 28);
    const bool moe = lct_check_is(k, "qwen2_moe qwen3_moe");

    if (!lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW))
        return;
    if (window > 0 && !on)
        LCT_FIND(k, NULL, ID(P05), I(window));
    if (on && !moe && k->L > 0 && first >= k->L)
        LCT_FIND(k, NULL, ID(P07), I(first));
}

/* P06, P08, P13 */
static void windows(struct lct_check *k)
{
    const int64_t window = lct_check_window(k);
    struct lct_draft *f;

    if (lct_check_is(k, "mistral") &&
        json_object_get(k->text, "sliding_window") == NULL)
        LCT_FIND(k, NULL, ID(P06));
    if (window_is_on(k) && k->M > 0 && window >= k->M &&
        lct_check_has(k->text, "max_position_embeddings"))
        LCT_FIND(k, NULL, ID(P08), I(window));
    if (lct_check_is(k, "gemma3_text") && window > 1 && window % 2 == 1 &&
        lct_check_bool(k->text, "use_bidirectional_attention", false)) {
        f = LCT_FIND(k, NULL, ID(P13), I(window),
                     I(2 * (long long)(window - 1)), I(window / 2),
                     I(window - 1));
        lct_check_fix(f, "sliding_window", json_integer(2 * (window - 1)));
    }
}

/* X08: llama.cpp has windows in the architectures that have a pattern of
   layers, and in Phi-3. */
static void unknown_window(struct lct_check *k)
{
    const bool unknown = lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW) ||
                         lct_check_is(k, "mistral mixtral starcoder2");

    /* of a Mistral without the key P06 speaks */
    if (!unknown || !window_is_on(k) ||
        (lct_check_is(k, "mistral") &&
         !lct_check_has(k->text, "sliding_window")) ||
        (k->M > 0 && lct_check_window(k) >= k->M))
        return;
    LCT_FIND(k, NULL, ID(X08), I(lct_check_window(k)));
}

void lct_check_windows(struct lct_check *k)
{
    qwen_window(k);
    windows(k);
    unknown_window(k);
}
