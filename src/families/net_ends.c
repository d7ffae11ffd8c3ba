/* net_ends.c - the ids that begin, end and pad a text */
#include "net_ends.h"
#include "../files/document.h"
#include <stdio.h>

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

locant_status lct_net_ends_read(struct lct_net *n, const char *folder)
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
