/* net_learned.c - what the encoding of a layer has learned, from its tensors */
#include "net_learned.h"
#include "net_math.h"
#include <string.h>

/* A parameter of an encoding and the tensor that has it, of which there may be
   several: the first that the file has counts. */
struct row {
    const char *param;
    enum lct_net_role role;
    const char *suffix;
};

/* clang-format off */
static const struct row rows[] = {
    { "table", LCT_REL_TABLE, ".weight" },
    { "table", LCT_TABLE, ".weight" },
    { "table", LCT_TABLE, "" },
    { "key", LCT_POS_K, ".weight" },
    { "key", LCT_K, ".weight" },
    { "query", LCT_POS_Q, ".weight" },
    { "query", LCT_Q, ".weight" },
    { "key_bias", LCT_POS_K, ".bias" },
    { "key_bias", LCT_K, ".bias" },
    { "query_bias", LCT_POS_Q, ".bias" },
    { "query_bias", LCT_Q, ".bias" },
    { "norm_weight", LCT_REL_NORM, ".weight" },
    { "norm_bias", LCT_REL_NORM, ".bias" },
};
/* clang-format on */

/* Of rows for this parameter the first whose tensor there is, else the last of
   a role that the family has; NULL: none. */
static const struct row *find(const struct lct_net_binder *b, const char *param,
                              int64_t layer)
{
    const char *dot = strrchr(param, '.'); /* "t5.table" of a sum */
    const struct row *last = NULL;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct lct_net_place at = { rows[i].role, layer, -1 };

        if (strcmp(rows[i].param, dot != NULL ? dot + 1 : param) != 0 ||
            lct_net_names_role(&b->prefix, rows[i].role) == NULL)
            continue;
        last = &rows[i];
        if (lct_net_bind_find(b, at, rows[i].suffix) != NULL)
            break;
    }
    return last;
}

static int64_t product(const int64_t *shape, int rank)
{
    int64_t all = 1;

    for (int i = 0; i < rank; i++)
        all *= shape[i];
    return all;
}

/* Tables that all layers share may stand in layer 0. */
static locant_status bind_param(locant_tensor *out, struct lct_net_binder *b,
                                const locant_param_info *info, int64_t layer)
{
    const int64_t of = info->per_layer ? layer : 0;
    const int64_t count = product(info->shape, info->rank);
    const struct row *row = find(b, info->name, of);
    const struct lct_weight *w;
    void *numbers;

    if (row == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no tensor is known for the parameter %s of an "
                           "encoding",
                           b->n->config.file, info->name);
    LCT_TRY(lct_net_bind_need(
        &w, b, (struct lct_net_place){ row->role, of, -1 }, row->suffix));
    if (product(w->shape, w->rank) != count)
        return lct_net_bind_shape(w, info->rank, info->shape);
    LCT_TRY(lct_net_bind_vector(&numbers, b->n, w, count, 0));
    *out = locant_dense(numbers, b->n->dtype, info->rank, info->shape);
    return LOCANT_OK;
}

locant_status lct_net_learned_bind(struct lct_net_attention *a,
                                   struct lct_net_binder *b, int64_t layer)
{
    const locant_sizes sizes = { .width = b->n->width,
                                 .heads = a->plan->heads,
                                 .kv_heads = a->plan->kv_heads,
                                 .head_dim = a->plan->qk_dim };
    locant_param_info info;
    int n = 0;

    if (a->encoding == NULL)
        return LOCANT_OK;
    while (locant_encoding_param(&info, a->encoding, n, &sizes))
        n++;
    if (n == 0)
        return LOCANT_OK;
    a->params = lct_net_keep(b->n, (size_t)n * sizeof(*a->params));
    if (a->params == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (a->n_params = 0; a->n_params < n; a->n_params++) {
        locant_encoding_param(&info, a->encoding, a->n_params, &sizes);
        LCT_TRY(bind_param(&a->params[a->n_params], b, &info, layer));
    }
    return LOCANT_OK;
}
