/* text_weights.c - the attention of a model on a given text */
#include "text_weights.h"
#include "../files/utf8.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- labels */

/* Bytes of the character at 'text', of which 'left' are there: at least 1.  *c
   is the character, -1: no UTF-8. */
static size_t next(int32_t *c, const char *text, size_t left)
{
    char room[5] = "";
    const char *at = room;

    memcpy(room, text, left < 4 ? left : 4);
    *c = *text == '\0' ? 0 : lct_utf8_next(&at);
    return *text == '\0' ? 1 : (size_t)(at - room);
}

/* Add the character to the label, or an ellipsis once it is full. */
static void add_character(char label[LCT_TEXT_LABEL], int32_t c,
                          const char *text, size_t size)
{
    static const char ellipsis[] = "\xe2\x80\xa6";
    const size_t used = strlen(label), room = LCT_TEXT_LABEL - used;
    char one[8];

    if (used >= 3 && strcmp(label + used - 3, ellipsis) == 0)
        return;
    if (c == ' ')
        snprintf(one, sizeof one, "\xe2\x90\xa3");
    else if (c == '\n')
        snprintf(one, sizeof one, "\xe2\x86\xb5");
    else if (c == '\t')
        snprintf(one, sizeof one, "\xe2\x87\xa5");
    else if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        snprintf(one, sizeof one, "\\x%02x", (unsigned char)text[0]);
    else
        snprintf(one, sizeof one, "%.*s", (int)size, text);
    /* an ellipsis must fit after it */
    snprintf(label + used, room, "%s",
             strlen(one) + sizeof ellipsis <= room ? one : ellipsis);
}

/* Set the labels of all tokens; token i ends before byte end[i]. */
static void set_labels(struct lct_text_tokens *t, const char *text, size_t size,
                       const size_t *end)
{
    size_t at = 0; /* behind the last character that has begun */

    for (int64_t i = 0; i < t->n; i++) {
        char *label = t->label[i];
        const bool inside = i > 0 && at > end[i - 1];

        snprintf(label, LCT_TEXT_LABEL, "%s", inside ? "\xc2\xb7" : "");
        t->divided |= inside;
        while (at < end[i]) {
            int32_t c;
            const size_t bytes = next(&c, text + at, size - at);

            add_character(label, c, text + at, bytes);
            at += bytes;
        }
    }
}

/* ------------------------------------------------------------------- tokens */

static locant_status encode(uint16_t *ids, size_t *n,
                            const struct lct_vocabulary *v, const char *text,
                            size_t size)
{
    if (v != NULL)
        return lct_vocabulary_encode(ids, n, v, (const uint8_t *)text, size);
    for (size_t i = 0; i < size; i++)
        ids[i] = (unsigned char)text[i];
    *n = size;
    return LOCANT_OK;
}

static locant_status set_tokens(struct lct_text_tokens *t, const char *fn,
                                const struct lct_vocabulary *v,
                                const uint16_t *ids, size_t n, const char *text,
                                size_t size)
{
    size_t end[LCT_TEXT_TOKENS], at = 0;

    if (n > LCT_TEXT_TOKENS)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the text has %zu tokens, expected at most %d",
                           fn, n, LCT_TEXT_TOKENS);
    t->n = (int64_t)n;
    for (size_t i = 0; i < n; i++) {
        t->id[i] = ids[i];
        at += ids[i] < LCT_VOCAB ? 1 : v->bytes[ids[i]];
        end[i] = at;
    }
    set_labels(t, text, size, end);
    return LOCANT_OK;
}

locant_status lct_text_read(struct lct_text_tokens *out, const char *fn,
                            const struct lct_vocabulary *v, const char *text,
                            size_t size)
{
    enum { MOST = LCT_TEXT_TOKENS * 1024 }; /* bytes; encoding takes memory */
    uint16_t *ids;
    size_t n = 0;
    locant_status status;

    memset(out, 0, sizeof *out);
    if (size == 0)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the text is empty, expected at least one byte",
                           fn);
    if (size > MOST)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: the text has %zu bytes, expected at most %d",
                           fn, size, MOST);
    ids = locant_alloc(size * sizeof *ids);
    if (ids == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for %zu tokens", fn,
                           size);
    status = encode(ids, &n, v, text, size);
    if (status == LOCANT_OK)
        status = set_tokens(out, fn, v, ids, n, text, size);
    locant_release(ids);
    return status;
}

/* ------------------------------------------------------------------ weights */

struct reading {
    const struct lct_model *model;
    int64_t heads, n;
    int64_t *t;     /* [n] all queries */
    real *row;      /* [heads, n, n] of one layer */
    double *weight; /* [layers, heads, n, n] */
    locant_status status;
};

static void add_layer(const struct lct_layer_state *seen, void *context)
{
    struct reading *r = context;
    const int64_t n = r->n, cells = r->heads * n * n;
    double *to = r->weight + seen->layer * cells;

    if (r->status == LOCANT_OK)
        r->status =
            lct_model_attention_rows(r->model, seen->layer, r->t, n, r->row);
    for (int64_t i = 0; r->status == LOCANT_OK && i < cells; i++)
        to[i] = i % n > i / n % n ? NAN : (double)r->row[i];
}

static locant_status run(struct reading *r, struct lct_model *m,
                         const struct lct_text_tokens *text)
{
    int32_t none[LCT_TEXT_TOKENS];
    locant_status status;

    for (int64_t i = 0; i < text->n; i++) {
        r->t[i] = i;
        none[i] = -1;
    }
    lct_model_watch(m, add_layer, r);
    status = lct_model_forward(m, text->id, none, 1, text->n, NULL, NULL);
    lct_model_watch(m, NULL, NULL);
    return status == LOCANT_OK ? r->status : status;
}

locant_status lct_text_measure(double **weight, struct lct_model *m,
                               const struct lct_text_tokens *text)
{
    const struct lct_model_config *c = lct_model_config_of(m);
    const size_t n = (size_t)text->n, cells = (size_t)c->heads * n * n;
    struct reading r = { .model = m, .heads = c->heads, .n = text->n };
    locant_status status;

    r.t = locant_alloc(n * sizeof *r.t);
    r.row = locant_alloc(cells * sizeof *r.row);
    r.weight = locant_alloc((size_t)c->layers * cells * sizeof *r.weight);
    if (r.t == NULL || r.row == NULL || r.weight == NULL)
        status = locant_fail(LOCANT_ERR_NOMEM,
                             "locant_figure: no memory for the attention of "
                             "%" PRId64 " tokens",
                             text->n);
    else
        status = run(&r, m, text);
    locant_release(r.t);
    locant_release(r.row);
    if (status != LOCANT_OK) {
        locant_release(r.weight);
        r.weight = NULL;
    }
    *weight = r.weight;
    return status;
}
