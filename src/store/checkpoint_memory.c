/*
 * checkpoint_memory.c - the memory of layers in a checkpoint.
 *
 * A tensor [rows, tokens, width] for each layer, all of one size, or none.
 */
#include "checkpoint_memory.h"
#include "../files/hash.h"
#include "sums.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef char memory_name[LCT_CHECKPOINT_MEMORY_NAME];

static void print_name(memory_name out, int64_t layer)
{
    snprintf(out, sizeof(memory_name), "layer%" PRId64 ".memory", layer);
}

static struct lct_memory_size size_of(const struct lct_model *model,
                                      const struct lct_checkpoint *c)
{
    return c->memory ? c->memory->size : lct_model_memory_size(model);
}

int64_t lct_checkpoint_memory_layers(const struct lct_model *model,
                                     const struct lct_checkpoint *c)
{
    return size_of(model, c).tokens > 0 ? lct_model_config_of(model)->layers
                                        : 0;
}

/* The memory of layer l as a tensor. */
static locant_tensor tensor_of(struct lct_model *model,
                               const struct lct_checkpoint *c, int64_t l)
{
    const struct lct_memory_size size = size_of(model, c);
    const int64_t width = lct_model_config_of(model)->width;
    const int64_t shape[3] = { size.rows, size.tokens, width };
    real *data = c->memory
                     ? c->memory->data + l * size.rows * size.tokens * width
                     : lct_model_layer_memory(model, l);

    return locant_dense(data, LCT_REAL_DTYPE, 3, shape);
}

void lct_checkpoint_memory_list(locant_named_tensor *list,
                                struct lct_model *model,
                                const struct lct_checkpoint *c,
                                char (*names)[LCT_CHECKPOINT_MEMORY_NAME])
{
    for (int64_t l = 0; l < lct_checkpoint_memory_layers(model, c); l++) {
        print_name(names[l], l);
        list[l].name = names[l];
        list[l].tensor = tensor_of(model, c, l);
    }
}

/* The memory of layer l in the file; NULL: there is none. */
static const locant_tensor *find(const locant_tensors *file, int64_t l)
{
    memory_name name;

    print_name(name, l);
    return locant_tensors_find(file, name);
}

/* The number of layers that may have memory in a checkpoint of this model. */
static int64_t most_layers(const struct lct_model *model)
{
    const struct lct_model_config *config = lct_model_config_of(model);

    return config->memory > 0 ? config->layers : 0;
}

/* Does layer l have memory of the size of the first, or both of them none? */
static bool is_right(const locant_tensors *file, int64_t l,
                     const struct lct_model *model)
{
    const struct lct_model_config *config = lct_model_config_of(model);
    const locant_tensor *first = find(file, 0), *t = find(file, l);

    if (first == NULL || t == NULL)
        return first == t;
    return t->dtype == LCT_REAL_DTYPE && t->rank == 3 && first->rank == 3 &&
           memcmp(t->shape, first->shape, 3 * sizeof *t->shape) == 0 &&
           t->shape[0] >= 1 && t->shape[1] >= 1 &&
           t->shape[1] <= config->memory && t->shape[2] == config->width;
}

static const char *check(const locant_tensors *file,
                         const struct lct_model *model)
{
    for (int64_t l = 0; l < most_layers(model); l++)
        if (!is_right(file, l, model))
            return "memory is missing or has another shape";
    return NULL;
}

const char *lct_checkpoint_memory_hash(uint64_t *hash,
                                       const locant_tensors *file,
                                       const struct lct_model *model)
{
    const char *wrong = check(file, model);

    for (int64_t l = 0; wrong == NULL && l < most_layers(model); l++) {
        const locant_tensor *t = find(file, l);

        if (t != NULL)
            *hash = lct_hash(*hash, t->data, lct_sums_bytes(t));
    }
    return wrong;
}

static bool set_size(struct lct_model *model, const struct lct_checkpoint *c,
                     struct lct_memory_size size)
{
    if (c->memory == NULL)
        return lct_model_set_memory_size(model, size) == LOCANT_OK;
    if (size.rows > c->memory->rows)
        return false;
    c->memory->size = size;
    return true;
}

const char *lct_checkpoint_memory_read(struct lct_model *model,
                                       const struct lct_checkpoint *c,
                                       const locant_tensors *file)
{
    const int64_t layers = most_layers(model);
    const locant_tensor *first = layers > 0 ? find(file, 0) : NULL;
    const char *wrong = check(file, model);
    struct lct_memory_size size = { 0, 0 };

    if (wrong != NULL)
        return wrong;
    if (first != NULL)
        size = (struct lct_memory_size){ first->shape[0], first->shape[1] };
    if (!set_size(model, c, size))
        return "memory has more rows than a batch";
    for (int64_t l = 0; first != NULL && l < layers; l++) {
        const locant_tensor *t = find(file, l);

        memcpy(tensor_of(model, c, l).data, t->data, lct_sums_bytes(t));
    }
    return NULL;
}
