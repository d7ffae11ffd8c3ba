/* net_attention_bind.c - the tensors, the encoding and the window of the
   attention of one layer */
#include "net_attention_bind.h"
#include "net_latent.h"
#include "net_math.h"
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------- learned by encodings */

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

/* Do encodings read the tensor of this role?  Their keys and queries are mapped
   as those of tokens are, or by maps of their own. */
static bool is_read(const struct lct_net_binder *b, enum lct_net_role role)
{
    const bool own = role == LCT_POS_K || role == LCT_POS_Q;
    const bool shared = role == LCT_K || role == LCT_Q;

    return lct_net_bind_knows(b, role) && !(b->n->s.shared_maps ? own : shared);
}

/* Of rows for this parameter the first whose tensor there is, else the last of
   a role that is read; NULL: none. */
static const struct row *find(const struct lct_net_binder *b, const char *param)
{
    const char *dot = strrchr(param, '.'); /* "t5.table" of a sum */
    const struct row *last = NULL;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].param, dot != NULL ? dot + 1 : param) != 0 ||
            !is_read(b, known[i].role))
            continue;
        last = &known[i];
        if (lct_net_bind_find(b, last->role, last->suffix) != NULL)
            break;
    }
    return last;
}

/* Numbers of a tensor [n, m] in the order of [m, n], the shape of x. */
static locant_status transpose(locant_tensor *x, struct lct_net *n)
{
    const int64_t rows = x->shape[0], columns = x->shape[1];
    void *to = lct_net_keep(n, (size_t)(rows * columns) * n->math->item);

    LCT_NET_GOT(to);
    for (int64_t i = 0; i < rows * columns; i++)
        n->math->set(to, i,
                     n->math->get(x->data, i % columns * rows + i / columns));
    x->data = to;
    return LOCANT_OK;
}

/* Tables that all layers share may stand in layer 0. */
static locant_status bind_param(locant_tensor *out, struct lct_net_binder *b,
                                const locant_param_info *info)
{
    const int64_t count = lct_net_bind_count(info->shape, info->rank);
    struct lct_net_binder of = *b;
    const struct row *row;
    const struct lct_weight *w;
    void *numbers;

    if (!info->per_layer)
        of.layer = 0;
    row = find(&of, info->name);
    if (row == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: no tensor is known for the parameter %s of an "
                           "encoding",
                           b->n->config.file, info->name);
    LCT_TRY(lct_net_bind_need(&w, &of, row->role, row->suffix));
    if (lct_net_bind_count(w->shape, w->rank) != count)
        return lct_net_bind_shape(b->n, w, info->rank, info->shape);
    LCT_TRY(lct_net_bind_vector(&numbers, b->n, w, count, 0));
    *out = locant_dense(numbers, b->n->dtype, info->rank, info->shape);
    return row->across ? transpose(out, b->n) : LOCANT_OK;
}

/* a->params and a->n_params, in the order of locant_encoding_param(). */
static locant_status bind_learned(struct lct_net_attention *a,
                                  struct lct_net_binder *b)
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
    LCT_NET_GOT(a->params);
    for (a->n_params = 0; a->n_params < n; a->n_params++) {
        locant_encoding_param(&info, a->encoding, a->n_params, &sizes);
        LCT_TRY(bind_param(&a->params[a->n_params], b, &info));
    }
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- maps */

/* The queries of each head, then the gate of its output. */
static locant_status bind_gated(struct lct_net_attention *a,
                                struct lct_net_binder *b)
{
    const int64_t H = a->plan->heads, d = a->plan->qk_dim, D = b->n->width;
    struct lct_net_rows rows = { .group = d, .step = 2 * d, .all = 2 * H * d };

    LCT_TRY(lct_net_bind_rows(&a->q, b, LCT_Q, H * d, D, &rows));
    rows.first = d;
    return lct_net_bind_rows(&a->gate, b, LCT_Q, H * d, D, &rows);
}

static locant_status bind_apart(struct lct_net_attention *a,
                                struct lct_net_binder *b)
{
    const struct lct_layer_plan *p = a->plan;
    const int64_t D = b->n->width;

    if (b->n->s.gated)
        LCT_TRY(bind_gated(a, b));
    else
        LCT_TRY(lct_net_bind_linear(&a->q, b, LCT_Q, p->heads * p->qk_dim, D));
    if (p->keys_of >= 0)
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_linear(&a->k, b, LCT_K, p->kv_heads * p->qk_dim, D));
    a->values_of_keys = b->n->s.values_of_keys && !lct_net_bind_has(b, LCT_V);
    return a->values_of_keys ? LOCANT_OK
                             : lct_net_bind_linear(&a->v, b, LCT_V,
                                                   p->kv_heads * p->v_dim, D);
}

/* The three as rows of one matrix. */
static locant_status bind_fused(struct lct_net_attention *a,
                                struct lct_net_binder *b)
{
    const struct lct_layer_plan *p = a->plan;
    const int64_t D = b->n->width, d = p->qk_dim, K = p->kv_heads;
    const int64_t group = p->heads / K * d;
    struct lct_net_rows q = { .group = p->heads * d, .step = p->heads * d };
    struct lct_net_rows k = { .first = p->heads * d, .group = K * d };
    struct lct_net_rows v = { .first = (p->heads + K) * d, .group = K * d };

    if (b->n->s.qkv == LCT_QKV_GROUPED) {
        q = (struct lct_net_rows){ .group = group };
        k = (struct lct_net_rows){ .first = group, .group = d };
        v = (struct lct_net_rows){ .first = group + d, .group = d };
        q.step = group + 2 * d;
    }
    k.step = v.step = b->n->s.qkv == LCT_QKV_GROUPED ? q.step : K * d;
    q.all = k.all = v.all = (p->heads + 2 * K) * d;
    LCT_TRY(lct_net_bind_rows(&a->q, b, LCT_QKV, p->heads * d, D, &q));
    LCT_TRY(lct_net_bind_rows(&a->k, b, LCT_QKV, K * d, D, &k));
    return lct_net_bind_rows(&a->v, b, LCT_QKV, K * d, D, &v);
}

/* The weights of each head in a tensor of its own (StableLM). */
static locant_status bind_norm_parts(struct lct_net_norm *norm,
                                     struct lct_net_binder *b,
                                     enum lct_net_role role, int64_t heads)
{
    const struct lct_weight *w;

    norm->w =
        lct_net_keep(b->n, (size_t)(heads * norm->width) * b->n->math->item);
    LCT_NET_GOT(norm->w);
    for (b->part = 0; b->part < heads; b->part++) {
        LCT_TRY(lct_net_bind_need(&w, b, role, ".weight"));
        LCT_TRY(lct_net_bind_shape(b->n, w, 1, &norm->width));
        b->n->math->read(
            lct_net_math_at(b->n->math, norm->w, b->part * norm->width), w, 0,
            norm->width);
    }
    return LOCANT_OK;
}

static locant_status bind_qk_norm(struct lct_net_norm *norm,
                                  struct lct_net_binder *b,
                                  enum lct_net_role role,
                                  const struct lct_qk_norm *plan, int64_t heads,
                                  int64_t width)
{
    const char *name = lct_net_names_role(&b->prefix, role);
    const struct lct_weight *w;

    if (plan->kind == LCT_QK_NONE)
        return LOCANT_OK;
    *norm = (struct lct_net_norm){
        .kind =
            plan->kind == LCT_QK_LAYER ? LCT_NET_LAYER_NORM : LCT_NET_RMS_NORM,
        .width = plan->over == LCT_OVER_ALL ? heads * width : width,
        .weights = plan->over == LCT_OVER_EACH ? heads : 1,
        .eps = plan->eps
    };
    if (plan->kind == LCT_QK_L2)
        return LOCANT_OK;
    if (name != NULL && strchr(name, '%') != NULL)
        return bind_norm_parts(norm, b, role, heads);
    LCT_TRY(lct_net_bind_need(&w, b, role, ".weight"));
    LCT_TRY(lct_net_bind_vector(&norm->w, b->n, w, norm->width * norm->weights,
                                b->n->s.plus_one ? 1 : 0));
    w = lct_net_bind_find(b, role, ".bias");
    if (w == NULL && norm->kind == LCT_NET_LAYER_NORM &&
        plan->over == LCT_OVER_HEAD && !b->n->s.bare_norms)
        LCT_TRY(lct_net_bind_need(&w, b, role, ".bias"));
    if (w != NULL)
        LCT_TRY(lct_net_bind_vector(&norm->b, b->n, w,
                                    norm->width * norm->weights, 0));
    return LOCANT_OK;
}

static locant_status bind_sinks(struct lct_net_attention *a,
                                struct lct_net_binder *b)
{
    const struct lct_weight *w =
        lct_net_bind_find(b, LCT_SINK_LOGITS, ".weight");

    if (!a->plan->sinks)
        return LOCANT_OK;
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, LCT_SINK_LOGITS, ""));
    return lct_net_bind_vector(&a->sinks, b->n, w, a->plan->heads, 0);
}

/*
 * ALiBi counted from the key alone is, but for a constant that the softmax of a
 * row does not see, ALiBi by distance: whose numbers are smaller, and do not
 * depend on the length of the call as those of MPT do.  The longest position of
 * a scaling is that of all rows of a call, as in transformers: its key
 * 'length', which plans leave out.
 */
static const struct {
    const char *find, *put;
} rewrites[] = { { "(dialect=mpt)", "" },
                 { "(dialect=bloom)", "" },
                 { "dialect=mpt,", "" },
                 { "dialect=bloom,", "" },
                 { "scaling=dynamic(", "scaling=dynamic(length=call," },
                 { "scaling=longrope(", "scaling=longrope(length=call," } };

static locant_status choose_encoding(struct lct_net_attention *a)
{
    const char *spec = a->plan->spec, *found = NULL;
    locant_status status;
    size_t i = 0, room;
    char *text;

    a->encoding = a->plan->encoding;
    /* Chunks count from the first token that is no padding: documents do. */
    if (a->plan->chunk > 0) {
        LCT_TRY(locant_encoding_create(&a->own, strchr(spec, '+') + 1));
        a->encoding = a->own;
        return LOCANT_OK;
    }
    while (spec != NULL && i < sizeof(rewrites) / sizeof(rewrites[0]) &&
           (found = strstr(spec, rewrites[i].find)) == NULL)
        i++;
    if (found == NULL ||
        (rewrites[i].put[0] != 0 && strstr(found, "length=") != NULL))
        return LOCANT_OK;
    room = strlen(spec) + strlen(rewrites[i].put) + 1;
    text = locant_alloc(room);
    LCT_NET_GOT(text);
    snprintf(text, room, "%.*s%s%s", (int)(found - spec), spec, rewrites[i].put,
             found + strlen(rewrites[i].find));
    status = locant_encoding_create(&a->own, text);
    locant_release(text);
    if (status == LOCANT_OK)
        a->encoding = a->own;
    return status;
}

/* One matrix of q, k and v, unless the file has three. */
static bool is_fused(const struct lct_net_binder *b)
{
    if (!lct_net_bind_knows(b, LCT_QKV))
        return false;
    return lct_net_bind_has(b, LCT_QKV) || !lct_net_bind_has(b, LCT_Q);
}

locant_status lct_net_attention_bind(struct lct_net_attention *a,
                                     struct lct_net_binder *b,
                                     const struct lct_layer_plan *p)
{
    a->plan = p;
    LCT_TRY(choose_encoding(a));
    LCT_TRY(bind_learned(a, b));
    a->window = b->n->s.same_length ? b->n->s.memory : 0;
    if (b->n->s.latent)
        LCT_TRY(lct_net_latent_bind(&a->latent, b, p));
    else if (is_fused(b))
        LCT_TRY(bind_fused(a, b));
    else
        LCT_TRY(bind_apart(a, b));
    LCT_TRY(
        bind_qk_norm(&a->q_norm, b, LCT_Q_NORM, &p->norm, p->heads, p->qk_dim));
    if (p->keys_of < 0)
        LCT_TRY(bind_qk_norm(&a->k_norm, b, LCT_K_NORM, &p->norm, p->kv_heads,
                             p->qk_dim));
    if (b->n->s.value_norm)
        a->v_norm = lct_net_bind_rms(p->v_dim, b->n->s.eps);
    LCT_TRY(bind_sinks(a, b));
    return lct_net_bind_linear(&a->o, b, LCT_O, b->n->width,
                               p->heads * p->v_dim);
}
