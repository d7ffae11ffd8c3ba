/* plan_sizes.c - layers, heads and their widths of a decoder */
#include "plan_sizes.h"
#include "plan_tower.h"
#include <inttypes.h>

static locant_status kv_heads(struct lct_plan_sizes *n, struct lct_plan_keys *k)
{
    const char *key = k->family->names->kv_heads;
    const int64_t fallback =
        k->family->kv_heads > 0 && !lct_plan_keys_null(k, key)
            ? k->family->kv_heads
            : n->heads;

    LCT_TRY(lct_plan_keys_whole(&n->kv_heads, k, "kv_heads", key, fallback, 1));
    if (n->heads % n->kv_heads == 0)
        return LOCANT_OK;
    return locant_fail(
        LOCANT_ERR_FORMAT,
        "%s: %s is %" PRId64 " and %s %" PRId64 ", expected a multiple of it",
        k->plan->file, k->family->names->heads, n->heads, key, n->kv_heads);
}

static locant_status latent_sizes(struct lct_plan_sizes *n,
                                  struct lct_plan_keys *k)
{
    int64_t nope;

    LCT_TRY(lct_plan_keys_whole(
        &nope, k, "qk_nope_head_dim", "qk_nope_head_dim",
        k->family->nope_dim > 0 ? k->family->nope_dim : 128, 0));
    LCT_TRY(lct_plan_keys_whole(&n->rope_dim, k, "qk_rope_head_dim",
                                "qk_rope_head_dim", 64, 2));
    LCT_TRY(
        lct_plan_keys_whole(&n->v_dim, k, "v_head_dim", "v_head_dim", 128, 1));
    n->head_dim = nope + n->rope_dim;
    n->kv_heads = n->heads;
    return LOCANT_OK;
}

static locant_status head_size(struct lct_plan_sizes *n,
                               struct lct_plan_keys *k)
{
    const int64_t derived = n->hidden / n->heads;
    const bool null = lct_plan_keys_null(k, "head_dim");
    const bool given = json_object_get(k->object, "head_dim") != NULL && !null;

    if (!given && (k->family->head_dim == 0 || null) && derived < 1)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: %s is %" PRId64 " and %s %" PRId64
                           ", expected no more heads than channels",
                           k->plan->file, k->family->names->hidden, n->hidden,
                           k->family->names->heads, n->heads);
    if (given || (k->family->head_dim > 0 && !null))
        LCT_TRY(lct_plan_keys_whole(&n->head_dim, k, "head_dim", "head_dim",
                                    k->family->head_dim, 1));
    else {
        n->head_dim = derived;
        LCT_TRY(lct_plan_keys_note(k, "head_dim", "", LCT_DERIVED, "%" PRId64,
                                   derived));
    }
    n->v_dim = n->rope_dim = n->head_dim;
    return LOCANT_OK;
}

locant_status lct_plan_sizes_read(struct lct_plan_sizes *n,
                                  struct lct_plan_keys *k)
{
    const struct lct_family *f = k->family;
    const struct lct_family_names *names = f->names;
    struct lct_position_plan *p = k->plan;

    LCT_TRY(lct_plan_tower_size(&n->layers, k, "layers", names->layers,
                                "num_hidden_layers", f->layers));
    LCT_TRY(lct_plan_tower_count(k, names->layers, n->layers));
    LCT_TRY(lct_plan_tower_size(&n->hidden, k, "hidden", names->hidden,
                                "hidden_size", f->hidden));
    LCT_TRY(lct_plan_tower_size(&n->heads, k, "heads", names->heads,
                                "num_attention_heads", f->heads));
    LCT_TRY(lct_plan_tower_size(&n->length, k, "length", names->length,
                                "max_position_embeddings", f->length));
    p->length_config = p->length_trained = n->length;
    if (f->flags & LCT_MLA)
        return latent_sizes(n, k);
    LCT_TRY(kv_heads(n, k));
    return head_size(n, k);
}
