/* weights_index.c - see weights_index.h */
#include "weights_index.h"
#include "../core/quote.h"
#include "../files/document.h"
#include "../files/path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTAINERS = 1000 /* a whole index has three */ };

static int by_tensor(const void *a, const void *b)
{
    return strcmp(((const struct lct_weights_place *)a)->tensor,
                  ((const struct lct_weights_place *)b)->tensor);
}

static locant_status wrong_shard(const char *name, const char *tensor,
                                 const char *why)
{
    char found[LCT_QUOTE_BYTES];

    return locant_fail(LOCANT_ERR_FORMAT,
                       "%s: weight_map: tensor '%s': %s, the name of a file of "
                       "its folder expected",
                       name, lct_quote(found, tensor, strlen(tensor)), why);
}

/* A shard must lie beside the index: no other place is read. */
static locant_status check_shard(const char *name, const char *tensor,
                                 const json_t *value)
{
    const char *shard = json_string_value(value);
    char found[LCT_QUOTE_BYTES], why[LCT_QUOTE_BYTES + 2];

    if (shard == NULL)
        return wrong_shard(name, tensor, "is no text");
    if (strlen(shard) != json_string_length(value))
        return wrong_shard(name, tensor, "has a zero byte");
    snprintf(why, sizeof why, "'%s'", lct_quote(found, shard, strlen(shard)));
    if (*shard == 0 || strchr(shard, '/') != NULL || strcmp(shard, ".") == 0 ||
        strcmp(shard, "..") == 0)
        return wrong_shard(name, tensor, why);
    return LOCANT_OK;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* List each shard once. */
static void list_shards(struct lct_weights_index *out)
{
    for (size_t i = 0; i < out->n; i++)
        out->shards[i] = out->places[i].shard;
    qsort(out->shards, out->n, sizeof *out->shards, by_text);
    for (size_t i = 0; i < out->n; i++)
        if (i == 0 || by_text(&out->shards[i], &out->shards[i - 1]) != 0)
            out->shards[out->n_shards++] = out->shards[i];
}

static locant_status fill(struct lct_weights_index *out, json_t *map,
                          const char *name)
{
    const char *tensor;
    json_t *value;

    out->places =
        locant_alloc((json_object_size(map) + 1) * sizeof *out->places);
    out->shards =
        locant_alloc((json_object_size(map) + 1) * sizeof *out->shards);
    if (out->places == NULL || out->shards == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: no memory for its %zu names",
                           name, json_object_size(map));
    json_object_foreach(map, tensor, value) {
        LCT_TRY(check_shard(name, tensor, value));
        out->places[out->n++] =
            (struct lct_weights_place){ tensor, json_string_value(value) };
    }
    qsort(out->places, out->n, sizeof *out->places, by_tensor);
    list_shards(out);
    return LOCANT_OK;
}

static locant_status read_map(struct lct_weights_index *out, json_t *root,
                              const char *name)
{
    json_t *map = json_object_get(root, "weight_map");

    out->document = root;
    if (!json_is_object(map))
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: weight_map: %s, an object is required", name,
                           map ? "is no object" : "is absent");
    return fill(out, map, name);
}

locant_status lct_weights_index_parse(struct lct_weights_index *out,
                                      const char *text, size_t n,
                                      const char *name)
{
    json_t *root;

    *out = (struct lct_weights_index){ 0 };
    LCT_TRY(lct_document_parse(&root, text, n, name, CONTAINERS));
    return read_map(out, root, lct_path_tail(name));
}

locant_status lct_weights_index_read(struct lct_weights_index *out,
                                     const char *path)
{
    json_t *root;

    *out = (struct lct_weights_index){ 0 };
    LCT_TRY(lct_document_read(&root, path, CONTAINERS));
    return read_map(out, root, lct_path_tail(path));
}

void lct_weights_index_free(struct lct_weights_index *x)
{
    json_decref(x->document);
    locant_release(x->places);
    locant_release(x->shards);
    *x = (struct lct_weights_index){ 0 };
}

static int tensor_order(const void *tensor, const void *place)
{
    return strcmp(tensor, ((const struct lct_weights_place *)place)->tensor);
}

const char *lct_weights_index_find(const struct lct_weights_index *x,
                                   const char *tensor)
{
    const struct lct_weights_place *found =
        bsearch(tensor, x->places, x->n, sizeof *x->places, tensor_order);

    return found != NULL ? found->shard : NULL;
}
