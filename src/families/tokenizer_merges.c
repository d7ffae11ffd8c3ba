/* tokenizer_merges.c - see tokenizer_merges.h */
#include "tokenizer_merges.h"
#include "../core/quote.h"
#include <string.h>

/* "a b", or ["a", "b"] since 2024 */
bool lct_tokenizer_merge(struct lct_tokenizer_merge *out,
                         const struct lct_tokenizer *t, size_t i)
{
    const json_t *item = json_array_get(t->merges, i);
    const char *text = json_string_value(item), *space;

    if (json_is_array(item) && json_array_size(item) == 2) {
        out->left = json_string_value(json_array_get(item, 0));
        out->right = json_string_value(json_array_get(item, 1));
        if (out->left == NULL || out->right == NULL)
            return false;
        out->n_left = strlen(out->left);
        out->n_right = strlen(out->right);
        return out->n_left > 0 && out->n_right > 0;
    }
    space = text != NULL ? strchr(text, ' ') : NULL;
    if (space == NULL || space == text || space[1] == 0 ||
        strchr(space + 1, ' ') != NULL)
        return false;
    out->left = text;
    out->n_left = (size_t)(space - text);
    out->right = space + 1;
    out->n_right = strlen(space + 1);
    return true;
}

static locant_status no_token(size_t i, const char *text, size_t n,
                              const char *name)
{
    char shown[LCT_QUOTE_BYTES];

    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: model.merges[%zu]: '%s' is no token", name, i,
                       lct_quote(shown, text, n));
}

/* Fail unless both parts and what they make, 'made', are tokens; 'both' has
   room for them and a zero. */
static locant_status find_made(const json_t **made,
                               const struct lct_tokenizer_merge *m, size_t i,
                               const struct lct_tokenizer *t, char *both,
                               const char *name)
{
    memcpy(both, m->left, m->n_left);
    both[m->n_left] = 0;
    if (json_object_get(t->vocab, both) == NULL)
        return no_token(i, m->left, m->n_left, name);
    memcpy(both + m->n_left, m->right, m->n_right);
    both[m->n_left + m->n_right] = 0;
    if (json_object_get(t->vocab, both + m->n_left) == NULL)
        return no_token(i, m->right, m->n_right, name);
    *made = json_object_get(t->vocab, both);
    if (*made == NULL)
        return no_token(i, both, m->n_left + m->n_right, name);
    if (t->kind == LCT_TOKENIZER_BYTES && strchr(both, ' ') != NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: model.merges[%zu]: a space within a part, "
                           "which GGUF files cannot say",
                           name, i);
    return LOCANT_OK;
}

/* Bytes of the longest merge and a zero. */
static locant_status longest(size_t *out, const struct lct_tokenizer *t,
                             const char *name)
{
    struct lct_tokenizer_merge m;

    *out = 1;
    for (size_t i = 0; i < json_array_size(t->merges); i++) {
        if (!lct_tokenizer_merge(&m, t, i))
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: model.merges[%zu] is no pair of texts",
                               name, i);
        if (m.n_left + m.n_right + 1 > *out)
            *out = m.n_left + m.n_right + 1;
    }
    return LOCANT_OK;
}

/* The first merge that makes a token scores it: with the largest number. */
static locant_status read_merges(struct lct_tokenizer *t, char *both,
                                 const char *name)
{
    const size_t n = json_array_size(t->merges);
    const bool scored = t->kind == LCT_TOKENIZER_PIECES;
    struct lct_tokenizer_merge m;
    const json_t *made = NULL;

    for (size_t i = 0; i < t->n && scored; i++)
        t->scores[i] = -(float)n;
    for (size_t i = 0; i < n; i++) {
        float *score;

        lct_tokenizer_merge(&m, t, i);
        LCT_TRY(find_made(&made, &m, i, t, both, name));
        score = &t->scores[json_integer_value(made)];
        if (scored && *score < -(float)i)
            *score = -(float)i;
    }
    return LOCANT_OK;
}

locant_status lct_tokenizer_merges_read(struct lct_tokenizer *t,
                                        const char *name)
{
    locant_status status;
    size_t room;
    char *both;

    if (t->kind != LCT_TOKENIZER_BYTES && t->kind != LCT_TOKENIZER_PIECES)
        return LOCANT_OK;
    if (!json_is_array(t->merges))
        return locant_fail(LOCANT_ERR_FORMAT, "%s: model.merges is no array",
                           name);
    LCT_TRY(longest(&room, t, name));
    both = locant_alloc(room);
    status = both != NULL
                 ? read_merges(t, both, name)
                 : locant_fail(LOCANT_ERR_NOMEM, "%s: no memory", name);
    locant_release(both);
    return status;
}
