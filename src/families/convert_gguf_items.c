/* convert_gguf_items.c - see convert_gguf_items.h */
#include "convert_gguf_items.h"
#include "net_bind.h"
#include "../core/text.h"
#include <stdio.h>
#include <string.h>

const struct lct_weight *
lct_convert_gguf_items_expert(const struct lct_convert_gguf_items *l,
                              const struct lct_convert_gguf_item *i, int64_t e)
{
    char name[512];
    const char *rest = i->weight->name + i->mark;
    const int n =
        snprintf(name, sizeof name, "%.*s%lld%s", (int)i->mark, i->weight->name,
                 (long long)e, rest + strspn(rest, "0123456789"));

    return n > 0 && n < (int)sizeof name ? lct_weights_find(l->c->weights, name)
                                         : NULL;
}

/* Count the experts, which must be alike. */
static locant_status count_experts(struct lct_convert_gguf_item *i,
                                   const struct lct_convert_gguf_items *l)
{
    const struct lct_weight *t;

    for (i->experts = 1;
         (t = lct_convert_gguf_items_expert(l, i, i->experts)) != NULL;
         i->experts++)
        if (t->type != i->weight->type || t->rank != i->weight->rank ||
            memcmp(t->shape, i->weight->shape, sizeof t->shape) != 0)
            return lct_weight_fail(LOCANT_ERR_FORMAT, t,
                                   "its type or shape is not that of expert 0");
    return LOCANT_OK;
}

/* Vectors, what chooses experts and tables that are added to embeddings are
   F32, tables of distances as they are; a row that is not of whole blocks is
   F16. */
static const struct lct_number *type_of(const struct lct_convert_gguf_items *l,
                                        const struct lct_convert_gguf_item *i)
{
    const bool round = l->type && strstr(i->name, "attn_rel_b") == NULL;
    const struct lct_number *type = round ? l->type : i->weight->type;
    const int64_t row = i->rank > 0 ? i->shape[i->rank - 1] : 1;
    static const char *const kept[] = { "ffn_gate_inp", "_norm.",
                                        "position_embd", "token_types" };
    bool small = i->rank < 2;

    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        small = small || strstr(i->name, kept[k]) != NULL;
    if (small)
        return lct_number_named("F32");
    return row % type->elements == 0 ? type : lct_number_named("F16");
}

/* Fail unless the tensor can be what its name says. */
static locant_status check_tensor(const struct lct_weight *t,
                                  const struct lct_convert_gguf_name *name)
{
    if (name->kind == LCT_CONVERT_GGUF_UNKNOWN)
        return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, t,
                               "has no name in GGUF files of its architecture");
    if (t->type->gguf < 0)
        return lct_weight_fail(
            LOCANT_ERR_UNSUPPORTED, t,
            "numbers of this type are not written to GGUF; save "
            "them as BF16 first");
    if (t->rank > 2 || (t->rank < 2 && (name->kind == LCT_CONVERT_GGUF_EXPERT ||
                                        name->role == LCT_KV_B)))
        return lct_weight_fail(LOCANT_ERR_FORMAT, t,
                               "is no matrix and no vector, as its name says");
    if (t->bytes == 0)
        return lct_weight_fail(
            LOCANT_ERR_UNSUPPORTED, t,
            "has no numbers; GGUF files have no such tensors");
    return LOCANT_OK;
}

/* kv_b becomes two items: of keys, and of values. */
static locant_status add_halves(struct lct_convert_gguf_items *l,
                                const struct lct_weight *t,
                                const struct lct_convert_gguf_name *name)
{
    static const enum lct_net_role halves[] = { LCT_K_B, LCT_V_B };
    const int64_t n = name->layer;
    const struct lct_convert_latent sizes = lct_convert_latent_of(
        &l->c->tower->layers[n], l->c->parts.heads[n].dims, t->shape[1]);

    if (sizes.nope < 1 ||
        t->shape[0] != sizes.heads * (sizes.nope + sizes.values))
        return lct_weight_fail(
            LOCANT_ERR_FORMAT, t,
            "its rows are not those of keys and values of the "
            "heads that the configuration says");
    for (int k = 0; k < 2; k++) {
        struct lct_convert_gguf_item *i = &l->at[l->n++];

        *i = (struct lct_convert_gguf_item){
            .weight = t,
            .half = halves[k],
            .latent = sizes,
            .rank = 3,
            .shape = { sizes.heads, k ? sizes.values : sizes.rank,
                       k ? sizes.rank : sizes.nope }
        };
        snprintf(i->name, sizeof i->name, "%s%lld.%s.weight",
                 lct_net_names_layer(l->names.gguf[0]), (long long)n,
                 lct_net_names_of(l->names.gguf[0], halves[k]));
        i->type = type_of(l, i);
    }
    return LOCANT_OK;
}

/* Is it a bias that the configuration denies? */
static bool is_denied(const struct lct_convert_gguf_items *l,
                      const struct lct_weight *t,
                      const struct lct_convert_gguf_name *name)
{
    return name->role != LCT_ROLES && lct_ends_with(t->name, ".bias") &&
           lct_net_bind_denies(&l->net, name->role);
}

static locant_status add_item(struct lct_convert_gguf_items *l,
                              const struct lct_weight *t)
{
    struct lct_convert_gguf_item *i = &l->at[l->n];
    struct lct_convert_gguf_name name;

    lct_convert_gguf_name(&name, t->name, &l->names);
    if (name.kind == LCT_CONVERT_GGUF_LEFT_OUT)
        return LOCANT_OK;
    if (is_denied(l, t, &name))
        l->denied = t;
    if (name.kind == LCT_CONVERT_GGUF_LOST ||
        (l->net.latent && name.layer >= l->c->tower->n_layers)) {
        l->c->lost++;
        return LOCANT_OK;
    }
    LCT_TRY(check_tensor(t, &name));
    if (name.role == LCT_KV_B)
        return add_halves(l, t, &name);
    memcpy(i->name, name.name, sizeof i->name);
    i->weight = t;
    i->mark = name.mark ? (size_t)(name.mark - t->name) : 0;
    if (name.expert > 0) /* written with expert 0, which counts them */
        return lct_convert_gguf_items_expert(l, i, name.expert - 1)
                   ? LOCANT_OK
                   : lct_weight_fail(LOCANT_ERR_FORMAT, t,
                                     "the expert before it is absent");
    i->part = lct_convert_parts_of(&l->c->parts, t);
    i->rank = t->rank;
    memcpy(i->shape, t->shape, sizeof i->shape);
    if (name.role == LCT_POSITIONS) {
        i->first = lct_convert_gguf_first_row(l->c);
        i->shape[0] -= i->first;
        if (i->shape[0] < 1)
            return lct_weight_fail(LOCANT_ERR_FORMAT, t,
                                   "has no row behind that of padding");
    }
    if (name.kind == LCT_CONVERT_GGUF_EXPERT) {
        LCT_TRY(count_experts(i, l));
        memmove(i->shape + 1, i->shape, 3 * sizeof *i->shape);
        i->shape[0] = i->experts;
        i->rank++;
    }
    i->type = type_of(l, i);
    l->n++;
    return LOCANT_OK;
}

locant_status lct_convert_gguf_items_list(struct lct_convert_gguf_items *l)
{
    const struct lct_weight *t;
    size_t n = 0;

    while (lct_weights_at(l->c->weights, n) != NULL)
        n++;
    l->at = locant_alloc((2 * n + LCT_CONVERT_GGUF_EXTRAS + 1) * sizeof *l->at);
    if (l->at == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a GGUF file");
    for (size_t i = 0; (t = lct_weights_at(l->c->weights, i)) != NULL; i++)
        LCT_TRY(add_item(l, t));
    return LOCANT_OK;
}
