/*
 * net_sight.c - the tower of a model for images within texts
 *
 * Qwen2-VL: arXiv:2409.12191v2; Qwen2.5-VL: arXiv:2502.13923v1; Qwen3-VL:
 * arXiv:2511.21631v1; the modeling files of transformers 5.23.
 */
#include "net_sight.h"
#include "net_family_keys.h"
#include "net_grid.h"
#include "net_math.h"
#include "net_merger.h"
#include "net_stack.h"
#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------- binding */

static locant_status bind_tower(struct lct_net *tower, struct lct_net_binder *b,
                                int64_t width)
{
    const struct lct_tower *plan = tower->text.plan;

    LCT_TRY(
        lct_net_families_switches(&tower->s, tower->family, &tower->config));
    LCT_TRY(lct_net_families_act(&tower->act, tower->s.act, &tower->config));
    tower->width = plan->layers[0].heads * plan->layers[0].qk_dim;
    LCT_TRY(lct_net_stack_bind(&tower->text, b));
    for (int64_t i = 0; i < plan->n_layers; i++)
        if (plan->layers[i].grid_window > 0 &&
            plan->layers[i].grid_window < tower->text.patches->merge)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: a window has %" PRId64
                               " patches on a side, and spatial_merge_size is "
                               "%" PRId64,
                               tower->config.file, plan->layers[i].grid_window,
                               tower->text.patches->merge);
    return lct_net_merger_bind(b, width);
}

locant_status lct_net_sight_bind(struct lct_net *n, const char *path)
{
    const char *row = n->family->sight;
    struct lct_net *tower;
    struct lct_net_binder b = { 0 };

    if (row == NULL || n->plan.n_towers < 2)
        return LOCANT_OK;
    b.prefix.names = lct_net_families_find(row)->names[0];
    if (lct_net_names_begin(&b.prefix, n->weights, path) != LOCANT_OK)
        return LOCANT_OK; /* files of the text alone */
    n->image_id = 151655;
    n->video_id = 151656;
    lct_config_integer(&n->image_id, n->config.root, "image_token_id");
    lct_config_integer(&n->video_id, n->config.root, "video_token_id");
    n->sight = tower = b.n = lct_net_keep(n, sizeof(*tower));
    LCT_NET_GOT(tower);
    *tower = (struct lct_net){ .config = n->config,
                               .weights = n->weights,
                               .family = lct_net_families_find(row),
                               .math = n->math,
                               .dtype = n->dtype,
                               .round_weights = n->round_weights };
    tower->config.text = json_object_get(n->config.root, "vision_config");
    tower->text.plan = &n->plan.towers[1];
    return bind_tower(tower, &b, n->width);
}

/* ---------------------------------------------------------------- reading */

int64_t lct_net_sight_size(int64_t size[3], const struct lct_net *n,
                           const struct lct_net_images *images, int64_t i)
{
    const struct lct_net_patches *p = n->sight->text.patches;

    size[0] = 1;
    if (images->grid != NULL) {
        memcpy(size, images->grid + 3 * i, 3 * sizeof(*size));
    } else {
        size[1] = images->height / p->side[0];
        size[2] = images->width / p->side[1];
    }
    return size[0] * (size[1] / p->merge) * (size[2] / p->merge);
}

static int64_t count_deep(const struct lct_net *tower)
{
    int64_t count = 0;

    for (int64_t i = 0; i < tower->text.n_layers; i++)
        count += tower->text.layers[i].deep != NULL;
    return count;
}

/* Rows by place to rows in reading order, frame by frame. */
static void put_groups(void *to, const void *from, const struct lct_net *n,
                       const struct lct_net_grid *g)
{
    const struct lct_net_math *m = n->math;
    const size_t bytes = (size_t)n->width * m->item;

    for (int64_t i = 0; i < g->frames * g->groups; i++) {
        const int64_t at = i / g->groups * g->groups + g->group[i % g->groups];

        memcpy(lct_net_math_at(m, to, at * n->width),
               lct_net_math_at(m, from, i * n->width), bytes);
    }
}

/* Tokens of one image, from 'first' on. */
static locant_status run_image(struct lct_net_seen *s, const struct lct_net *n,
                               struct lct_net_run *r, const int64_t size[3],
                               int64_t first, struct lct_net_tokens *t)
{
    const int64_t at = first * n->width;
    struct lct_net_room *room = &r->room;
    struct lct_net_grid g;
    void *rows;

    LCT_TRY(lct_net_grid_begin(&g, room, r->stack, size));
    rows = lct_net_take(room, g.frames * g.groups, n->width);
    r->deep = lct_net_take_items(room, s->n_deep, 1, sizeof(*r->deep));
    LCT_NET_GOT(r->deep);
    for (int64_t i = 0; i < s->n_deep; i++) {
        r->deep[i] = lct_net_take(room, g.frames * g.groups, n->width);
        LCT_NET_GOT(r->deep[i]);
    }
    t->grid = &g;
    LCT_TRY(lct_net_run_step(r, t));
    LCT_TRY(lct_net_merger_forward(rows, r->x, g.frames * g.groups,
                                   n->sight->merger, room));
    put_groups(lct_net_math_at(n->math, s->states, at), rows, n, &g);
    for (int64_t i = 0; i < s->n_deep; i++)
        put_groups(lct_net_math_at(n->math, s->deep[i], at), r->deep[i], n, &g);
    return LOCANT_OK;
}

static locant_status read_image(struct lct_net_seen *s, const struct lct_net *n,
                                const int64_t size[3], int64_t first,
                                struct lct_net_tokens t)
{
    struct lct_net_run r = { 0 };
    locant_status status;

    t.T = size[1] * size[2];
    status = lct_net_run_begin_stack(&r, n->sight, &n->sight->text, size[0],
                                     t.T, t.T);
    if (status == LOCANT_OK)
        status = run_image(s, n, &r, size, first, &t);
    lct_net_run_end(&r);
    return status;
}

static locant_status allocate(struct lct_net_seen *s, const struct lct_net *n)
{
    const size_t item = n->math->item;

    s->states = lct_net_zeros(s->tokens, n->width, item);
    LCT_NET_GOT(s->states);
    s->deep = lct_net_zeros(s->n_deep, 1, sizeof(*s->deep));
    LCT_NET_GOT(s->deep);
    for (int64_t i = 0; i < s->n_deep; i++) {
        s->deep[i] = lct_net_zeros(s->tokens, n->width, item);
        LCT_NET_GOT(s->deep[i]);
    }
    return LOCANT_OK;
}

locant_status lct_net_sight_read(struct lct_net_seen *s,
                                 const struct lct_net *n,
                                 const struct lct_net_images *images)
{
    const int64_t patch = n->sight->text.patches->map.w.in;
    const int64_t channels = n->sight->text.patches->channels;
    struct lct_net_tokens t = { .pixels = images->pixels,
                                .height = images->height,
                                .width = images->width };
    int64_t size[3], tokens;

    for (int64_t i = 0; i < images->n; i++)
        s->tokens += lct_net_sight_size(size, n, images, i);
    s->n_deep = count_deep(n->sight);
    LCT_TRY(allocate(s, n));
    for (int64_t i = 0, first = 0; i < images->n; i++, first += tokens) {
        tokens = lct_net_sight_size(size, n, images, i);
        LCT_TRY(read_image(s, n, size, first, t));
        t.pixels += images->height > 0
                        ? channels * images->height * images->width
                        : size[0] * size[1] * size[2] * patch;
    }
    return LOCANT_OK;
}

void lct_net_sight_free(struct lct_net_seen *s)
{
    for (int64_t i = 0; s->deep != NULL && i < s->n_deep; i++)
        locant_release(s->deep[i]);
    locant_release(s->deep);
    locant_release(s->states);
    *s = (struct lct_net_seen){ 0 };
}
