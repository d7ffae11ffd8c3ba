/*
 * memory.c - the inputs that each layer keeps from segment to segment.
 *
 * Source: Dai et al. 2019, arXiv:1901.02860v3, section 3.2.  The new memory is
 * the last tokens of the old memory followed by the segment.
 */
#include "parts.h"
#include <inttypes.h>
#include <string.h>

static size_t bytes_of(const struct lct_model *m, int64_t tokens)
{
    return (size_t)(tokens * m->config.width) * sizeof(real);
}

/* Offset of the segment of row b in [B, S, width]. */
static int64_t segment(const struct lct_model *m, int64_t b)
{
    return (b * m->S + m->past) * m->config.width;
}

void lct_memory_join(const struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t width = m->config.width;

    for (int64_t b = 0; b < m->B; b++) {
        memcpy(a->joined + b * m->S * width, a->memory + b * m->past * width,
               bytes_of(m, m->past));
        memcpy(a->joined + segment(m, b), a->x + b * m->T * width,
               bytes_of(m, m->T));
    }
}

void lct_memory_keep(struct lct_model *m, int64_t layer)
{
    const struct lct_layer *a = &m->layers[layer];
    const int64_t width = m->config.width, n = lct_memory_tokens_after(m);

    for (int64_t b = 0; b < m->B; b++)
        memcpy(a->memory + b * n * width,
               a->joined + ((b + 1) * m->S - n) * width, bytes_of(m, n));
}

void lct_memory_extract(const struct lct_model *m, real *part,
                        const real *joined)
{
    for (int64_t b = 0; b < m->B; b++)
        memcpy(part + b * m->T * m->config.width, joined + segment(m, b),
               bytes_of(m, m->T));
}

void lct_memory_insert(const struct lct_model *m, real *joined,
                       const real *part)
{
    memset(joined, 0, bytes_of(m, m->B * m->S));
    for (int64_t b = 0; b < m->B; b++)
        memcpy(joined + segment(m, b), part + b * m->T * m->config.width,
               bytes_of(m, m->T));
}

void lct_memory_add(const struct lct_model *m, real *part, const real *joined)
{
    const int64_t n = m->T * m->config.width;

    for (int64_t b = 0; b < m->B; b++)
        for (int64_t i = 0; i < n; i++)
            part[b * n + i] += joined[segment(m, b) + i];
}

/* ------------------------------------------------------------------ public */

void lct_model_clear_memory(struct lct_model *m)
{
    m->memory_size = (struct lct_memory_size){ 0, 0 };
}

struct lct_memory_size lct_model_memory_size(const struct lct_model *m)
{
    return m->memory_size;
}

real *lct_model_layer_memory(struct lct_model *m, int64_t layer)
{
    return m->layers[layer].memory;
}

locant_status lct_model_set_memory_size(struct lct_model *m,
                                        struct lct_memory_size size)
{
    if (size.rows < 0 || size.rows > m->batch || size.tokens < 0 ||
        size.tokens > m->config.memory)
        return locant_fail(LOCANT_ERR_PARAM,
                           "lct_model_set_memory_size: %" PRId64 " x %" PRId64
                           " tokens, expected at most %" PRId64 " x %" PRId64,
                           size.rows, size.tokens, m->batch, m->config.memory);
    m->memory_size = size;
    return LOCANT_OK;
}
