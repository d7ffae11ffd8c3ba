/* net_open.c - a model from its folder: configuration, plan, tensors */
#include "../files/document.h"
#include "family.h"
#include "net_gguf.h"
#include "net_math.h"
#include "net_stack.h"
#include "net_whole.h"
#include "plan_with.h"
#include <inttypes.h>
#include <stdio.h>

/* ------------------------------------------------------------------- keys */

/* *out = the keys of params.json under the names of config.json, to be released
   (llama/model.py of Meta; mistral-inference, transformer.py). */
static locant_status translate_params(json_t **out, const struct lct_net *n)
{
    static const struct {
        const char *within, *from, *to;
    } keys[] = {
        { NULL, "dim", "hidden_size" },
        { NULL, "hidden_dim", "intermediate_size" },
        { NULL, "norm_eps", "rms_norm_eps" },
        { NULL, "tied_embeddings", "tie_word_embeddings" },
        { "moe", "num_experts", "num_local_experts" },
        { "moe", "num_experts_per_tok", "num_experts_per_tok" },
    };

    *out = json_object();
    LCT_NET_GOT(*out);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const json_t *at = n->config.text;
        json_t *value = json_object_get(
            keys[i].within != NULL ? json_object_get(at, keys[i].within) : at,
            keys[i].from);

        if (value != NULL && json_object_set(*out, keys[i].to, value) != 0)
            return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    }
    return LOCANT_OK;
}

/* Some files say -1 for none. */
static void add_end(struct lct_net *n, const json_t *id)
{
    if (json_is_integer(id) && json_integer_value(id) >= 0 && n->n_end < 8)
        n->end[n->n_end++] = json_integer_value(id);
}

/* What transformers reads before config.json when it generates; NULL if there
   is no folder, or none in it. */
static locant_status read_generation(json_t **out, const char *folder)
{
    char path[4096];
    locant_status status;

    *out = NULL;
    if (folder == NULL ||
        snprintf(path, sizeof path, "%s/generation_config.json", folder) >=
            (int)sizeof path)
        return LOCANT_OK;
    status = lct_document_read(out, path, 10000);
    return status == LOCANT_ERR_IO ? LOCANT_OK : status;
}

/* The value of a key that is not null in one of the objects, the first that has
   it. */
static const json_t *first_value(const json_t *const objects[3],
                                 const char *key)
{
    for (int i = 0; i < 3; i++) {
        const json_t *value = json_object_get(objects[i], key);

        if (value != NULL && !json_is_null(value))
            return value;
    }
    return NULL;
}

static int64_t first_id(const json_t *const objects[3], const char *key)
{
    const json_t *id = first_value(objects, key);

    return json_is_integer(id) ? json_integer_value(id) : -1;
}

/*
 * n->start, n->end and n->pad by generation_config.json in the folder (NULL:
 * there is none), or by the configuration.  Ids that end a text are a number or
 * a list.
 */
static locant_status read_ends(struct lct_net *n, const char *folder)
{
    json_t *generation;
    const json_t *ends;

    LCT_TRY(read_generation(&generation, folder));
    const json_t *const objects[3] = { generation, n->config.text,
                                       n->config.root };

    n->start = first_id(objects, "decoder_start_token_id");
    ends = first_value(objects, "eos_token_id");
    add_end(n, ends);
    for (size_t i = 0; i < json_array_size(ends); i++)
        add_end(n, json_array_get(ends, i));
    n->pad = first_id(objects, "pad_token_id");
    if (n->pad < 0)
        n->pad = n->n_end > 0 ? n->end[0] : 0;
    if (n->start < 0)
        n->start = n->pad;
    json_decref(generation);
    return LOCANT_OK;
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
            p->v_dim > most)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: layer %" PRId64 " has heads of %" PRId64
                               " channels, and %" PRId64
                               " of values, expected 1 to %" PRId64,
                               n->config.file, i, p->qk_dim, p->v_dim, most);
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
        if (lct_config_is_params(&n->config)) {
            LCT_TRY(translate_params(&n->translated, n));
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

/* The rest of a model with a configuration; 'path' is for messages, and for
   files beside, if there is a folder. */
static locant_status read_rest(struct lct_net *n, const char *path,
                               const char *with, const char *folder)
{
    struct lct_net_binder b;

    LCT_TRY(lct_position_plan_beside(&n->plan, &n->config, LCT_STACK_TRUE,
                                     n->weights));
    if (with != NULL)
        LCT_TRY(lct_plan_with(&n->plan, with));
    LCT_TRY(choose_family(n));
    if (n->weights == NULL)
        LCT_TRY(lct_weights_open(&n->weights, path)); /* fails, saying why */
    LCT_TRY(lct_net_whole_begin(&b, n));
    LCT_TRY(lct_net_whole_bind(n, b, path));
    return read_ends(n, folder);
}

static locant_status read_files(struct lct_net *n, const char *path,
                                const char *with)
{
    LCT_TRY(lct_config_read_both(&n->config, &n->weights, path));
    return read_rest(n, path, with, path);
}

static locant_status read_bytes(struct lct_net *n,
                                const struct lct_net_bytes *from)
{
    LCT_TRY(lct_config_parse(&n->config, from->config, from->config_size,
                             from->name));
    LCT_TRY(lct_weights_parse(&n->weights, from->weights, from->weights_size,
                              from->name));
    return read_rest(n, from->name, NULL, NULL);
}

/* From bytes, or if these are NULL from a path. */
static locant_status read_model(struct lct_net **out, locant_dtype dtype,
                                const struct lct_net_bytes *from,
                                const char *path, const char *with)
{
    struct lct_net *n = locant_alloc(sizeof(*n));
    locant_status status;

    *out = NULL;
    LCT_NET_GOT(n);
    n->dtype = dtype == LOCANT_F64 ? LOCANT_F64 : LOCANT_F32;
    n->round_weights = dtype == LOCANT_BF16;
    n->math = n->dtype == LOCANT_F64 ? &lct_net_math_f64 : &lct_net_math_f32;
    status = from != NULL ? read_bytes(n, from) : read_files(n, path, with);
    if (status == LOCANT_OK)
        *out = n;
    else
        lct_net_close(n);
    return status;
}

locant_status lct_net_open(struct lct_net **out, const char *path,
                           locant_dtype dtype, const char *with)
{
    return read_model(out, dtype, NULL, path, with);
}

locant_status lct_net_parse(struct lct_net **out, const struct lct_net_bytes *b,
                            locant_dtype dtype)
{
    return read_model(out, dtype, b, NULL, NULL);
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

/* All but configuration, plan and weights. */
static void drop_all(struct lct_net *n)
{
    if (n->sight != NULL)
        drop(n->sight);
    drop(n);
    json_decref(n->translated);
}

void lct_net_close(struct lct_net *n)
{
    if (n == NULL)
        return;
    drop_all(n);
    lct_weights_close(n->weights);
    lct_position_plan_free(&n->plan);
    lct_config_free(&n->config);
    locant_release(n);
}

/* -------------------------------------------------------------------- fit */

/* Numbers that nobody reads: they take no memory. */
static void read_nothing(void *out, const struct lct_weight *w, int64_t first,
                         int64_t n)
{
    (void)out;
    (void)w;
    (void)first;
    (void)n;
}

static void set_nothing(void *out, int64_t at, double value)
{
    (void)out;
    (void)at;
    (void)value;
}

static double get_nothing(const void *x, int64_t at)
{
    (void)x;
    (void)at;
    return 0;
}

static const struct lct_net_math headers = { .read = read_nothing,
                                             .set = set_nothing,
                                             .get = get_nothing };

/* Some tensors of a model, whose others are in other files. */
static bool is_part(const struct lct_net_binder *b, const struct lct_config *c,
                    const struct lct_weights *w)
{
    return json_integer_value(json_object_get(c->root, "split.count")) > 1 ||
           lct_net_names_part(&b->prefix, w);
}

/* Why tensors could not be bound.  Keys of GGUF files may be absent, and are
   checked otherwise. */
static enum lct_net_fit misfit_of(const struct lct_net *n)
{
    const struct lct_net *sight = n->sight;

    if (n->lacks || (sight != NULL && sight->lacks))
        return LCT_NET_LACKS;
    if (n->misfits || (sight != NULL && sight->misfits))
        return LCT_NET_MISFITS;
    return n->config.dialect == LCT_DIALECT_GGUF ? LCT_NET_FITS
                                                 : LCT_NET_WRONG_KEY;
}

locant_status lct_net_fit(enum lct_net_fit *out, const struct lct_config *c,
                          const struct lct_position_plan *plan,
                          struct lct_weights *w)
{
    struct lct_net n = { .config = *c,
                         .plan = *plan,
                         .weights = w,
                         .dtype = LOCANT_F32,
                         .math = &headers };
    struct lct_net_binder b;
    locant_status status = choose_family(&n);

    if (status == LOCANT_OK)
        status = lct_net_whole_begin(&b, &n);
    if (status == LOCANT_OK && !is_part(&b, c, w))
        status = lct_net_whole_bind(&n, b, c->file);
    *out = status == LOCANT_ERR_FORMAT ? misfit_of(&n) : LCT_NET_FITS;
    drop_all(&n);
    return status == LOCANT_ERR_NOMEM ? status : LOCANT_OK;
}
