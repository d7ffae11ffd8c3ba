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
    if (lct_check_is(k, "mistral") || lct_check_is(k, "gemma2") ||
        lct_check_is(k, "cohere2") ||
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
    const bool moe =
        lct_check_is(k, "qwen2_moe") || lct_check_is(k, "qwen3_moe");
    struct lct_draft *f;

    if (!lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW))
        return;
    if (window > 0 && !on) {
        f = lct_check_report(k, LCT_CHECK_P05, "sliding_window",
                             "sliding_window is %lld, and use_sliding_window "
                             "does not switch it on",
                             (long long)window);
        lct_check_says(f, LCT_HF | LCT_VLLM, "no window in any layer");
        lct_check_says(f, LCT_LLAMA_CPP, "no window is written");
        lct_check_mend(f, "sliding_window: null says the same without a doubt");
    }
    if (on && !moe && k->L > 0 && first >= k->L) {
        f = lct_check_report(k, LCT_CHECK_P07, "max_window_layers",
                             "max_window_layers %lld lets no layer of %lld "
                             "slide",
                             (long long)first, (long long)k->L);
        lct_check_says(f, LCT_HF, "layers from %lld on slide: none",
                       (long long)first);
        lct_check_says(f, LCT_VLLM, "refuses, or no window");
        lct_check_mend(f,
                       "the first layer that slides, below %lld; or "
                       "use_sliding_window: false",
                       (long long)k->L);
    }
}

/* P06, P08, P13 */
static void windows(struct lct_check *k)
{
    const int64_t window = lct_check_window(k);
    struct lct_draft *f;

    if (lct_check_is(k, "mistral") &&
        json_object_get(k->text, "sliding_window") == NULL) {
        f = lct_check_report(k, LCT_CHECK_P06, "sliding_window",
                             "sliding_window is absent");
        lct_check_says(f, LCT_HF, "a window of 4096 tokens in every layer");
        lct_check_says(f, LCT_LLAMA_CPP, "no window");
        lct_check_says(f, LCT_VLLM, "as the class of transformers: 4096");
        lct_check_mend(f, "4096 (v0.1) or null (v0.2 and later)");
    }
    if (window_is_on(k) && k->M > 0 && window >= k->M &&
        lct_check_has(k->text, "max_position_embeddings")) {
        f = lct_check_report(k, LCT_CHECK_P08, "sliding_window",
                             "a window of %lld tokens is as long as the length "
                             "%lld",
                             (long long)window, (long long)k->M);
        lct_check_says(f, LCT_EVERY_STACK, "no effect");
        lct_check_mend(f, "null says the same");
    }
    if (lct_check_is(k, "gemma3_text") && window > 1 && window % 2 == 1 &&
        lct_check_bool(k->text, "use_bidirectional_attention", false)) {
        f = lct_check_report(k, LCT_CHECK_P13, "sliding_window",
                             "a bidirectional window of %lld is odd: it seems "
                             "to be half of %lld already, which the class "
                             "halves again",
                             (long long)window, 2 * (long long)(window - 1));
        lct_check_says(f, LCT_HF, "%lld keys to each side",
                       (long long)(window / 2));
        lct_check_says(f, LCT_LLAMA_CPP | LCT_VLLM | LCT_MLX,
                       "%lld keys to each side instead of %lld",
                       (long long)(window / 2), (long long)(window - 1));
        lct_check_mend(f, "sliding_window %lld", 2 * (long long)(window - 1));
        lct_check_fix(f, "sliding_window", json_integer(2 * (window - 1)));
    }
}

/* X08: llama.cpp has windows in the architectures that have a pattern of
   layers, and in Phi-3. */
static void unknown_window(struct lct_check *k)
{
    static const char *const without[] = { "mistral", "mixtral", "starcoder2" };
    bool unknown = lct_check_class_has(k, LCT_CLASS_QWEN_WINDOW);
    struct lct_draft *f;

    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        unknown |= lct_check_is(k, without[i]);
    /* of a Mistral without the key P06 speaks */
    if (!unknown || !window_is_on(k) ||
        (lct_check_is(k, "mistral") &&
         !lct_check_has(k->text, "sliding_window")) ||
        (k->M > 0 && lct_check_window(k) >= k->M))
        return;
    f = lct_check_report(
        k, LCT_CHECK_X08, "sliding_window",
        "the window of %lld tokens has no place in llama.cpp's "
        "graph of this model",
        (long long)lct_check_window(k));
    lct_check_says(f, LCT_LLAMA_CPP,
                   "every query sees all keys: other scores from position "
                   "%lld on",
                   (long long)lct_check_window(k));
    lct_check_mend(f, "keep texts shorter than the window there");
}

void lct_check_windows(struct lct_check *k)
{
    qwen_window(k);
    windows(k);
    unknown_window(k);
}
