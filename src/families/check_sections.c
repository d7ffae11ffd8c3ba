/* check_sections.c - checks W09 to W13: sections of M-RoPE */
#include "check.h"
#include <string.h>

static void wrong_sections(struct lct_check *k, const struct lct_rope_entry *e,
                           const json_t *list, bool interleaved)
{
    const int64_t pairs = e->rot / 2;
    int64_t sum = 0, most = 0;
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
    if (!interleaved && sum != pairs)
        LCT_FIND(k, e, ID(W09), I(sum), I(pairs),
                 I(pairs > sum ? pairs - sum : 0));
    if (interleaved && 3 * most > pairs + 2)
        LCT_FIND(k, e, ID(W10), I(most), I(3 * most - 1), I(pairs),
                 I((pairs + 2) / 3));
}

/* W09 to W12 */
static void sections(struct lct_check *k, const struct lct_rope_entry *e)
{
    const json_t *list = json_object_get(e->dict, "mrope_section");
    const bool qwen3 = lct_check_is(k, "qwen3_vl_text qwen3_vl_moe_text");
    const bool flag = lct_check_bool(e->dict, "mrope_interleaved", false);
    struct lct_draft *f;

    if (qwen3 && !flag) {
        f = LCT_FIND(k, NULL, ID(W11),
                     S(e->dict ? LCT_CHECK_PATH(e, "mrope_interleaved")
                               : "rope_scaling"));
        if (e->dict != NULL)
            lct_check_fix(f, LCT_CHECK_PATH(e, "mrope_interleaved"),
                          json_true());
    }
    if (json_array_size(list) == 0)
        return;
    wrong_sections(k, e, list, flag || qwen3);
    if (strcmp(e->kind, "default") != 0 && strcmp(e->kind, "mrope") != 0)
        LCT_FIND(k, e, ID(W12));
}

/* W13: ids given, or a model that can see images */
static void image_ids(struct lct_check *k)
{
    const locant_tensor *ids = k->options->positions;
    const bool asked = ids != NULL && ids->rank == 3;

    if (!lct_check_class_has(k, LCT_CLASS_SECTIONS) ||
        !(asked ||
          json_is_object(json_object_get(k->config->root, "vision_config"))))
        return;
    LCT_FIND(k, NULL, ID(W13));
}

void lct_check_sections(struct lct_check *k)
{
    image_ids(k);
    for (int i = 0; i < k->n_entries; i++)
        sections(k, &k->entries[i]);
}
