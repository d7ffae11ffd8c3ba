/* net_cache.c - keys and values of the tokens so far, and where these sit */
#include "net_cache.h"
#include "net_delta.h"
#include "net_math.h"
#include <math.h>
#include <string.h>

/* Do two layers have keys and values of one size? */
static bool alike(const struct lct_layer_plan *a,
                  const struct lct_layer_plan *b)
{
    return a->kv_heads == b->kv_heads && a->qk_dim == b->qk_dim &&
           a->v_dim == b->v_dim;
}

/* Keys and values, or a state, of layer i. */
static void take_layer(struct lct_net_cache *c, int64_t i,
                       const struct lct_net_stack *s, struct lct_net_room *room)
{
    const struct lct_net_layer *l = &s->layers[i];
    const struct lct_layer_plan *p = l->attention.plan;
    const struct lct_net_delta *d = l->delta;
    const int64_t rows = c->B * p->kv_heads;
    const size_t item = room->n->math->item;
    struct lct_net_slots *to = &c->layers[i];

    *to = (struct lct_net_slots){ .k = NULL };
    if (d != NULL) {
        to->state = lct_net_take(room, c->B * d->heads, d->keys * d->values);
        to->recent = lct_net_take(room, c->B * (d->kernel - 1),
                                  lct_net_delta_channels(d));
        return;
    }
    if (p->keys_of >= 0 || l->window != NULL)
        return; /* windows are rows of a cache of their own */
    if (i > 0 && s->patches != NULL && to[-1].k != NULL &&
        alike(p, s->layers[i - 1].attention.plan)) {
        *to = to[-1]; /* images are run whole, and once */
        return;
    }
    to->k =
        lct_net_take_items(room, rows, c->capacity, (size_t)p->qk_dim * item);
    to->v =
        lct_net_take_items(room, rows, c->capacity, (size_t)p->v_dim * item);
}

locant_status lct_net_cache_create(struct lct_net_cache **out,
                                   struct lct_net_room *room,
                                   const struct lct_net_stack *s, int64_t B,
                                   int64_t capacity)
{
    const size_t whole = sizeof(int64_t);
    struct lct_net_cache *c = lct_net_take_items(room, 1, 1, sizeof(*c));

    LCT_NET_GOT(c);
    *c =
        (struct lct_net_cache){ .B = B, .capacity = capacity, .axes = s->axes };
    c->positions = lct_net_take_items(room, B, capacity, whole);
    c->docs = lct_net_take_items(room, B, capacity, whole);
    c->coords = lct_net_take_items(room, B, capacity,
                                   (size_t)c->axes * sizeof(*c->coords));
    c->start = lct_net_take_items(room, B, 1, whole);
    c->layers = lct_net_take_items(room, s->n_layers, 1, sizeof(*c->layers));
    LCT_NET_GOT(c->layers);
    for (int64_t b = 0; b < B; b++)
        c->start[b] = -1;
    for (int64_t i = 0; i < s->n_layers; i++)
        take_layer(c, i, s, room);
    if (room->failed)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_model: no memory for keys and values");
    lct_net_cache_restart(c, s, room->n->math->item);
    *out = c;
    return LOCANT_OK;
}

/* The position of a slot of the cache, the largest of its coordinates. */
static int64_t position_at(const struct lct_net_cache *c, int64_t at)
{
    double most = (double)c->positions[at];

    for (int a = 0; c->given && a < c->axes; a++)
        most = fmax(most, c->coords[at * c->axes + a]);
    return (int64_t)most;
}

/* The position of slot 's' of row b, counted as the tower says. */
static int64_t counted(const struct lct_net_cache *c, enum lct_plan_ids ids,
                       int64_t b, int64_t s, bool real)
{
    const int64_t *docs = c->docs + b * c->capacity;
    int64_t last = s - 1, before;

    if (ids == LCT_IDS_ARANGE && !c->given)
        return s;
    while (last >= 0 && docs[last] != 0)
        last--;
    if (last < 0)
        return 0;
    before = position_at(c, b * c->capacity + last);
    return real ? before + 1 : before;
}

static void append_row(struct lct_net_cache *c, enum lct_plan_ids ids,
                       int64_t b, int64_t T, const int64_t *mask)
{
    for (int64_t t = 0; t < T; t++) {
        const int64_t s = c->length + t, at = b * c->capacity + s;
        const bool real = mask == NULL || mask[t] != 0;

        c->docs[at] = real ? 0 : -1;
        c->padded = c->padded || !real;
        if (real && c->start[b] < 0)
            c->start[b] = s;
        c->positions[at] = counted(c, ids, b, s, real);
        for (int a = 0; a < c->axes; a++)
            c->coords[at * c->axes + a] = (double)c->positions[at];
    }
}

void lct_net_cache_append(struct lct_net_cache *c, enum lct_plan_ids ids,
                          int64_t T, const int64_t *mask, const int64_t *given,
                          int64_t stride, int64_t axis)
{
    for (int64_t b = 0; b < c->B; b++) {
        append_row(c, ids, b, T, mask == NULL ? NULL : mask + b * stride);
        for (int64_t t = 0; given != NULL && t < T; t++) {
            const int64_t at = b * c->capacity + c->length + t;

            c->positions[at] = given[b * stride + t];
            for (int a = 0; a < c->axes; a++)
                c->coords[at * c->axes + a] =
                    (double)given[a * axis + b * stride + t];
        }
    }
    c->given = c->given || given != NULL;
    c->coordinates = c->coordinates || given != NULL || c->axes > 1;
    c->length += T;
}

void lct_net_cache_restart(struct lct_net_cache *c,
                           const struct lct_net_stack *s, size_t item)
{
    for (int64_t i = 0; i < s->n_layers; i++) {
        const struct lct_net_delta *d = s->layers[i].delta;

        if (d == NULL)
            continue;
        memset(c->layers[i].state, 0,
               (size_t)(c->B * d->heads * d->keys * d->values) * item);
        memset(c->layers[i].recent, 0,
               (size_t)(c->B * (d->kernel - 1) * lct_net_delta_channels(d)) *
                   item);
    }
}
