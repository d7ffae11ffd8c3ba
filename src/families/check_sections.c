/* check_sections.c - checks W09 to W13: sections of M-RoPE */
#include "check.h"
#include <string.h>

static void wrong_sections(struct lct_check *k, const struct lct_rope_entry *e,
                           const json_t *list, bool interleaved)
{
    const int64_t pairs = e->rot / 2;
    int64_t sum = 0, most = 0;
    struct lct_draft *f;
    json_t *item;
    size_t i;

    json_array_foreach((json_t *)(uintptr_t)list, i, item) {
        const int64_t n = json_integer_value(item);

        if (n < 0 || n > 65536)
            return;
        sum += n;
        if (i > 0 && n > most)
            most = n;
    }
    if (!interleaved && sum != pairs) {
        f = lct_check_report(
            k, LCT_CHECK_W09, LCT_CHECK_PATH(e, "mrope_section"),
            "the sections add up to %lld, and %lld rotated "
            "channels have %lld pairs",
            (long long)sum, (long long)e->rot, (long long)pairs);
        lct_check_says(f, LCT_HF | LCT_VLLM, "split fails");
        lct_check_says(f, LCT_LLAMA_CPP,
                       "the other %lld pairs take the fourth coordinate",
                       (long long)(pairs > sum ? pairs - sum : 0));
        lct_check_mend(f, "sections that add up to %lld", (long long)pairs);
    }
    if (interleaved && 3 * most > pairs + 2) {
        f = lct_check_report(
            k, LCT_CHECK_W10, LCT_CHECK_PATH(e, "mrope_section"),
            "an interleaved section of %lld reaches pair "
            "%lld, and there are %lld",
            (long long)most, (long long)(3 * most - 1), (long long)pairs);
        lct_check_says(f, LCT_HF | LCT_VLLM,
                       "the section is cut off at the last pair");
        lct_check_says(f, LCT_LLAMA_CPP, "pairs beyond the end are dropped");
        lct_check_mend(f, "sections of at most %lld",
                       (long long)((pairs + 2) / 3));
    }
}

/* W09 to W12 */
static void sections(struct lct_check *k, const struct lct_rope_entry *e)
{
    const json_t *list = json_object_get(e->dict, "mrope_section");
    const bool qwen3 = lct_check_is(k, "qwen3_vl_text") ||
                       lct_check_is(k, "qwen3_vl_moe_text");
    const bool flag = lct_check_bool(e->dict, "mrope_interleaved", false);
    struct lct_draft *f;

    if (qwen3 && !flag) {
        f = lct_check_report(k, LCT_CHECK_W11,
                             e->dict ? LCT_CHECK_PATH(e, "mrope_interleaved")
                                     : "rope_scaling",
                             "mrope_interleaved is not true, and Qwen3-VL was "
                             "trained with interleaved sections");
        lct_check_says(f, LCT_HF5, "interleaves always");
        lct_check_says(f, LCT_VLLM, "chunked sections");
        lct_check_mend(f, "mrope_interleaved: true");
        if (e->dict != NULL)
            lct_check_fix(f, LCT_CHECK_PATH(e, "mrope_interleaved"),
                          json_true());
    }
    if (json_array_size(list) == 0)
        return;
    wrong_sections(k, e, list, flag || qwen3);
    if (strcmp(e->kind, "default") != 0 && strcmp(e->kind, "mrope") != 0) {
        f = lct_check_report(
            k, LCT_CHECK_W12, LCT_CHECK_PATH(e, "mrope_section"),
            "sections stand together with the scaling '%s'", e->kind);
        lct_check_says(f, LCT_HF5, "both");
        lct_check_says(f, LCT_VLLM,
                       "both, where other servers lose one (LightLLM "
                       "the scaling, sglang the sections)");
        lct_check_says(f, LCT_MLX, "the scaling alone: right for text only");
        lct_check_mend(f, "compare the angles of an image with 'locant model "
                          "vectors'");
    }
}

/* W13: ids given, or a model that can see images */
static void image_ids(struct lct_check *k)
{
    const locant_tensor *ids = k->options->positions;
    const bool asked = ids != NULL && ids->rank == 3;
    struct lct_draft *f;

    if (!lct_check_class_has(k, LCT_CLASS_SECTIONS) ||
        !(asked ||
          json_is_object(json_object_get(k->config->root, "vision_config"))))
        return;
    f = lct_check_report(k, LCT_CHECK_W13, "/vision_config",
                         "with images, a token after an image stands at the "
                         "image's start + max(rows, columns) / merge, not at "
                         "its number");
    lct_check_says(f, LCT_HF | LCT_VLLM | LCT_LLAMA_CPP,
                   "three coordinates, all equal for text alone, which is "
                   "plain RoPE");
    lct_check_says(f, LCT_MLX, "one coordinate: right for text alone");
    lct_check_mend(f, "nothing is wrong in the file; pass position ids of "
                      "three axes");
}

void lct_check_sections(struct lct_check *k)
{
    image_ids(k);
    for (int i = 0; i < k->n_entries; i++)
        sections(k, &k->entries[i]);
}
