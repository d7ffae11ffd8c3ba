/* convert_back.c - a model of GGUF as safetensors: see convert_back.h */
#include "convert_back.h"
#include "convert_back_items.h"
#include "family.h"
#include "net_gguf.h"
#include <string.h>

static const char fn[] = "locant_model_convert";

struct writer {
    struct lct_convert_back_items items;
    float *numbers;
    unsigned char *stored;
};

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

static locant_status make_room(struct writer *w)
{
    const size_t most = (size_t)longest(w->items.c->weights);

    w->numbers = locant_alloc(most * sizeof *w->numbers);
    w->stored = locant_alloc(most * sizeof(double));
    return w->numbers && w->stored
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for tensors", fn);
}

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

static int64_t source_of(const struct writer *w,
                         const struct lct_convert_back_item *i, int64_t row)
{
    const struct lct_convert_part *p = i->part;

    if (p == NULL)
        return row;
    if (strcmp(w->items.names.family->model_type, "gpt_neox") == 0)
        row = regroup(&w->items.c->parts.heads[p->layer], row);
    return w->items.c->from == w->items.c->to
               ? row
               : lct_convert_rows_source(&p->rows, row, w->items.c->to);
}

static locant_status put_numbers(struct writer *w,
                                 const struct lct_number *type, int64_t n)
{
    lct_number_store(w->stored, type, w->numbers, (size_t)n);
    return lct_output_write(&w->items.c->output, w->stored,
                            (size_t)n * type->bytes);
}

/* Rows of a matrix, which begin at element 'first' of the tensor. */
static locant_status put_matrix(struct writer *w,
                                const struct lct_convert_back_item *i,
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
            LCT_TRY(lct_output_write(&w->items.c->output, from, bytes));
            continue;
        }
        lct_number_floats(w->numbers, t->type, from, bytes / t->type->bytes);
        LCT_TRY(put_numbers(w, type, n));
    }
    return LOCANT_OK;
}

static locant_status put_vector(struct writer *w,
                                const struct lct_convert_back_item *i,
                                const struct lct_number *type)
{
    const struct lct_weight *t = i->weight;
    const bool minus_one = w->items.names.family->plus_one &&
                           strstr(i->name, "norm.weight") != NULL;
    const int64_t n = lct_weight_elements(t);

    if (t->type->elements != 1)
        return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, t,
                               "a vector of blocks; single numbers expected");
    for (int64_t k = 0; k < n; k++) {
        const int64_t from = source_of(w, i, k);

        if (type == t->type && !minus_one) {
            LCT_TRY(lct_output_write(&w->items.c->output,
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
static locant_status put_joined(struct writer *w,
                                const struct lct_convert_back_item *i,
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
            LCT_TRY(lct_output_write(&w->items.c->output, w->stored,
                                     (size_t)r.n * type->bytes));
            continue;
        }
        lct_convert_latent_read(w->numbers, t, r);
        LCT_TRY(put_numbers(w, type, r.n));
    }
    return LOCANT_OK;
}

static locant_status put_item(struct writer *w,
                              const struct lct_convert_back_item *i,
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
    const char *const metadata[] = { LCT_WEIGHTS_PAIRING, words[w->items.c->to],
                                     "format", "pt" };
    locant_status status;
    size_t size = 0;
    char *text = NULL;

    LCT_TRY(lct_tensors_text(&text, &size, fn, w->items.entries, w->items.n,
                             metadata, 2));
    status = lct_output_file(&w->items.c->output, "model.safetensors");
    if (status == LOCANT_OK)
        status = lct_output_write(&w->items.c->output, text, size);
    locant_release(text);
    for (size_t k = 0; k < w->items.n && status == LOCANT_OK; k++)
        status = put_item(w, &w->items.at[k], w->items.entries[k].type);
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
        .items.c = c,
        .items.names = names_of(c),
        .items.type =
            c->options->type ? lct_number_named(c->options->type) : NULL,
    };
    locant_status status = lct_convert_back_items_list(&w.items);

    if (status == LOCANT_OK)
        status = make_room(&w);
    if (status == LOCANT_OK)
        status = put_all(&w);
    if (status == LOCANT_OK)
        status = lct_convert_back_config(c);
    locant_release(w.items.at);
    locant_release(w.items.entries);
    locant_release(w.numbers);
    locant_release(w.stored);
    return status;
}
