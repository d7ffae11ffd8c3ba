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
    bool across; /* the tensor is the transpose */
};

/* clang-format off */
static const struct row known[] = {
    { "table", LCT_REL_TABLE, ".weight", false },
    { "table", LCT_TABLE, ".weight", false },
    { "table", LCT_TABLE, "", false },
    { "key", LCT_POS_K, ".weight", false },
    { "key", LCT_K, ".weight", false },
    { "query", LCT_POS_Q, ".weight", false },
    { "query", LCT_Q, ".weight", false },
    { "key_bias", LCT_POS_K, ".bias", false },
    { "key_bias", LCT_K, ".bias", false },
    { "query_bias", LCT_POS_Q, ".bias", false },
    { "query_bias", LCT_Q, ".bias", false },
    { "norm_weight", LCT_REL_NORM, ".weight", false },
    { "norm_bias", LCT_REL_NORM, ".bias", false },
    { "projection", LCT_POS_MAP, ".weight", false },
    { "u", LCT_POS_U, "", false },
    { "u", LCT_SHARED_U, "", false },
    { "v", LCT_POS_V, "", false },
    { "v", LCT_SHARED_V, "", false },
    { "w1", LCT_NET_W1, ".weight", true },
    { "b1", LCT_NET_W1, ".bias", false },
    { "w2", LCT_NET_W2, ".weight", true },
    { "log_scale", LCT_LOGIT_SCALE, "", false },
};
/* clang-format on */

/* Of rows for this parameter the first whose tensor there is, else the last of
   a role that the family has; NULL: none. */
static const struct row *find(const struct lct_net_binder *b, const char *param,
                              int64_t layer)
{
    const char *dot = strrchr(param, '.'); /* "t5.table" of a sum */
    const struct row *last = NULL;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct lct_net_place at = { known[i].role, layer, -1 };
        const bool own = at.role == LCT_POS_K || at.role == LCT_POS_Q;

        if (strcmp(known[i].param, dot != NULL ? dot + 1 : param) != 0 ||
            lct_net_names_role(&b->prefix, known[i].role) == NULL)
            continue;
        if (own && b->s.shared_maps)
            continue;
        last = &known[i];
        if (own || lct_net_bind_find(b, at, known[i].suffix) != NULL)
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

/* Numbers of a tensor [n, m] in the order of [m, n], the shape of x. */
static locant_status transpose(locant_tensor *x, struct lct_net *n)
{
    const int64_t rows = x->shape[0], columns = x->shape[1];
    void *to = lct_net_keep(n, (size_t)(rows * columns) * n->math->item);

    if (to == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    for (int64_t i = 0; i < rows * columns; i++)
        n->math->set(to, i,
                     n->math->get(x->data, i % columns * rows + i / columns));
    x->data = to;
    return LOCANT_OK;
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
        return lct_net_bind_shape(b->n, w, info->rank, info->shape);
    LCT_TRY(lct_net_bind_vector(&numbers, b->n, w, count, 0));
    *out = locant_dense(numbers, b->n->dtype, info->rank, info->shape);
    return row->across ? transpose(out, b->n) : LOCANT_OK;
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
