/* net_share.c - see net_share.h */
#include "net_share.h"
#include "net_math.h"
#include <string.h>

/* ----------------------------------------------------------------- memory */

void lct_net_share_begin(struct lct_net_share *s, const locant_group *group)
{
    s->group = lct_group_watch(&s->watched, group);
}

/* Numbers of a token that layer i exchanges, one exchange after the other;
   returns how many there are. */
static int exchanges_of(int64_t each[2], const struct lct_net *n, int64_t i)
{
    const struct lct_net_layer *l = &n->text.layers[i];
    const struct lct_layer_plan *p = l->attention.plan;
    int count = 0;

    if (i == 0 && n->text.convolution != NULL)
        each[count++] = n->width;
    if (l->delta != NULL)
        each[count++] = l->width;
    else if (p->keys_of < 0)
        each[count++] = p->kv_heads * (p->qk_dim + p->v_dim);
    return count;
}

locant_status lct_net_share_reserve(struct lct_net_share *s,
                                    struct lct_net_room *room, int64_t B,
                                    int64_t capacity, int64_t most)
{
    const struct lct_net *n = room->n;
    int64_t widest = 0, each[2];

    for (int64_t i = 0; i < n->text.n_layers; i++)
        for (int k = exchanges_of(each, n, i); k > 0; k--)
            widest = each[k - 1] > widest ? each[k - 1] : widest;
    s->numbers = lct_net_take(room, B * most, widest);
    s->slots = lct_net_take_items(room, capacity, 1, sizeof(*s->slots));
    LCT_NET_GOT(s->slots);
    for (int64_t i = 0; i < capacity; i++)
        s->slots[i] = i;
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- cuts */

/* Cuts are at multiples of so many tokens if ranks have MANY: queries of
   attention go in tiles of them. */
enum { TILE = 64, MANY = 256 };

static double size_of(const struct lct_net_linear *l)
{
    return l->w.weight != NULL ? (double)l->w.out * (double)l->w.in : 0;
}

static double size_of_mlp(const struct lct_net_mlp *m)
{
    return size_of(&m->gate) + size_of(&m->up) + size_of(&m->down);
}

/* Products of a token with the matrices of a layer. */
static double products_of(const struct lct_net_layer *l)
{
    const struct lct_net_attention *a = &l->attention;
    double sum = size_of(&a->q) + size_of(&a->k) + size_of(&a->v) +
                 size_of(&a->o) + size_of(&a->gate) + size_of_mlp(&l->mlp);

    if (a->latent != NULL)
        sum += size_of(&a->latent->q_a) + size_of(&a->latent->q_b) +
               size_of(&a->latent->kv_a) + size_of(&a->latent->kv_b) +
               size_of(&a->latent->k_b) + size_of(&a->latent->v_b);
    if (l->experts != NULL)
        sum += (double)l->experts->top_k * size_of_mlp(&l->experts->mlp[0]) +
               size_of_mlp(&l->experts->shared);
    return sum;
}

/* Products of token t with the keys that it sees in a layer. */
static double seen_of(const struct lct_net_layer *l, int64_t t)
{
    const struct lct_layer_plan *p = l->attention.plan;
    int64_t keys = t + 1;

    if (l->delta != NULL || p->mask != LCT_CAUSAL)
        return 0; /* as much for each token */
    if (l->attention.window > 0 && l->attention.window < keys)
        keys = l->attention.window;
    if (p->chunk > 0 && p->chunk < keys)
        keys = p->chunk;
    return (double)keys * (double)(p->heads * (p->qk_dim + p->v_dim));
}

static double cost_of(const struct lct_net *n, double products, int64_t t)
{
    double sum = products;

    for (int64_t i = 0; i < n->text.n_layers; i++)
        sum += seen_of(&n->text.layers[i], t);
    return sum;
}

void lct_net_share_cut(struct lct_net_share *s, const struct lct_net *n,
                       int64_t from, int64_t T)
{
    const int size = s->group->size;
    const int64_t unit = T / size >= MANY ? TILE : 1;
    double products = size_of(&n->head), all = 0, sum = 0;
    int r = 1;

    for (int64_t i = 0; i < n->text.n_layers; i++)
        products += products_of(&n->text.layers[i]);
    for (int64_t t = 0; t < T; t++)
        all += cost_of(n, products, from + t);
    s->begin[0] = 0;
    for (int64_t t = 0; t < T; t++) {
        for (; r < size && sum >= all * r / size && t % unit == 0; r++)
            s->begin[r] = t;
        sum += cost_of(n, products, from + t);
    }
    for (; r <= size; r++)
        s->begin[r] = T;
}

int64_t lct_net_share_most(struct lct_net_share *s, const struct lct_net *n,
                           int64_t capacity, int64_t most)
{
    int64_t own = 0;

    for (int64_t t = 0, T; t < capacity; t += T) {
        T = capacity - t < most ? capacity - t : most;
        lct_net_share_cut(s, n, n->s.memory + t, T);
        if (lct_net_share_tokens(s, s->group->rank) > own)
            own = lct_net_share_tokens(s, s->group->rank);
    }
    return own;
}

int64_t lct_net_share_tokens(const struct lct_net_share *s, int r)
{
    return s->begin[r + 1] - s->begin[r];
}

/* --------------------------------------------------------------- exchanges */

void *lct_net_share_part(const struct lct_net_share *s, int r)
{
    return s->numbers + s->bytes[r];
}

void *lct_net_share_place(struct lct_net_share *s, int64_t B, size_t bytes_each)
{
    for (int r = 0; r <= s->group->size; r++)
        s->bytes[r] = (size_t)(B * s->begin[r]) * bytes_each;
    return lct_net_share_part(s, s->group->rank);
}

locant_status lct_net_share_gather(struct lct_net_share *s)
{
    s->exchanges++;
    return lct_group_gather(s->numbers, s->bytes, s->group);
}

locant_status lct_net_share_rows(void *all, const void *x,
                                 struct lct_net_share *s,
                                 const struct lct_net_math *math, int64_t B,
                                 int64_t width)
{
    const size_t each = (size_t)width * math->item;
    const int64_t T = s->begin[s->group->size];
    void *own = lct_net_share_place(s, B, each);

    memcpy(own, x,
           (size_t)(B * lct_net_share_tokens(s, s->group->rank)) * each);
    LCT_TRY(lct_net_share_gather(s));
    for (int r = 0; r < s->group->size; r++) {
        const size_t bytes = (size_t)lct_net_share_tokens(s, r) * each;

        for (int64_t b = 0; b < B; b++)
            memcpy((char *)all + (size_t)(b * T + s->begin[r]) * each,
                   (char *)lct_net_share_part(s, r) + (size_t)b * bytes, bytes);
    }
    return LOCANT_OK;
}

locant_status lct_net_share_skip(struct lct_net_share *s,
                                 const struct lct_net *n, int64_t i, int64_t B)
{
    int64_t each[2];
    const int count = exchanges_of(each, n, i);

    if (s->watched.broken)
        return lct_group_held(&s->held);
    while (s->exchanges < count) {
        lct_net_share_place(s, B, (size_t)each[s->exchanges] * n->math->item);
        LCT_TRY(lct_net_share_gather(s));
    }
    return LOCANT_OK;
}

locant_status lct_net_share_agree(struct lct_net_share *s)
{
    const locant_status status = lct_group_held(&s->held);

    return s->watched.broken ? status : lct_group_agree(status, s->group);
}
