/* net_memory.c - what a decoder sees of an encoder: its keys and values */
#include "net_memory.h"
#include "net_math.h"
#include "net_linear.h"

static locant_status project(struct lct_net_memory *m, const struct lct_net *n,
                             struct lct_net_run *encoder)
{
    const int64_t rows = m->B * m->T;

    for (int64_t i = 0; i < m->n_layers; i++) {
        const struct lct_net_attention *a = n->text.layers[i].cross;

        m->k[i] = lct_net_zeros(rows, a->k.w.out, n->math->item);
        m->v[i] = lct_net_zeros(rows, a->v.w.out, n->math->item);
        if (m->k[i] == NULL || m->v[i] == NULL)
            return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
        lct_net_linear_forward(m->k[i], encoder->x, rows, &a->k,
                               &encoder->room);
        lct_net_linear_forward(m->v[i], encoder->x, rows, &a->v,
                               &encoder->room);
    }
    return LOCANT_OK;
}

static locant_status read_states(struct lct_net_memory *m,
                                 const struct lct_net *n,
                                 struct lct_net_run *encoder,
                                 const struct lct_net_tokens *tokens)
{
    LCT_TRY(lct_net_run_begin_stack(encoder, n, &n->encoder, m->B, m->T, m->T));
    LCT_TRY(lct_net_run_step(encoder, tokens));
    m->padded = encoder->cache->padded;
    for (int64_t i = 0; i < m->B * m->T; i++)
        m->docs[i] = encoder->cache->docs[i];
    return project(m, n, encoder);
}

locant_status lct_net_memory_read(struct lct_net_memory *m,
                                  const struct lct_net *n, int64_t B,
                                  const struct lct_net_tokens *tokens)
{
    struct lct_net_run encoder = { 0 };
    locant_status status;

    m->B = B;
    m->T = tokens->T;
    m->docs = lct_net_zeros(B, m->T, sizeof(*m->docs));
    m->k = lct_net_zeros(n->text.n_layers, 1, sizeof(*m->k));
    m->v = lct_net_zeros(n->text.n_layers, 1, sizeof(*m->v));
    if (m->docs == NULL || m->k == NULL || m->v == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "locant_model: no memory");
    m->n_layers = n->text.n_layers;
    status = read_states(m, n, &encoder, tokens);
    lct_net_run_end(&encoder);
    return status;
}

void lct_net_memory_free(struct lct_net_memory *m)
{
    for (int64_t i = 0; i < m->n_layers; i++) {
        locant_release(m->k[i]);
        locant_release(m->v[i]);
    }
    locant_release(m->k);
    locant_release(m->v);
    locant_release(m->docs);
    *m = (struct lct_net_memory){ 0 };
}
