/* convert_gguf.c - write a model of safetensors as a GGUF file */
#include "convert_gguf.h"
#include "convert_gguf_items.h"
#include "convert_tokenizer.h"
#include <stdio.h>
#include <string.h>

struct writer {
    struct lct_convert *c;
    struct lct_gguf_write header;
    struct lct_convert_gguf_keys keys;
    struct lct_convert_gguf_items items;
    float *numbers; /* of a row, or of a vector */
    unsigned char *stored;
};

static void add_extras(struct writer *w)
{
    for (int k = 0; k < w->keys.n_extras; k++) {
        struct lct_convert_gguf_item *i = &w->items.at[w->items.n++];

        *i = (struct lct_convert_gguf_item){
            .extra = &w->keys.extras[k],
            .type = lct_number_named("F32"),
            .rank = 1,
            .shape = { (int64_t)w->keys.extras[k].n }
        };
        snprintf(i->name, sizeof i->name, "%s", w->keys.extras[k].name);
    }
}

/* ------------------------------------------------------------------- rows */

/*
 * The old row of row 'row' of the output, whose fused matrices are q | k | v
 * where those of GPT-NeoX are q, k, v of each head.
 */
static int64_t source_of(const struct writer *w,
                         const struct lct_convert_gguf_item *i, int64_t row)
{
    const struct lct_convert_part *p = i->part;

    if (p == NULL)
        return row;
    if (p->name.module == LCT_CONVERT_GROUPED) {
        const struct lct_convert_rows *r = &p->rows;
        const int64_t each = r->parts - 2, q = r->groups * each;
        const int64_t head = row / r->width, within = row % r->width;
        const int64_t kind = head < q ? 0 : head < q + r->groups ? 1 : 2;
        const int64_t k = kind == 0 ? head : head - q - (kind - 1) * r->groups;
        const int64_t old = kind == 0 ? k / each * r->parts + k % each
                                      : k * r->parts + each + kind - 1;

        row = old * r->width + within;
    }
    return w->c->from == w->c->to
               ? row
               : lct_convert_rows_source(&p->rows, row, w->c->to);
}

static locant_status
put_numbers(struct writer *w, const struct lct_convert_gguf_item *i, int64_t n)
{
    const size_t blocks = (size_t)(n / i->type->elements);

    lct_number_store(w->stored, i->type, w->numbers, blocks);
    return lct_output_write(&w->c->output, w->stored, blocks * i->type->bytes);
}

/* A matrix, row by row; rows of an unchanged type are copied. */
static locant_status put_matrix(struct writer *w,
                                const struct lct_convert_gguf_item *i,
                                const struct lct_weight *t)
{
    const int64_t rows = t->shape[0], n = rows > 0 ? t->shape[1] : 0;
    const size_t bytes = rows > 0 ? t->bytes / (size_t)rows : 0;

    for (int64_t row = i->first; row < rows; row++) {
        const int64_t from = source_of(w, i, row);

        if (i->type == t->type) {
            LCT_TRY(lct_output_write(&w->c->output,
                                     t->data + (size_t)from * bytes, bytes));
            continue;
        }
        lct_weight_floats(w->numbers, t, from * n, n);
        LCT_TRY(put_numbers(w, i, n));
    }
    return LOCANT_OK;
}

/* A half of kv_b, row by row. */
static locant_status put_half(struct writer *w,
                              const struct lct_convert_gguf_item *i)
{
    const bool keys = i->half == LCT_K_B;
    const struct lct_weight *t = i->weight;

    for (int64_t row = 0; row < i->shape[0] * i->shape[1]; row++) {
        const struct lct_convert_latent_row r =
            keys ? lct_convert_latent_key(&i->latent, row)
                 : lct_convert_latent_value(&i->latent, row);

        if (i->type == t->type && t->type->elements == 1) {
            lct_convert_latent_copy(w->stored, t, r);
            LCT_TRY(lct_output_write(&w->c->output, w->stored,
                                     (size_t)r.n * t->type->bytes));
            continue;
        }
        lct_convert_latent_read(w->numbers, t, r);
        LCT_TRY(put_numbers(w, i, r.n));
    }
    return LOCANT_OK;
}

/* Is it the weight of a norm that means 1 + w? */
static bool is_plus_one(const struct writer *w,
                        const struct lct_convert_gguf_item *i)
{
    return w->items.names.family->plus_one &&
           strstr(i->name, "norm.weight") != NULL;
}

/* Numbers of a bias or of a norm, as F32. */
static locant_status put_vector(struct writer *w,
                                const struct lct_convert_gguf_item *i)
{
    const int64_t n = lct_weight_elements(i->weight);

    for (int64_t k = 0; k < n; k++) {
        lct_weight_floats(w->numbers + k, i->weight, source_of(w, i, k), 1);
        if (is_plus_one(w, i))
            w->numbers[k] += 1;
    }
    return put_numbers(w, i, n);
}

static locant_status put_item(struct writer *w,
                              const struct lct_convert_gguf_item *i)
{
    static const unsigned char zeros[LCT_GGUF_ALIGNMENT];
    const bool vector =
        i->part ? i->part->name.tensor == LCT_CONVERT_VECTOR : i->rank < 2;
    locant_status status = LOCANT_OK;

    if (i->extra != NULL) {
        for (size_t k = 0; k < i->extra->n; k++)
            w->numbers[k] = i->extra->numbers[k];
        status = put_numbers(w, i, (int64_t)i->extra->n);
    } else if (i->half != 0) {
        status = put_half(w, i);
    } else if (i->experts > 0) {
        for (int64_t e = 0; e < i->experts && status == LOCANT_OK; e++)
            status = put_matrix(w, i,
                                lct_convert_gguf_items_expert(&w->items, i, e));
    } else {
        status = vector ? put_vector(w, i) : put_matrix(w, i, i->weight);
    }
    LCT_TRY(status);
    return lct_output_write(
        &w->c->output, zeros,
        (size_t)((LCT_GGUF_ALIGNMENT - i->bytes % LCT_GGUF_ALIGNMENT) %
                 LCT_GGUF_ALIGNMENT));
}

/* --------------------------------------------------------------- the file */

/* Room for the longest row or vector. */
static locant_status make_room(struct writer *w)
{
    int64_t most = 1;

    for (size_t k = 0; k < w->items.n; k++) {
        const struct lct_convert_gguf_item *i = &w->items.at[k];
        const int64_t n = i->extra ? (int64_t)i->extra->n
                          : i->rank < 2 || (i->part && i->part->name.tensor ==
                                                           LCT_CONVERT_VECTOR)
                              ? lct_weight_elements(i->weight)
                              : i->weight->shape[i->weight->rank - 1];

        most = n > most ? n : most;
        if (i->half == LCT_K_B && i->latent.nope > most)
            most = i->latent.nope;
    }
    w->numbers = locant_alloc((size_t)most * sizeof *w->numbers);
    w->stored = locant_alloc((size_t)most * sizeof(double) + 64);
    return w->numbers && w->stored
               ? LOCANT_OK
               : locant_fail(LOCANT_ERR_NOMEM, "no memory for a GGUF file");
}

static locant_status write_file(struct writer *w)
{
    unsigned char *header;
    locant_status status;
    size_t size;

    for (size_t k = 0; k < w->items.n; k++)
        w->items.at[k].bytes = lct_gguf_write_tensor(
            &w->header, w->items.at[k].name, w->items.at[k].type,
            w->items.at[k].rank, w->items.at[k].shape);
    LCT_TRY(lct_gguf_write_header(&header, &size, &w->header));
    status = lct_output_file(&w->c->output, "model.gguf");
    if (status == LOCANT_OK)
        status = lct_output_write(&w->c->output, header, size);
    locant_release(header);
    for (size_t k = 0; k < w->items.n && status == LOCANT_OK; k++)
        status = put_item(w, &w->items.at[k]);
    return status;
}

/* Rows of the table of embeddings; 0: there is none. */
static int64_t vocabulary_of(const struct writer *w)
{
    for (size_t k = 0; k < w->items.n; k++)
        if (strcmp(w->items.at[k].name, "token_embd.weight") == 0)
            return w->items.at[k].shape[0];
    return 0;
}

static locant_status write_all(struct writer *w)
{
    const struct lct_convert_gguf_family *f =
        lct_convert_gguf_family(w->c->config.model_type);

    LCT_TRY(lct_net_families_switches(
        &w->items.net, lct_net_families_find(f->model_type), &w->c->config));
    w->items.names = lct_convert_gguf_names(f, w->items.net.variant);
    LCT_TRY(lct_convert_gguf_items_list(&w->items));
    w->keys = (struct lct_convert_gguf_keys){ .out = &w->header,
                                              .c = w->c,
                                              .family = w->items.names.family,
                                              .net = &w->items.net };
    LCT_TRY(lct_convert_gguf_keys(&w->keys, vocabulary_of(w)));
    if (w->items.denied != NULL)
        return lct_weight_fail(LOCANT_ERR_UNSUPPORTED, w->items.denied,
                               "is a bias that the configuration denies, and "
                               "readers of GGUF would add; expected none");
    LCT_TRY(lct_convert_tokenizer(&w->header, w->c, vocabulary_of(w)));
    add_extras(w);
    LCT_TRY(make_room(w));
    return write_file(w);
}

locant_status lct_convert_gguf(struct lct_convert *c)
{
    struct writer w = {
        .c = c,
        .items.c = c,
        .items.type =
            c->options->type ? lct_number_named(c->options->type) : NULL,
    };
    const locant_status status = write_all(&w);

    for (int k = 0; k < w.keys.n_extras; k++)
        locant_release(w.keys.extras[k].numbers);
    lct_gguf_write_free(&w.header);
    locant_release(w.items.at);
    locant_release(w.numbers);
    locant_release(w.stored);
    return status;
}
