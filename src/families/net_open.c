/* net_open.c - a model from its folder: configuration, plan, tensors */
#include "family.h"
#include "net_adaptive.h"
#include "net_bind.h"
#include "net_ends.h"
#include "net_gguf.h"
#include "net_head.h"
#include "net_inputs.h"
#include "net_math.h"
#include "net_params.h"
#include "net_sight.h"
#include "net_stack.h"
#include "net_streams.h"
#include "net_windows.h"
#include "plan_with.h"
#include <inttypes.h>
#include <math.h>

/* The first number above 0 under one of these keys; *out stays if there is
   none. */
static void first_of(int64_t *out, const struct lct_config *c,
                     const char *const *keys)
{
    int64_t value = 0;

    for (; *keys != NULL && value < 1; keys++)
        if (lct_config_integer(&value, c->text, *keys) == LCT_RIGHT &&
            value > 0)
            *out = value;
}

/* ------------------------------------------------------------------ input */

static locant_status bind_input(struct lct_net *n, struct lct_net_binder *b)
{
    static const char *const vocab_keys[] = { "vocab_size", NULL };
    const struct lct_net_place embed = { LCT_EMBED, -1, -1 };
    const struct lct_net_place in = { LCT_PROJECT_IN, -1, -1 };
    const struct lct_net_place out = { LCT_PROJECT_OUT, -1, -1 };
    const struct lct_weight *w;
    int64_t rows = -1, inner;

    LCT_TRY(lct_net_bind_need(&w, b, embed, ".weight"));
    if (n->config.dialect != LCT_DIALECT_GGUF)
        first_of(&rows, &n->config, vocab_keys);
    inner = lct_net_bind_has(b, in) ? -1 : n->width;
    LCT_TRY(lct_net_bind_shape(w, 2, (int64_t[2]){ rows, inner }));
    LCT_TRY(lct_net_bind_blocks(w, w->shape[1]));
    n->vocab = w->shape[0];
    n->embed = (struct lct_net_matrix){ .weight = w,
                                        .out = w->shape[0],
                                        .in = w->shape[1],
                                        .row = w->shape[1],
                                        .group = w->shape[0],
                                        .step = w->shape[0] };
    if (lct_net_bind_has(b, in)) {
        LCT_TRY(lct_net_bind_linear(&n->text.project_in, b, in, n->width,
                                    n->embed.in, 0, NULL));
        LCT_TRY(lct_net_bind_linear(&n->text.project_out, b, out, n->embed.in,
                                    n->width, 0, NULL));
    }
    n->text.input_scale = b->s.scaled_embedding ? sqrt((double)n->width)
                          : b->s.embedding_scale != 0
                              ? b->s.embedding_scale
                              : n->text.plan->input_scale;
    LCT_TRY(lct_net_inputs_bind(&n->text, b));
    return lct_net_streams_bind(&n->text, b);
}

/* ------------------------------------------------------------------ stacks */

/* The other stack of an encoder-decoder, whose tensors have names of their
   own; 'b' is that of the decoder. */
static locant_status bind_encoder(struct lct_net *n, struct lct_net_binder b)
{
    if (n->encoder.plan == NULL)
        return LOCANT_OK;
    b.prefix.names = n->family->encoder[b.s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF) {
        b.prefix.roles = b.prefix.names;
        b.prefix.names = lct_net_gguf_names(n->family->model_type, true);
    }
    n->encoder.input_scale = n->encoder.plan->input_scale;
    n->encoder.n_streams = 1;
    return lct_net_stack_bind(&n->encoder, &b);
}

/* The names that the MLP of some layer has in the file; those of the first
   variant if there is none. */
static void choose_names(struct lct_net_binder *b)
{
    const struct lct_net_family *f = b->n->family;

    for (int v = 0; v < 3 && f->names[v] != NULL; v++) {
        b->prefix.names = f->names[v];
        for (int64_t i = 0; i < b->n->text.plan->n_layers; i++)
            if (lct_net_bind_has(b, (struct lct_net_place){ LCT_UP, i, -1 }))
                return;
    }
    b->prefix.names = f->names[b->s.variant];
}

static bool is_params(const struct lct_net *n)
{
    return n->config.dialect == LCT_DIALECT_META ||
           n->config.dialect == LCT_DIALECT_MISTRAL;
}

static locant_status bind(struct lct_net *n, const char *path)
{
    static const char *const width_keys[] = { "hidden_size", "n_embd",
                                              "d_model", NULL };
    struct lct_net_binder b = { .n = n };
    const struct lct_weight *w;

    LCT_TRY(lct_net_families_switches(&b.s, n->family, &n->config));
    b.prefix.names = n->family->names[b.s.variant];
    if (n->config.dialect == LCT_DIALECT_GGUF)
        lct_net_gguf_switch(&b);
    if (is_params(n))
        b.prefix.names = &lct_net_params_names;
    LCT_TRY(lct_net_names_begin(&b.prefix, n->weights, path));
    if (b.s.named_by_file)
        choose_names(&b);
    LCT_TRY(lct_net_bind_need(
        &w, &b, (struct lct_net_place){ LCT_EMBED, -1, -1 }, ".weight"));
    if (w->rank == 2)
        n->width = w->shape[1];
    first_of(&n->width, &n->config, width_keys);
    LCT_TRY(lct_net_windows_begin(&b));
    n->pool = b.s.pool;
    LCT_TRY(lct_net_adaptive_bind(n, &b));
    if (n->adaptive != NULL) {
        n->text.input_scale = n->text.plan->input_scale;
        n->text.n_streams = 1;
    } else if (b.s.images)
        n->text.input_scale = n->text.n_streams = 1;
    else
        LCT_TRY(bind_input(n, &b));
    LCT_TRY(lct_net_stack_bind(&n->text, &b));
    LCT_TRY(bind_encoder(n, b));
    LCT_TRY(lct_net_head_bind(n, &b));
    return lct_net_sight_bind(n, path);
}

/* ------------------------------------------------------------------- open */

/* Sizes of layers that keep products of two of them within 2^40, and groups of
   heads whole. */
static locant_status check_sizes(const struct lct_net *n,
                                 const struct lct_tower *t)
{
    const int64_t most = 1 << 20;

    for (int64_t i = 0; i < t->n_layers; i++) {
        const struct lct_layer_plan *p = &t->layers[i];

        if (p->attention != LCT_SOFTMAX)
            continue;
        if (p->heads < 1 || p->heads > most || p->kv_heads < 1 ||
            p->heads % p->kv_heads != 0)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: layer %" PRId64 " has %" PRId64
                               " heads of queries and %" PRId64
                               " of keys, expected a multiple of them",
                               n->config.file, i, p->heads, p->kv_heads);
        if (p->qk_dim < 1 || p->qk_dim > most || p->v_dim < 1 ||
            p->v_dim > most || p->keys_of >= i)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: layer %" PRId64 " has heads of %" PRId64
                               " channels, expected 1 to %" PRId64,
                               n->config.file, i, p->qk_dim, most);
    }
    return LOCANT_OK;
}

/* Layers with another attention than softmax are of families that have it, and
   of files whose names for it are known. */
static locant_status check_linear(const struct lct_net *n)
{
    const bool gguf = n->config.dialect == LCT_DIALECT_GGUF;
    const bool known = n->family->switches.delta.heads > 0;

    for (int64_t i = 0; i < n->text.plan->n_layers; i++)
        if (n->text.plan->layers[i].attention != LCT_SOFTMAX &&
            (!known || gguf))
            return locant_fail(LOCANT_ERR_UNSUPPORTED,
                               "%s: layer %" PRId64
                               " has linear attention, which cannot be run%s",
                               n->config.file, i,
                               known ? " from a GGUF file" : "");
    return LOCANT_OK;
}

static locant_status choose_family(struct lct_net *n)
{
    if (n->config.dialect == LCT_DIALECT_GGUF) {
        LCT_TRY(lct_net_gguf_translate(&n->translated, &n->family, n));
        n->config.text = n->translated;
        n->config.model_type = n->family->model_type;
    } else {
        n->family = lct_net_families_find(n->config.model_type);
        if (n->family == NULL) /* a whole model that names no text part */
            n->family = lct_net_families_find(n->plan.family->model_type);
        if (is_params(n)) {
            LCT_TRY(lct_net_params_translate(&n->translated, n));
            n->config.text = n->translated;
        }
    }
    if (n->family == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: models of type \"%s\" cannot be run",
                           n->config.file, n->config.model_type);
    n->text.plan = &n->plan.towers[0];
    if (n->family->encoder[0] != NULL) {
        n->encoder.plan = &n->plan.towers[0];
        n->text.plan = &n->plan.towers[1];
        LCT_TRY(check_sizes(n, n->encoder.plan));
    }
    if (n->family->sight != NULL && n->plan.n_towers > 1)
        LCT_TRY(check_sizes(n, &n->plan.towers[1]));
    LCT_TRY(check_sizes(n, n->text.plan));
    return check_linear(n);
}

/* A model without anything yet; NULL: no memory. */
static struct lct_net *blank(locant_dtype dtype)
{
    struct lct_net *n = locant_alloc(sizeof(*n));

    if (n == NULL)
        return NULL;
    n->dtype = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    n->round_weights = dtype == LOCANT_BF16;
    n->math = n->dtype == LOCANT_F64 ? &lct_net_math_f64 : &lct_net_math_f32;
    return n;
}

static locant_status finish(struct lct_net **out, struct lct_net *n,
                            locant_status status)
{
    if (status != LOCANT_OK)
        lct_net_close(n);
    else
        *out = n;
    return status;
}

static locant_status read_files(struct lct_net *n, const char *path,
                                const char *with)
{
    LCT_TRY(lct_config_read_both(&n->config, &n->weights, path));
    LCT_TRY(lct_position_plan_beside(&n->plan, &n->config, LCT_STACK_TRUE,
                                     n->weights));
    if (with != NULL)
        LCT_TRY(lct_plan_with(&n->plan, with));
    LCT_TRY(choose_family(n));
    if (n->weights == NULL)
        LCT_TRY(lct_weights_open(&n->weights, path)); /* fails, saying why */
    LCT_TRY(bind(n, path));
    return lct_net_ends_read(n, path);
}

static locant_status read_bytes(struct lct_net *n,
                                const struct lct_net_bytes *b)
{
    LCT_TRY(lct_config_parse(&n->config, b->config, b->config_size, b->name));
    LCT_TRY(
        lct_weights_parse(&n->weights, b->weights, b->weights_size, b->name));
    LCT_TRY(lct_position_plan_beside(&n->plan, &n->config, LCT_STACK_TRUE,
                                     n->weights));
    LCT_TRY(choose_family(n));
    LCT_TRY(bind(n, b->name));
    return lct_net_ends_read(n, NULL);
}

locant_status lct_net_open_with(struct lct_net **out, const char *path,
                                locant_dtype dtype, const char *with)
{
    struct lct_net *n = blank(dtype);

    *out = NULL;
    return n == NULL ? locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory")
                     : finish(out, n, read_files(n, path, with));
}

locant_status lct_net_parse(struct lct_net **out, const struct lct_net_bytes *b,
                            locant_dtype dtype)
{
    struct lct_net *n = blank(dtype);

    *out = NULL;
    return n == NULL ? locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory")
                     : finish(out, n, read_bytes(n, b));
}

locant_status lct_net_open(struct lct_net **out, const char *path,
                           locant_dtype dtype)
{
    return lct_net_open_with(out, path, dtype, NULL);
}

locant_status lct_net_need_head(const char *fn, const struct lct_net *n)
{
    if (n->adaptive != NULL || n->head.w.weight != NULL)
        return LOCANT_OK;
    if (n->no_head == NULL)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: models of type %s have no logits; the option "
                           "hidden gives states",
                           fn, n->config.model_type);
    return locant_fail(LOCANT_ERR_PARAM,
                       "%s: %s for logits; the option hidden gives states", fn,
                       n->no_head);
}

/* What a model has of its own; its tower shares the rest. */
static void drop(struct lct_net *n)
{
    lct_net_stack_end(&n->text);
    lct_net_stack_end(&n->encoder);
    for (size_t i = 0; i < n->n_owned; i++)
        locant_release(n->owned[i]);
    locant_release(n->owned);
}

void lct_net_close(struct lct_net *n)
{
    if (n == NULL)
        return;
    if (n->sight != NULL)
        drop(n->sight);
    drop(n);
    lct_weights_close(n->weights);
    lct_position_plan_free(&n->plan);
    lct_config_free(&n->config);
    json_decref(n->translated);
    locant_release(n);
}
