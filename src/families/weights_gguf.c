/* weights_gguf.c - see weights_gguf.h */
#include "weights_gguf.h"
#include "../core/quote.h"
#include "../files/path.h"
#include <string.h>

/* Copy the text with a final zero; *room is where the next one goes. */
static const char *copy_text(char **room, const struct lct_text *t)
{
    char *out = *room;

    memcpy(out, t->bytes, t->n);
    out[t->n] = 0;
    *room += t->n + 1;
    return out;
}

/* Is value i a text? */
static bool text_of(struct lct_text *out, const struct lct_gguf *g, size_t i)
{
    return !g->values[i].array && lct_gguf_text(out, g, &g->values[i], 0);
}

/* Bytes of the names of tensors and of the texts. */
static size_t count_strings(const struct lct_weights_gguf *g)
{
    struct lct_text text;
    size_t bytes = 1;

    for (size_t i = 0; i < g->file->n_tensors; i++)
        bytes += g->file->tensors[i].name.n + 1;
    for (size_t i = 0; i < g->file->n_values; i++)
        if (text_of(&text, g->file, i))
            bytes += text.n + 1;
    return bytes;
}

static locant_status copy_names(struct lct_weights_gguf *g, char **room)
{
    char found[LCT_QUOTE_BYTES];

    for (size_t i = 0; i < g->file->n_tensors; i++) {
        const struct lct_text *name = &g->file->tensors[i].name;

        if (memchr(name->bytes, 0, name->n) != NULL)
            return locant_fail(LOCANT_ERR_FORMAT,
                               "%s: tensor '%s': a zero byte in its name",
                               lct_path_tail(g->file->name),
                               lct_quote(found, name->bytes, name->n));
        g->names[i] = copy_text(room, name);
    }
    return LOCANT_OK;
}

static void copy_texts(struct lct_weights_gguf *g, char **room)
{
    struct lct_text text;

    for (size_t i = 0; i < g->file->n_values; i++)
        if (text_of(&text, g->file, i))
            g->texts[i] = copy_text(room, &text);
}

static locant_status copy_strings(struct lct_weights_gguf *g)
{
    char *room = locant_alloc(count_strings(g));

    g->strings = room;
    g->names = locant_alloc((g->file->n_tensors + 1) * sizeof *g->names);
    g->texts = locant_alloc((g->file->n_values + 1) * sizeof *g->texts);
    if (room == NULL || g->names == NULL || g->texts == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory to open it",
                           lct_path_tail(g->file->name));
    LCT_TRY(copy_names(g, &room));
    copy_texts(g, &room);
    return LOCANT_OK;
}

locant_status lct_weights_gguf_open(struct lct_weights_gguf *out,
                                    const char *path, const void *bytes,
                                    size_t size)
{
    *out = (struct lct_weights_gguf){ 0 };
    if (bytes != NULL)
        LCT_TRY(lct_gguf_parse(&out->file, bytes, size, path));
    else
        LCT_TRY(lct_gguf_open(&out->file, path));
    return copy_strings(out);
}

void lct_weights_gguf_close(struct lct_weights_gguf *g)
{
    lct_gguf_close(g->file);
    locant_release(g->strings);
    locant_release(g->names);
    locant_release(g->texts);
    *g = (struct lct_weights_gguf){ 0 };
}

struct lct_weight lct_weights_gguf_tensor(const struct lct_weights_gguf *g,
                                          size_t i, const char *path)
{
    const struct lct_gguf_tensor *t = &g->file->tensors[i];
    struct lct_weight w = { .name = g->names[i],
                            .file = path,
                            .type = t->type,
                            .rank = t->rank,
                            .data = t->data,
                            .bytes = t->bytes };

    memcpy(w.shape, t->shape, sizeof t->shape);
    return w;
}

const char *lct_weights_gguf_text(const struct lct_weights_gguf *g,
                                  const char *key)
{
    const struct lct_gguf_value *v =
        g->file ? lct_gguf_find(g->file, key) : NULL;

    return v ? g->texts[v - g->file->values] : NULL;
}
