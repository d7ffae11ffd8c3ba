/* net_learned.c - what the encoding of a layer has learned, from its tensors */
#include "net_learned.h"
#include "net_math.h"
#include <string.h>

/* A parameter of an encoding and the tensor that has it. */
static const struct row {
    const char *param;
    enum lct_net_role role;
    const char *suffix;
} rows[] = {
    { "table", LCT_TABLE, ".weight" },
};

static const struct row *find(const char *param)
{
    const char *dot = strrchr(param, '.'); /* "t5.table" of a sum */

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].param, dot != NULL ? dot + 1 : param) == 0)
            return &rows[i];
    return NULL;
}

static int64_t product(const int64_t *shape, int rank)
{
    int64_t all = 1;

    for (int i = 0; i < rank; i++)
        all *= shape[i];
    return all;
}

/* Tables that all layers share stand in layer 0. */
static locant_status bind_param(locant_tensor *out, struct lct_net_binder *b,
                                const locant_param_info *info, int64_t layer)
{
    const struct row *row = find(info->name);
    struct lct_net_place at = { .part = -1 };
    const struct lct_weight *w;
    void *numbers;

    if (row == NULL || lct_net_names_role(&b->prefix, row->role) == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no tensor is known for the parameter %s of an "
                           "encoding",
                           b->n->config.file, info->name);
    at.role = row->role;
    at.layer = info->per_layer ? layer : 0;
    w = lct_net_bind_find(b, at, "");
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, at, row->suffix));
    if (product(w->shape, w->rank) != product(info->shape, info->rank))
        return lct_net_bind_shape(w, info->rank, info->shape);
    LCT_TRY(lct_net_bind_vector(&numbers, b->n, w,
                                product(info->shape, info->rank), 0));
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
