/* convert_back_items.c - see convert_back_items.h */
#include "convert_back_items.h"
#include <stdio.h>
#include <string.h>

enum { EXPERTS_MAX = 1 << 16 };

/* Vectors stay as they are; quantised numbers become F32 unless another type is
   asked for. */
static const struct lct_number *type_of(const struct lct_convert_back_items *w,
                                        const struct lct_weight *t)
{
    if (t->type->safetensors && (w->type == NULL || t->rank < 2))
        return t->type;
    return w->type ? w->type : lct_number_named("F32");
}

/* The entry of item i: its shape is that of the tensor, or of one expert. */
static void set_entry(struct lct_convert_back_items *w, size_t i)
{
    struct lct_convert_back_item *item = &w->at[i];
    const struct lct_weight *t = item->weight;
    struct lct_entry *e = &w->entries[i];
    const int cut = item->expert >= 0;
    const struct lct_convert_latent *l = &item->latent;
    int64_t n = 1;

    e->name = item->name;
    e->type = type_of(w, t);
    e->tensor.rank = t->rank - cut;
    for (int k = cut; k < t->rank; k++)
        e->tensor.shape[k - cut] = t->shape[k];
    if (item->values != NULL) {
        e->tensor.rank = 2;
        e->tensor.shape[0] = l->heads * (l->nope + l->values);
        e->tensor.shape[1] = l->rank;
    }
    for (int k = 0; k < e->tensor.rank; k++)
        n *= e->tensor.shape[k];
    e->bytes = (size_t)n * e->type->bytes;
    e->begin = i > 0 ? w->entries[i - 1].begin + w->entries[i - 1].bytes : 0;
    item->bytes =
        cut && t->shape[0] > 0 ? t->bytes / (size_t)t->shape[0] : t->bytes;
}

/* Half 'role' of a layer's kv_b; NULL: it is absent. */
static const struct lct_weight *
find_half(const struct lct_convert_back_items *w, int64_t layer,
          enum lct_net_role role)
{
    const struct lct_net_names *names = w->names.gguf[0];
    char name[LCT_CONVERT_GGUF_NAME];

    snprintf(name, sizeof name, "%s%lld.%s.weight", lct_net_names_layer(names),
             (long long)layer, lct_net_names_of(names, role));
    return lct_weights_find(w->c->weights, name);
}

static bool are_halves(const struct lct_weight *k, const struct lct_weight *v,
                       const struct lct_convert_latent *l)
{
    return k->rank == 3 && v->rank == 3 && l->nope > 0 &&
           k->shape[0] == l->heads && k->shape[2] == l->nope &&
           v->shape[0] == l->heads && v->shape[1] == l->values &&
           v->shape[2] == l->rank;
}

/* k_b and v_b, of which 't' is one, become one item, whose shapes must be those
   of the heads. */
static locant_status join_halves(struct lct_convert_back_items *w,
                                 struct lct_convert_back_item *i,
                                 const struct lct_weight *t, int64_t layer)
{
    const struct lct_weight *k = find_half(w, layer, LCT_K_B);
    const struct lct_weight *v = find_half(w, layer, LCT_V_B);
    struct lct_convert_latent *l = &i->latent;

    if (layer >= w->c->tower->n_layers)
        return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, t,
                               "is of no layer of the configuration");
    if (k == NULL || v == NULL)
        return lct_weight_fail(
            LOCANT_ERR_UNSUPPORTED, t,
            "is half of a matrix whose other half, attn_%s_b, is absent",
            k ? "v" : "k");
    if (t == v) /* written with k_b */
        return LOCANT_OK;
    *l = lct_convert_latent_of(&w->c->tower->layers[layer],
                               w->c->parts.heads[layer].dims,
                               k->rank == 3 ? k->shape[1] : 0);
    if (!are_halves(k, v, l))
        return lct_weight_fail(
            LOCANT_ERR_UNSUPPORTED, k,
            "is no part of kv_b with attn_v_b: [heads, rank, "
            "channels] and [heads, values, rank] expected");
    if (v->type != k->type && !lct_number_store(NULL, type_of(w, k), NULL, 0))
        return lct_weight_fail(
            LOCANT_ERR_UNSUPPORTED, v,
            "numbers of another type than those of attn_k_b");
    i->weight = k;
    i->values = v;
    i->expert = -1;
    set_entry(w, w->n++);
    return LOCANT_OK;
}

/* Items of one tensor: one, or one for each expert. */
static locant_status add_tensor(struct lct_convert_back_items *w,
                                const struct lct_weight *t)
{
    struct lct_convert_gguf_name name;
    int64_t n = 1;

    for (int64_t e = 0; e < n; e++) {
        struct lct_convert_back_item *i = &w->at[w->n];

        lct_convert_gguf_back(&name, t->name, e, &w->names);
        memcpy(i->name, name.name, sizeof i->name);
        if (name.role == LCT_K_B || name.role == LCT_V_B)
            return join_halves(w, i, t, name.layer);
        switch (name.kind) {
        case LCT_CONVERT_GGUF_UNKNOWN:
            return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, t,
                                   "has no name in safetensors of its family");
        case LCT_CONVERT_GGUF_LEFT_OUT: return LOCANT_OK;
        case LCT_CONVERT_GGUF_EXPERT:
            if (t->rank != 3 || t->shape[0] > EXPERTS_MAX)
                return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, t,
                                       "stacks no experts: rank 3, and at most "
                                       "65536 of them expected");
            n = t->shape[0];
            i->expert = e;
            break;
        default:
            i->expert = -1;
            if (t->rank > 2)
                return lct_weight_fail(
                    LOCANT_ERR_UNSUPPORTED, t,
                    "is no matrix and no vector, as its name "
                    "says");
        }
        i->weight = t;
        i->part = lct_convert_parts_of(&w->c->parts, t);
        set_entry(w, w->n++);
    }
    return LOCANT_OK;
}

/* How many items there can be. */
static size_t count(const struct lct_weights *weights)
{
    const struct lct_weight *t;
    size_t n = 1;

    for (size_t i = 0; (t = lct_weights_at(weights, i)) != NULL; i++)
        n += t->rank == 3 && t->shape[0] <= EXPERTS_MAX ? (size_t)t->shape[0]
                                                        : 1;
    return n;
}

locant_status lct_convert_back_items_list(struct lct_convert_back_items *w)
{
    const size_t room = count(w->c->weights);
    const struct lct_weight *t;

    w->at = locant_alloc(room * sizeof *w->at);
    w->entries = locant_alloc(room * sizeof *w->entries);
    if (!w->at || !w->entries)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_model_convert: no memory for tensors");
    for (size_t i = 0; (t = lct_weights_at(w->c->weights, i)) != NULL; i++)
        LCT_TRY(add_tensor(w, t));
    return LOCANT_OK;
}
