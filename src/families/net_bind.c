/* net_bind.c - tensors of a file as the matrices and vectors of a model */
#include "net_bind.h"
#include "../core/size.h"
#include "net_math.h"
#include "net_matrix.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void *lct_net_keep(struct lct_net *n, size_t bytes)
{
    void *memory;

    if (n->n_owned == n->owned_room) {
        const size_t room = n->owned_room * 2 + 64;
        void **more = locant_alloc(room * sizeof(*more));

        if (more == NULL)
            return NULL;
        if (n->n_owned > 0)
            memcpy(more, n->owned, n->n_owned * sizeof(*more));
        locant_release(n->owned);
        n->owned = more;
        n->owned_room = room;
    }
    memory = locant_alloc(bytes > 0 ? bytes : 1);
    if (memory != NULL)
        n->owned[n->n_owned++] = memory;
    return memory;
}

void *lct_net_zeros(int64_t a, int64_t b, size_t item)
{
    size_t bytes;

    if (!lct_array_bytes(&bytes, (int64_t[2]){ a, b }, 2, item))
        return NULL;
    return locant_alloc(bytes > 0 ? bytes : 1);
}

const struct lct_weight *lct_net_bind_find(const struct lct_net_binder *b,
                                           enum lct_net_role role,
                                           const char *suffix)
{
    char name[LCT_NET_NAME];
    const struct lct_weight *w;

    if (!lct_net_names_full(name, &b->prefix, role, b->layer, b->part, suffix))
        return NULL;
    w = lct_weights_find(b->n->weights, name);
    if (w == NULL && role == LCT_HEAD) {
        /* Beside the text part of a model of several. */
        char within[LCT_NET_NAME + 16];

        snprintf(within, sizeof(within), "language_model.%s", name);
        w = lct_weights_find(b->n->weights, within);
    }
    return w;
}

locant_status lct_net_bind_need(const struct lct_weight **out,
                                const struct lct_net_binder *b,
                                enum lct_net_role role, const char *suffix)
{
    char name[LCT_NET_NAME];

    *out = lct_net_bind_find(b, role, suffix);
    if (*out != NULL)
        return LOCANT_OK;
    b->n->lacks = true;
    if (!lct_net_names_full(name, &b->prefix, role, b->layer, b->part, suffix))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: a name of a tensor is too long",
                           b->prefix.file);
    return locant_fail(LOCANT_ERR_FORMAT, "%s: there is no tensor %s",
                       b->prefix.file, name);
}

bool lct_net_bind_knows(const struct lct_net_binder *b, enum lct_net_role role)
{
    return lct_net_names_role(&b->prefix, role) != NULL;
}

bool lct_net_bind_has(const struct lct_net_binder *b, enum lct_net_role role)
{
    return lct_net_bind_find(b, role, ".weight") != NULL;
}

/* "[3, 4]" */
static const char *shape_text(char out[128], int rank, const int64_t *shape)
{
    size_t n = 0;

    out[n++] = '[';
    for (int i = 0; i < rank; i++)
        n += (size_t)snprintf(out + n, 128 - n, "%s%" PRId64, i > 0 ? ", " : "",
                              shape[i]);
    snprintf(out + n, 128 - n, "]");
    return out;
}

locant_status lct_net_bind_packed(struct lct_net *n, const struct lct_weight *w,
                                  int rank, const int64_t *shape)
{
    int64_t expected[6];
    char found[128], wanted[128];
    bool same = w->rank == rank;

    for (int i = 0; i < rank; i++) {
        expected[i] = shape[i] == -1 && i < w->rank ? w->shape[i] : shape[i];
        same = same && w->shape[i] == expected[i];
    }
    if (same)
        return LOCANT_OK;
    n->misfits = true;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: tensor %s is %s, but the configuration says %s",
                       w->file, w->name, shape_text(found, w->rank, w->shape),
                       shape_text(wanted, rank, expected));
}

/* Numbers that say what they mean. */
static locant_status check_type(struct lct_net *n, const struct lct_weight *w)
{
    static const char *const whole[] = { "I64", "I32", "I16", "I8",  "U64",
                                         "U32", "U16", "U8",  "BOOL" };

    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
        if (strcmp(w->type->name, whole[i]) == 0) {
            n->misfits = true;
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensor %s has whole numbers (%s), whose "
                               "scale no known rule gives; expected floats",
                               w->file, w->name, w->type->name);
        }
    return LOCANT_OK;
}

locant_status lct_net_bind_shape(struct lct_net *n, const struct lct_weight *w,
                                 int rank, const int64_t *shape)
{
    LCT_TRY(check_type(n, w));
    return lct_net_bind_packed(n, w, rank, shape);
}

int64_t lct_net_bind_count(const int64_t *shape, int rank)
{
    int64_t all = 1;

    for (int i = 0; i < rank; i++)
        all *= shape[i];
    return all;
}

/* The same unless w has so many numbers, in whatever shape. */
static locant_status check_count(struct lct_net *n, const struct lct_weight *w,
                                 int64_t count)
{
    return lct_net_bind_count(w->shape, w->rank) == count
               ? check_type(n, w)
               : lct_net_bind_shape(n, w, 1, &count);
}

locant_status lct_net_bind_vector(void **out, struct lct_net *n,
                                  const struct lct_weight *w, int64_t count,
                                  double more)
{
    LCT_TRY(check_count(n, w, count));
    *out = lct_net_keep(n, (size_t)count * n->math->item);
    LCT_NET_GOT(*out);
    n->math->read(*out, w, 0, count);
    for (int64_t i = 0; more != 0 && i < count; i++)
        n->math->set(*out, i, n->math->get(*out, i) + more);
    return LOCANT_OK;
}

locant_status lct_net_bind_numbers(void **out, struct lct_net_binder *b,
                                   enum lct_net_role role, const char *suffix,
                                   int64_t count)
{
    const struct lct_weight *w;

    if (!lct_net_bind_knows(b, role))
        return LOCANT_OK;
    LCT_TRY(lct_net_bind_need(&w, b, role, suffix));
    return lct_net_bind_vector(out, b->n, w, count, 0);
}

locant_status lct_net_bind_blocks(struct lct_net *n, const struct lct_weight *w,
                                  int64_t count)
{
    if (count % w->type->elements == 0)
        return LOCANT_OK;
    n->misfits = true;
    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: rows of tensor %s are not whole blocks of %s",
                       w->file, w->name, w->type->name);
}

locant_status lct_net_bind_matrix(struct lct_net_matrix *m,
                                  struct lct_net_binder *b,
                                  enum lct_net_role role, const char *suffix,
                                  int rank, const int64_t *shape)
{
    const struct lct_weight *w;
    int64_t in;

    LCT_TRY(lct_net_bind_need(&w, b, role, suffix));
    LCT_TRY(lct_net_bind_shape(b->n, w, rank, shape));
    in = lct_net_bind_count(w->shape + 1, rank - 1);
    LCT_TRY(lct_net_bind_blocks(b->n, w, in));
    *m = (struct lct_net_matrix){ .weight = w,
                                  .out = w->shape[0],
                                  .in = in,
                                  .row = in,
                                  .group = w->shape[0],
                                  .step = w->shape[0] };
    return LOCANT_OK;
}

/*
 * FP8: a scale for each block of 128 x 128 numbers (weight_scale_inv of
 * DeepSeek V3), or for each row or the whole (weight_scale).
 */
static locant_status bind_scales(struct lct_net_matrix *m,
                                 const struct lct_net_binder *b,
                                 enum lct_net_role role, int64_t rows)
{
    const int64_t block = 128;
    const struct lct_weight *s =
        lct_net_bind_find(b, role, ".weight_scale_inv");
    int64_t shape[2] = { (rows + block - 1) / block,
                         (m->in + block - 1) / block };

    if (strncmp(m->weight->type->name, "F8", 2) != 0 || m->transposed)
        return LOCANT_OK;
    m->scale_rows = m->scale_columns = block;
    if (s == NULL) {
        s = lct_net_bind_find(b, role, ".weight_scale");
        if (s == NULL)
            return LOCANT_OK;
        m->scale_rows = s->rank > 0 && s->shape[0] > 1 ? 1 : rows;
        m->scale_columns = m->in;
        shape[0] = rows / m->scale_rows;
        shape[1] = 1;
    }
    m->scales = s;
    if (s->rank < 2 && shape[1] == 1)
        return s->rank == 0 ? LOCANT_OK : lct_net_bind_shape(b->n, s, 1, shape);
    return lct_net_bind_shape(b->n, s, 2, shape);
}

locant_status lct_net_bind_bias(struct lct_net_linear *l, struct lct_net *n,
                                const struct lct_weight *w,
                                const struct lct_net_rows *rows)
{
    const struct lct_net_math *m = n->math;

    l->bias = lct_net_keep(n, (size_t)l->w.out * m->item);
    LCT_NET_GOT(l->bias);
    for (int64_t r = 0; r < l->w.out; r += rows->group)
        m->read(lct_net_math_at(m, l->bias, r), w,
                rows->first + r / rows->group * rows->step,
                rows->group < l->w.out - r ? rows->group : l->w.out - r);
    return LOCANT_OK;
}

/* Which of LCT_BIAS_* a role has. */
/* clang-format off */
static const int biases[LCT_ROLES] = {
    [LCT_Q] = LCT_BIAS_Q, [LCT_K] = LCT_BIAS_K, [LCT_V] = LCT_BIAS_V,
    [LCT_QKV] = LCT_BIAS_QKV, [LCT_CROSS_Q] = LCT_BIAS_Q,
    [LCT_CROSS_K] = LCT_BIAS_K, [LCT_CROSS_V] = LCT_BIAS_V,
    [LCT_Q_A] = LCT_BIAS_QKV, [LCT_KV_A] = LCT_BIAS_QKV,
    [LCT_O] = LCT_BIAS_O, [LCT_CROSS_O] = LCT_BIAS_O,
    [LCT_GATE_UP] = LCT_BIAS_MLP, [LCT_GATE] = LCT_BIAS_MLP,
    [LCT_UP] = LCT_BIAS_MLP,
    [LCT_DOWN] = LCT_BIAS_MLP, [LCT_MERGER_UP] = LCT_BIAS_MLP,
    [LCT_MERGER_DOWN] = LCT_BIAS_MLP, [LCT_DEEP_UP] = LCT_BIAS_MLP,
    [LCT_DEEP_DOWN] = LCT_BIAS_MLP, [LCT_HEAD] = LCT_BIAS_HEAD,
    [LCT_HEAD_DENSE] = LCT_BIAS_HEAD, [LCT_HEAD_BIAS] = LCT_BIAS_LOGITS,
    [LCT_ROUTER] = LCT_BIAS_EXPERTS, [LCT_EMBED] = LCT_BIAS_PATCHES };
/* clang-format on */

bool lct_net_bind_denies(const struct lct_net_switches *s,
                         enum lct_net_role role)
{
    return (s->denied & biases[role]) != 0;
}

locant_status lct_net_bind_find_bias(const struct lct_weight **out,
                                     const struct lct_net_binder *b,
                                     enum lct_net_role role, const char *suffix)
{
    *out = NULL;
    if (lct_net_bind_denies(&b->n->s, role))
        return LOCANT_OK;
    if ((b->n->s.biases & biases[role]) != 0)
        return lct_net_bind_need(out, b, role, suffix);
    *out = lct_net_bind_find(b, role, suffix);
    return LOCANT_OK;
}

locant_status lct_net_bind_linear(struct lct_net_linear *l,
                                  struct lct_net_binder *b,
                                  enum lct_net_role role, int64_t out,
                                  int64_t in)
{
    return lct_net_bind_rows(l, b, role, out, in, NULL);
}

locant_status lct_net_bind_rows(struct lct_net_linear *l,
                                struct lct_net_binder *b,
                                enum lct_net_role role, int64_t out, int64_t in,
                                const struct lct_net_rows *rows)
{
    struct lct_net_matrix *m = &l->w;
    const bool across = b->n->s.input_major && role != LCT_HEAD;
    const struct lct_weight *w, *bias_w;
    struct lct_net_rows whole;
    int64_t shape[2];
    char found[128];

    LCT_TRY(lct_net_bind_need(&w, b, role, ".weight"));
    if (w->rank == 2 && out < 0)
        out = w->shape[across ? 1 : 0];
    if (out == 0) { /* norms of what it gives divide by their width */
        b->n->misfits = true;
        return locant_fail(
            LOCANT_ERR_FORMAT, "%s: tensor %s is %s, expected one row or more",
            w->file, w->name, shape_text(found, w->rank, w->shape));
    }
    whole = (struct lct_net_rows){ .group = out, .step = out, .all = out };
    if (rows == NULL)
        rows = &whole;
    shape[across ? 1 : 0] = rows->all;
    shape[across ? 0 : 1] = in;
    LCT_TRY(lct_net_bind_shape(b->n, w, 2, shape));
    LCT_TRY(lct_net_bind_blocks(b->n, w, across ? 1 : in));
    *m = (struct lct_net_matrix){ .weight = w,
                                  .out = out,
                                  .in = in,
                                  .row = across ? rows->all : in,
                                  .group = rows->group,
                                  .step = rows->step,
                                  .transposed = across };
    m->first = rows->first * (across ? 1 : in);
    LCT_TRY(bind_scales(m, b, role, rows->all));
    LCT_TRY(lct_net_matrix_round(b->n, m));
    LCT_TRY(lct_net_bind_find_bias(&bias_w, b, role, ".bias"));
    if (bias_w == NULL)
        return LOCANT_OK;
    LCT_TRY(check_count(b->n, bias_w, rows->all));
    return lct_net_bind_bias(l, b->n, bias_w, rows);
}

struct lct_net_norm lct_net_bind_rms(int64_t width, double eps)
{
    return (struct lct_net_norm){
        .kind = LCT_NET_RMS_NORM, .width = width, .weights = 1, .eps = eps
    };
}

locant_status lct_net_bind_norm(struct lct_net_norm *norm,
                                struct lct_net_binder *b,
                                enum lct_net_role role, int64_t width)
{
    const struct lct_weight *w;

    if (!lct_net_bind_knows(b, role))
        return LOCANT_OK;
    *norm = (struct lct_net_norm){
        .kind = b->n->s.norm, .width = width, .weights = 1, .eps = b->n->s.eps
    };
    w = lct_net_bind_find(b, role, ".gamma"); /* of old files */
    if (w == NULL)
        LCT_TRY(lct_net_bind_need(&w, b, role, ".weight"));
    LCT_TRY(lct_net_bind_vector(&norm->w, b->n, w, width,
                                b->n->s.plus_one ? 1 : 0));
    w = lct_net_bind_find(b, role, ".bias");
    if (w == NULL)
        w = lct_net_bind_find(b, role, ".beta");
    if (w == NULL && norm->kind == LCT_NET_LAYER_NORM && !b->n->s.bare_norms)
        LCT_TRY(lct_net_bind_need(&w, b, role, ".bias"));
    if (w != NULL)
        LCT_TRY(lct_net_bind_vector(&norm->b, b->n, w, width, 0));
    return LOCANT_OK;
}
