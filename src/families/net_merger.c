/*
 * net_merger.c - patches that become one token of a text
 *
 * Qwen2-VL: arXiv:2409.12191v2, section 2.1; DeepStack: Meng et al. 2024,
 * arXiv:2406.04334v1, as Qwen3-VL has it: arXiv:2511.21631v1, section 2.
 */
#include "net_merger.h"
#include "net_math.h"
#include "net_mlp.h"
#include "net_norm.h"

/* ---------------------------------------------------------------- binding */

/* The numbers that a merger reads. */
static int64_t width_of_group(const struct lct_net *n)
{
    const int64_t merge = n->text.patches->merge;

    return merge * merge * n->width;
}

static locant_status bind(struct lct_net_merger **out, struct lct_net_binder *b,
                          enum lct_net_role up, enum lct_net_role down,
                          int64_t width)
{
    struct lct_net_merger *m = lct_net_keep(b->n, sizeof(*m));

    *out = m;
    LCT_NET_GOT(m);
    LCT_TRY(lct_net_bind_linear(&m->mlp.up, b, up, -1, width_of_group(b->n)));
    m->mlp.width = m->mlp.up.w.out;
    m->mlp.act = LCT_ACT_GELU; /* whatever the configuration says */
    return lct_net_bind_linear(&m->mlp.down, b, down, width, m->mlp.width);
}

/* The layer after which merger i of DeepStack stands; -1: there is none. */
static locant_status deep_layer(int64_t *out, const struct lct_config *c,
                                size_t i)
{
    static const char key[] = "deepstack_visual_indexes";
    static const int64_t usual[] = { 8, 16, 24 };
    const json_t *list = json_object_get(c->text, key);
    const json_t *item = json_array_get(list, i);

    *out = -1;
    if (list == NULL || json_is_null(list)) {
        if (i < sizeof(usual) / sizeof(usual[0]))
            *out = usual[i];
        return LOCANT_OK;
    }
    if (i < json_array_size(list))
        *out = json_integer_value(item);
    if (json_is_array(list) &&
        (item == NULL || (json_is_integer(item) && *out >= 0)))
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: vision_config.%s is no list of layers", c->file,
                       key);
}

static locant_status bind_deep(struct lct_net_binder *b, int64_t width)
{
    struct lct_net_stack *s = &b->n->text;
    int64_t layer;

    for (int64_t i = 0;; i++) {
        struct lct_net_merger **to;

        LCT_TRY(deep_layer(&layer, &b->n->config, (size_t)i));
        if (layer < 0)
            return LOCANT_OK;
        if (layer >= s->n_layers || s->layers[layer].deep != NULL)
            continue; /* never reached; the first of two counts */
        to = &s->layers[layer].deep;
        b->part = i;
        LCT_TRY(bind(to, b, LCT_DEEP_UP, LCT_DEEP_DOWN, width));
        LCT_TRY(lct_net_bind_norm(&(*to)->norm, b, LCT_DEEP_NORM,
                                  width_of_group(b->n)));
    }
}

locant_status lct_net_merger_bind(struct lct_net_binder *b, int64_t width)
{
    LCT_TRY(bind(&b->n->merger, b, LCT_MERGER_UP, LCT_MERGER_DOWN, width));
    return !lct_net_bind_knows(b, LCT_DEEP_UP) ? LOCANT_OK
                                               : bind_deep(b, width);
}

/* ---------------------------------------------------------------- forward */

locant_status lct_net_merger_forward(void *out, const void *x, int64_t groups,
                                     const struct lct_net_merger *merger,
                                     struct lct_net_room *room)
{
    const size_t mark = room->used;

    if (merger->norm.kind != LCT_NET_NO_NORM) {
        void *normed = lct_net_take(room, groups, width_of_group(room->n));

        LCT_NET_GOT(normed);
        lct_net_norm_rows(normed, x, groups, room->n->math, &merger->norm);
        x = normed;
    }
    LCT_TRY(lct_net_mlp_forward(out, x, groups, &merger->mlp, room));
    lct_net_give_back(room, mark);
    return LOCANT_OK;
}
