/* convert_back.c - a model of GGUF as safetensors: see convert_back.h */
#include "convert_back.h"
#include "../core/quote.h"
#include "../files/path.h"
#include "../files/tensors.h"
#include "convert_latent.h"
#include "family.h"
#include "net_gguf.h"
#include <stdio.h>
#include <string.h>

static const char fn[] = "locant_model_convert";

enum { EXPERTS_MAX = 1 << 16 };

/* A tensor of the output. */
struct item {
    char name[LCT_CONVERT_GGUF_NAME];
    const struct lct_weight *weight;
    const struct lct_convert_part *part;
    const struct lct_weight *values; /* 'weight' is k_b, and this v_b */
    struct lct_convert_latent latent;
    int64_t expert; /* of a tensor that stacks them; -1: it stacks none */
    size_t bytes;   /* of the input */
};

struct writer {
    struct lct_convert *c;
    struct lct_convert_gguf_names names;
    struct item *items;
    struct lct_entry *entries;
    size_t n;
    const struct lct_number *type; /* of matrices; NULL: as they are */
    float *numbers;
    unsigned char *stored;
};

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for tensors", fn);
}

const struct lct_convert_gguf_family *
lct_convert_back_family(const struct lct_convert *c)
{
    const char *arch = c->config.model_type;
    const char *type = lct_net_gguf_type(&c->config, &c->plan);
    const struct lct_convert_gguf_family *f;

    if (strcmp(arch, "llama") == 0 && strcmp(type, "llama") == 0 &&
        json_object_get(c->config.root, "llama.attention.sliding_window"))
        type = "mistral";
    f = lct_convert_gguf_family(type);
    return f && strcmp(f->architecture, arch) == 0 ? f : NULL;
}

/* ------------------------------------------------------------------- items */

static locant_status bad_tensor(const struct lct_weight *w, const char *why)
{
    char found[LCT_QUOTE_BYTES];

    return locant_fail(LOCANT_ERR_UNSUPPORTED, "%s: tensor '%s': %s",
                       lct_path_tail(w->file),
                       lct_quote(found, w->name, strlen(w->name)), why);
}

/* Vectors stay as they are; quantised numbers become F32 unless another type is
   asked for. */
static const struct lct_number *type_of(const struct writer *w,
                                        const struct lct_weight *t)
{
    if (t->type->safetensors && (w->type == NULL || t->rank < 2))
        return t->type;
    return w->type ? w->type : lct_number_named("F32");
}

/* The entry of item i: its shape is that of the tensor, or of one expert. */
static void set_entry(struct writer *w, size_t i)
{
    struct item *item = &w->items[i];
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
static const struct lct_weight *find_half(const struct writer *w, int64_t layer,
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
static locant_status join_halves(struct writer *w, struct item *i,
                                 const struct lct_weight *t, int64_t layer)
{
    const struct lct_weight *k = find_half(w, layer, LCT_K_B);
    const struct lct_weight *v = find_half(w, layer, LCT_V_B);
    struct lct_convert_latent *l = &i->latent;

    if (layer >= w->c->tower->n_layers)
        return bad_tensor(t, "is of no layer of the configuration");
    if (k == NULL || v == NULL)
        return bad_tensor(t, k ? "is half of a matrix whose other half, "
                                 "attn_v_b, is absent"
                               : "is half of a matrix whose other half, "
                                 "attn_k_b, is absent");
    if (t == v) /* written with k_b */
        return LOCANT_OK;
    *l = lct_convert_latent_of(&w->c->tower->layers[layer],
                               w->c->parts.heads[layer].dims,
                               k->rank == 3 ? k->shape[1] : 0);
    if (!are_halves(k, v, l))
        return bad_tensor(k, "is no part of kv_b with attn_v_b: [heads, rank, "
                             "channels] and [heads, values, rank] expected");
    if (v->type != k->type && !lct_number_store(NULL, type_of(w, k), NULL, 0))
        return bad_tensor(v, "numbers of another type than those of attn_k_b");
    i->weight = k;
    i->values = v;
    i->expert = -1;
    set_entry(w, w->n++);
    return LOCANT_OK;
}

/* Items of one tensor: one, or one for each expert. */
static locant_status add_tensor(struct writer *w, const struct lct_weight *t)
{
    struct lct_convert_gguf_name name;
    int64_t n = 1;

    for (int64_t e = 0; e < n; e++) {
        struct item *i = &w->items[w->n];

        lct_convert_gguf_back(&name, t->name, e, &w->names);
        memcpy(i->name, name.name, sizeof i->name);
        if (name.role == LCT_K_B || name.role == LCT_V_B)
            return join_halves(w, i, t, name.layer);
        switch (name.kind) {
        case LCT_CONVERT_GGUF_UNKNOWN:
            return bad_tensor(t, "has no name in safetensors of its family");
        case LCT_CONVERT_GGUF_LEFT_OUT: return LOCANT_OK;
        case LCT_CONVERT_GGUF_EXPERT:
            if (t->rank != 3 || t->shape[0] > EXPERTS_MAX)
                return bad_tensor(t, "stacks no experts: rank 3, and at most "
                                     "65536 of them expected");
            n = t->shape[0];
            i->expert = e;
            break;
        default:
            i->expert = -1;
            if (t->rank > 2)
                return bad_tensor(t, "is no matrix and no vector, as its name "
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

/* Numbers of the longest row or vector. */
static int64_t longest(const struct lct_weights *weights)
{
    const struct lct_weight *t;
    int64_t most = 1;

    for (size_t i = 0; (t = lct_weights_at(weights, i)) != NULL; i++) {
        const int64_t n =
            t->shape[t->rank - 1] *
            (strstr(t->name, "_norm.") && t->rank == 2 ? t->shape[0] : 1);

        most = n > most ? n : most;
        if (t->rank == 3 && t->shape[1] > most) /* the rank of k_b */
            most = t->shape[1];
    }
    return most;
}

static locant_status list_items(struct writer *w)
{
    const size_t room = count(w->c->weights);
    const size_t most = (size_t)longest(w->c->weights);
    const struct lct_weight *t;

    w->items = locant_alloc(room * sizeof *w->items);
    w->entries = locant_alloc(room * sizeof *w->entries);
    w->numbers = locant_alloc(most * sizeof *w->numbers);
    w->stored = locant_alloc(most * sizeof(double));
    if (!w->items || !w->entries || !w->numbers || !w->stored)
        return no_memory();
    for (size_t i = 0; (t = lct_weights_at(w->c->weights, i)) != NULL; i++)
        LCT_TRY(add_tensor(w, t));
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- rows */

/* The row of q | k | v that is row 'row' of q, k, v of each head. */
static int64_t regroup(const struct lct_convert_heads *h, int64_t row)
{
    const int64_t head = row / h->width, each = h->heads / h->kv_heads;
    const int64_t group = head / (each + 2), part = head % (each + 2);
    const int64_t from = part < each    ? group * each + part
                         : part == each ? h->heads + group
                                        : h->heads + h->kv_heads + group;

    return from * h->width + row % h->width;
}

static int64_t source_of(const struct writer *w, const struct item *i,
                         int64_t row)
{
    const struct lct_convert_part *p = i->part;

    if (p == NULL)
        return row;
    if (strcmp(w->names.family->model_type, "gpt_neox") == 0)
        row = regroup(&w->c->parts.heads[p->layer], row);
    return w->c->from == w->c->to
               ? row
               : lct_convert_rows_source(&p->rows, row, w->c->to);
}

static locant_status put_numbers(struct writer *w,
                                 const struct lct_number *type, int64_t n)
{
    lct_number_store(w->stored, type, w->numbers, (size_t)n);
    return lct_output_write(&w->c->output, w->stored, (size_t)n * type->bytes);
}

/* Rows of a matrix, which begin at element 'first' of the tensor. */
static locant_status put_matrix(struct writer *w, const struct item *i,
                                const struct lct_number *type)
{
    const struct lct_weight *t = i->weight;
    const int64_t rows = t->shape[t->rank - 2], n = t->shape[t->rank - 1];
    const size_t bytes = rows > 0 ? i->bytes / (size_t)rows : 0;
    const size_t at = i->expert > 0 ? (size_t)i->expert * i->bytes : 0;

    for (int64_t row = 0; row < rows; row++) {
        const unsigned char *from =
            t->data + at + (size_t)source_of(w, i, row) * bytes;

        if (type == t->type) {
            LCT_TRY(lct_output_write(&w->c->output, from, bytes));
            continue;
        }
        lct_number_floats(w->numbers, t->type, from, bytes / t->type->bytes);
        LCT_TRY(put_numbers(w, type, n));
    }
    return LOCANT_OK;
}

static locant_status put_vector(struct writer *w, const struct item *i,
                                const struct lct_number *type)
{
    const struct lct_weight *t = i->weight;
    const bool minus_one =
        w->names.family->plus_one && strstr(i->name, "norm.weight") != NULL;
    const int64_t n = lct_weight_elements(t);

    if (t->type->elements != 1)
        return bad_tensor(t, "a vector of blocks; single numbers expected");
    for (int64_t k = 0; k < n; k++) {
        const int64_t from = source_of(w, i, k);

        if (type == t->type && !minus_one) {
            LCT_TRY(lct_output_write(&w->c->output,
                                     t->data + (size_t)from * t->type->bytes,
                                     t->type->bytes));
            continue;
        }
        lct_weight_floats(w->numbers, t, from, 1);
        w->numbers[0] -= minus_one ? 1 : 0;
        LCT_TRY(put_numbers(w, type, 1));
    }
    return LOCANT_OK;
}

/* kv_b of its halves, row by row. */
static locant_status put_joined(struct writer *w, const struct item *i,
                                const struct lct_number *type)
{
    const struct lct_convert_latent *l = &i->latent;
    const int64_t rows = l->heads * (l->nope + l->values);

    for (int64_t row = 0; row < rows; row++) {
        bool values;
        const struct lct_convert_latent_row r =
            lct_convert_latent_joined(&values, l, row);
        const struct lct_weight *t = values ? i->values : i->weight;

        if (type == t->type) {
            lct_convert_latent_copy(w->stored, t, r);
            LCT_TRY(lct_output_write(&w->c->output, w->stored,
                                     (size_t)r.n * type->bytes));
            continue;
        }
        lct_convert_latent_read(w->numbers, t, r);
        LCT_TRY(put_numbers(w, type, r.n));
    }
    return LOCANT_OK;
}

static locant_status put_item(struct writer *w, const struct item *i,
                              const struct lct_number *type)
{
    if (i->values != NULL)
        return put_joined(w, i, type);
    if (i->weight->rank < 2 ||
        (i->part && i->part->name.tensor == LCT_CONVERT_VECTOR))
        return put_vector(w, i, type);
    return put_matrix(w, i, type);
}

static locant_status put_all(struct writer *w)
{
    static const char *const words[] = { "half", "interleaved" };
    const char *const metadata[] = { LCT_WEIGHTS_PAIRING, words[w->c->to],
                                     "format", "pt" };
    locant_status status;
    size_t size = 0;
    char *text = NULL;

    LCT_TRY(lct_tensors_text(&text, &size, fn, w->entries, w->n, metadata, 2));
    status = lct_output_file(&w->c->output, "model.safetensors");
    if (status == LOCANT_OK)
        status = lct_output_write(&w->c->output, text, size);
    locant_release(text);
    for (size_t k = 0; k < w->n && status == LOCANT_OK; k++)
        status = put_item(w, &w->items[k], w->entries[k].type);
    return status;
}

static struct lct_convert_gguf_names names_of(const struct lct_convert *c)
{
    const struct lct_convert_gguf_family *f = lct_convert_back_family(c);
    const bool t5 = strcmp(f->architecture, "t5") == 0;

    return lct_convert_gguf_names(f, t5 && lct_net_gguf_gated(c->weights));
}

locant_status lct_convert_back(struct lct_convert *c)
{
    struct writer w = {
        .c = c,
        .names = names_of(c),
        .type = c->options->type ? lct_number_named(c->options->type) : NULL,
    };
    locant_status status = list_items(&w);

    if (status == LOCANT_OK)
        status = put_all(&w);
    if (status == LOCANT_OK)
        status = lct_convert_back_config(c);
    locant_release(w.items);
    locant_release(w.entries);
    locant_release(w.numbers);
    locant_release(w.stored);
    return status;
}
