/* convert_gguf.c - write a model of safetensors as a GGUF file */
#include "convert_gguf.h"
#include "../core/quote.h"
#include "../files/path.h"
#include <stdio.h>
#include <string.h>

/* A tensor of the output. */
struct item {
    char name[LCT_CONVERT_GGUF_NAME];
    const struct lct_weight *weight; /* the first of those that are stacked */
    const struct lct_convert_part *part;
    int64_t experts; /* stacked tensors; 0: one that is not stacked */
    size_t mark;     /* of the expert's number in the name */
    const struct lct_convert_gguf_extra *extra; /* instead of a weight */
    const struct lct_number *type;
    int rank;
    int64_t shape[4];
    uint64_t bytes;
};

struct writer {
    struct lct_convert *c;
    const struct lct_convert_gguf_family *family;
    struct lct_gguf_write header;
    struct lct_convert_gguf_keys keys;
    struct item *items;
    size_t n;
    const struct lct_number *type; /* of matrices; NULL: as they are */
    float *numbers;                /* of a row, or of a vector */
    unsigned char *stored;
};

static locant_status no_memory(void)
{
    return locant_fail(LOCANT_ERR_NOMEM, "no memory for a GGUF file");
}

static locant_status bad_tensor(locant_status status,
                                const struct lct_weight *w, const char *why)
{
    char found[LCT_QUOTE_BYTES];

    return locant_fail(status, "%s: tensor '%s': %s", lct_path_tail(w->file),
                       lct_quote(found, w->name, strlen(w->name)), why);
}

/* ------------------------------------------------------------------- items */

/* The tensor of expert e: the name of the first with another number. */
static const struct lct_weight *expert_of(const struct writer *w,
                                          const struct item *i, int64_t e)
{
    char name[512];
    const char *rest = i->weight->name + i->mark;
    const int n =
        snprintf(name, sizeof name, "%.*s%lld%s", (int)i->mark, i->weight->name,
                 (long long)e, rest + strspn(rest, "0123456789"));

    return n > 0 && n < (int)sizeof name ? lct_weights_find(w->c->weights, name)
                                         : NULL;
}

/* Count the experts, which must be alike. */
static locant_status count_experts(struct item *i, const struct writer *w)
{
    const struct lct_weight *t;

    for (i->experts = 1; (t = expert_of(w, i, i->experts)) != NULL;
         i->experts++)
        if (t->type != i->weight->type || t->rank != i->weight->rank ||
            memcmp(t->shape, i->weight->shape, sizeof t->shape) != 0)
            return bad_tensor(LOCANT_ERR_FORMAT, t,
                              "its type or shape is not that of expert 0");
    return LOCANT_OK;
}

/* Vectors and what chooses experts are F32; a row that is not of whole blocks
   is F16. */
static const struct lct_number *type_of(const struct writer *w,
                                        const struct item *i)
{
    const struct lct_number *type = w->type ? w->type : i->weight->type;
    const int64_t row = i->rank > 0 ? i->shape[i->rank - 1] : 1;

    if (i->rank < 2 || strstr(i->name, "ffn_gate_inp") != NULL ||
        strstr(i->name, "_norm.") != NULL)
        return lct_number_named("F32");
    return row % type->elements == 0 ? type : lct_number_named("F16");
}

static locant_status add_item(struct writer *w, const struct lct_weight *t)
{
    struct item *i = &w->items[w->n];
    const struct lct_number *type = t->type;
    const char *mark;
    int64_t expert;
    const enum lct_convert_gguf_kind kind =
        lct_convert_gguf_name(i->name, &expert, &mark, t->name, w->family);

    if (kind == LCT_CONVERT_GGUF_LEFT_OUT)
        return LOCANT_OK;
    if (kind == LCT_CONVERT_GGUF_UNKNOWN)
        return bad_tensor(LOCANT_ERR_UNSUPPORTED, t,
                          "has no name in GGUF files of its architecture");
    if (type->gguf < 0)
        return bad_tensor(LOCANT_ERR_UNSUPPORTED, t,
                          "numbers of this type are not written to GGUF; save "
                          "them as BF16 first");
    if (t->rank > 2 || (t->rank < 2 && kind == LCT_CONVERT_GGUF_EXPERT))
        return bad_tensor(LOCANT_ERR_FORMAT, t,
                          "is no matrix and no vector, as its name says");
    if (t->bytes == 0)
        return bad_tensor(LOCANT_ERR_UNSUPPORTED, t,
                          "has no numbers; GGUF files have no such tensors");
    i->weight = t;
    i->mark = mark ? (size_t)(mark - t->name) : 0;
    if (expert > 0) /* written with expert 0, which counts them */
        return expert_of(w, i, expert - 1)
                   ? LOCANT_OK
                   : bad_tensor(LOCANT_ERR_FORMAT, t,
                                "the expert before it is absent");
    i->part = lct_convert_parts_of(&w->c->parts, t);
    i->rank = t->rank;
    memcpy(i->shape, t->shape, sizeof i->shape);
    if (kind == LCT_CONVERT_GGUF_EXPERT) {
        LCT_TRY(count_experts(i, w));
        memmove(i->shape + 1, i->shape, 3 * sizeof *i->shape);
        i->shape[0] = i->experts;
        i->rank++;
    }
    i->type = type_of(w, i);
    w->n++;
    return LOCANT_OK;
}

static void add_extras(struct writer *w)
{
    for (int k = 0; k < w->keys.n_extras; k++) {
        struct item *i = &w->items[w->n++];

        *i = (struct item){ .extra = &w->keys.extras[k],
                            .type = lct_number_named("F32"),
                            .rank = 1,
                            .shape = { (int64_t)w->keys.extras[k].n } };
        snprintf(i->name, sizeof i->name, "%s", w->keys.extras[k].name);
    }
}

static locant_status list_items(struct writer *w)
{
    const struct lct_weight *t;
    size_t n = 0;

    while (lct_weights_at(w->c->weights, n) != NULL)
        n++;
    w->items =
        locant_alloc((n + LCT_CONVERT_GGUF_EXTRAS + 1) * sizeof *w->items);
    if (w->items == NULL)
        return no_memory();
    for (size_t i = 0; (t = lct_weights_at(w->c->weights, i)) != NULL; i++)
        LCT_TRY(add_item(w, t));
    return LOCANT_OK;
}

/* ------------------------------------------------------------------- rows */

/*
 * The old row of row 'row' of the output, whose fused matrices are q | k | v
 * where those of GPT-NeoX are q, k, v of each head.
 */
static int64_t source_of(const struct writer *w, const struct item *i,
                         int64_t row)
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

static locant_status put_numbers(struct writer *w, const struct item *i,
                                 int64_t n)
{
    const size_t blocks = (size_t)(n / i->type->elements);

    lct_number_store(w->stored, i->type, w->numbers, blocks);
    return lct_output_write(&w->c->output, w->stored, blocks * i->type->bytes);
}

/* A matrix, row by row; rows of an unchanged type are copied. */
static locant_status put_matrix(struct writer *w, const struct item *i,
                                const struct lct_weight *t)
{
    const int64_t rows = t->shape[0], n = rows > 0 ? t->shape[1] : 0;
    const size_t bytes = rows > 0 ? t->bytes / (size_t)rows : 0;

    for (int64_t row = 0; row < rows; row++) {
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

/* Is it the weight of a norm that means 1 + w? */
static bool is_plus_one(const struct writer *w, const struct item *i)
{
    return w->family->plus_one && strstr(i->name, "norm.weight") != NULL;
}

/* Numbers of a bias or of a norm, as F32. */
static locant_status put_vector(struct writer *w, const struct item *i)
{
    const int64_t n = lct_weight_elements(i->weight);

    for (int64_t k = 0; k < n; k++) {
        lct_weight_floats(w->numbers + k, i->weight, source_of(w, i, k), 1);
        if (is_plus_one(w, i))
            w->numbers[k] += 1;
    }
    return put_numbers(w, i, n);
}

static locant_status put_item(struct writer *w, const struct item *i)
{
    static const unsigned char zeros[LCT_GGUF_ALIGNMENT];
    const bool vector =
        i->part ? i->part->name.tensor == LCT_CONVERT_VECTOR : i->rank < 2;
    locant_status status = LOCANT_OK;

    if (i->extra != NULL) {
        for (size_t k = 0; k < i->extra->n; k++)
            w->numbers[k] = i->extra->numbers[k];
        status = put_numbers(w, i, (int64_t)i->extra->n);
    } else if (i->experts > 0) {
        for (int64_t e = 0; e < i->experts && status == LOCANT_OK; e++)
            status = put_matrix(w, i, expert_of(w, i, e));
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

    for (size_t k = 0; k < w->n; k++) {
        const struct item *i = &w->items[k];
        const int64_t n = i->extra ? (int64_t)i->extra->n
                          : i->rank < 2 || (i->part && i->part->name.tensor ==
                                                           LCT_CONVERT_VECTOR)
                              ? lct_weight_elements(i->weight)
                              : i->weight->shape[i->weight->rank - 1];

        most = n > most ? n : most;
    }
    w->numbers = locant_alloc((size_t)most * sizeof *w->numbers);
    w->stored = locant_alloc((size_t)most * sizeof *w->numbers + 64);
    return w->numbers && w->stored ? LOCANT_OK : no_memory();
}

static locant_status write_file(struct writer *w)
{
    unsigned char *header;
    locant_status status;
    size_t size;

    for (size_t k = 0; k < w->n; k++)
        w->items[k].bytes = lct_gguf_write_tensor(
            &w->header, w->items[k].name, w->items[k].type, w->items[k].rank,
            w->items[k].shape);
    LCT_TRY(lct_gguf_write_header(&header, &size, &w->header));
    status = lct_output_file(&w->c->output, "model.gguf");
    if (status == LOCANT_OK)
        status = lct_output_write(&w->c->output, header, size);
    locant_release(header);
    for (size_t k = 0; k < w->n && status == LOCANT_OK; k++)
        status = put_item(w, &w->items[k]);
    return status;
}

/* Rows of the table of embeddings; 0: there is none. */
static int64_t vocabulary_of(const struct writer *w)
{
    for (size_t k = 0; k < w->n; k++)
        if (strcmp(w->items[k].name, "token_embd.weight") == 0)
            return w->items[k].shape[0];
    return 0;
}

static locant_status write_all(struct writer *w)
{
    LCT_TRY(list_items(w));
    w->keys = (struct lct_convert_gguf_keys){ .out = &w->header,
                                              .c = w->c,
                                              .family = w->family };
    LCT_TRY(lct_convert_gguf_keys(&w->keys, vocabulary_of(w)));
    add_extras(w);
    LCT_TRY(make_room(w));
    return write_file(w);
}

locant_status lct_convert_gguf(struct lct_convert *c)
{
    struct writer w = {
        .c = c,
        .family = lct_convert_gguf_family(c->config.model_type),
        .type = c->options->type ? lct_number_named(c->options->type) : NULL,
    };
    const locant_status status = write_all(&w);

    for (int k = 0; k < w.keys.n_extras; k++)
        locant_release(w.keys.extras[k].numbers);
    lct_gguf_write_free(&w.header);
    locant_release(w.items);
    locant_release(w.numbers);
    locant_release(w.stored);
    return status;
}
