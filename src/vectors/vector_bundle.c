/* vector_bundle.c - tensors with names, to be written into one file */
#include "vector_bundle.h"
#include <string.h>

static locant_status grow(struct lct_vector_bundle *b)
{
    size_t room = b->room > 0 ? 2 * b->room : 64;
    locant_named_tensor *at;

    if (b->n < b->room)
        return LOCANT_OK;
    at = locant_alloc(room * sizeof *at);
    if (at == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%zu tensors", room);
    if (b->n > 0)
        memcpy(at, b->at, b->n * sizeof *at);
    locant_release(b->at);
    b->at = at;
    b->room = room;
    return LOCANT_OK;
}

/* The name stands in the same allocation, behind the elements. */
locant_status lct_vector_bundle_add(void **data, struct lct_vector_bundle *b,
                                    const char *name, locant_dtype dtype,
                                    int rank, const int64_t *shape)
{
    size_t bytes = locant_dtype_size(dtype), n = strlen(name) + 1;
    char *memory;

    *data = NULL;
    for (size_t i = 0; i < b->n; i++)
        if (strcmp(b->at[i].name, name) == 0)
            return LOCANT_OK;
    LCT_TRY(grow(b));
    for (int i = 0; i < rank; i++)
        bytes *= (size_t)shape[i];
    memory = locant_alloc(bytes + n);
    if (memory == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "%s: %zu bytes", name, bytes);
    memcpy(memory + bytes, name, n);
    b->at[b->n].name = memory + bytes;
    b->at[b->n++].tensor = locant_dense(memory, dtype, rank, shape);
    *data = memory;
    return LOCANT_OK;
}

void lct_vector_bundle_free(struct lct_vector_bundle *b)
{
    for (size_t i = 0; i < b->n; i++)
        locant_release(b->at[i].tensor.data);
    locant_release(b->at);
    memset(b, 0, sizeof *b);
}

/* Rounded up, as a tolerance should be. */
static float above(double x)
{
    return (float)(x * (1 + 0x1p-23));
}

locant_status lct_vector_bundle_values(struct lct_vector_bundle *b,
                                       const struct lct_vector_case *c,
                                       const struct lct_vector_values *v)
{
    bool integers = c->dtype == LOCANT_I64;
    void *data;

    LCT_TRY(lct_vector_bundle_add(&data, b, c->truth,
                                  integers ? LOCANT_I64 : LOCANT_F64, v->rank,
                                  v->shape));
    for (size_t i = 0; data != NULL && i < v->n; i++) {
        if (integers)
            ((int64_t *)data)[i] = (int64_t)v->value[i];
        else
            ((double *)data)[i] = v->value[i];
    }
    if (v->slack == NULL)
        return LOCANT_OK;
    LCT_TRY(lct_vector_bundle_add(&data, b, c->slack, LOCANT_F32, v->rank,
                                  v->shape));
    for (size_t i = 0; data != NULL && i < v->n; i++)
        ((float *)data)[i] = above(v->slack[i]);
    return LOCANT_OK;
}

locant_status lct_vector_bundle_positions(struct lct_vector_bundle *b,
                                          const struct lct_vector_positions *p)
{
    const int64_t shape[2] = { p->n, p->axes };
    bool real = p->coords != NULL;
    void *data;

    LCT_TRY(lct_vector_bundle_add(&data, b, p->name,
                                  real ? LOCANT_F64 : LOCANT_I64, real ? 2 : 1,
                                  shape));
    if (data != NULL && real)
        memcpy(data, p->coords, (size_t)(p->n * p->axes) * sizeof *p->coords);
    for (int64_t i = 0; data != NULL && !real && i < p->n; i++)
        ((int64_t *)data)[i] = lct_vector_groups_position(p, i);
    return LOCANT_OK;
}
