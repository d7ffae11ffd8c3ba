/* net_convolution.c - a convolution beside the first layer (DeBERTa v2) */
#include "net_convolution.h"
#include "net_family_keys.h"
#include "net_math.h"
#include "net_linear.h"
#include "net_norm.h"
#include <inttypes.h>
#include <string.h>

static locant_status read_keys(struct lct_net_convolution *c,
                               const struct lct_config *config)
{
    const char *act = "tanh";
    int64_t groups = 1;

    LCT_TRY(lct_net_family_keys_whole(&groups, config, "conv_groups"));
    LCT_TRY(lct_net_family_keys_text(&act, config, "conv_act"));
    if (groups != 1)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: conv_groups %" PRId64 " cannot be run, only 1",
                           config->file, groups);
    if (c->kernel % 2 == 0 || c->kernel > 255)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: conv_kernel_size is %" PRId64
                           ", expected an odd number of at most 255",
                           config->file, c->kernel);
    return lct_net_families_act(&c->act, act, config);
}

locant_status lct_net_convolution_bind(struct lct_net_convolution **out,
                                       struct lct_net_binder *b)
{
    struct lct_net *n = b->n;
    const int64_t D = n->width;
    struct lct_net_convolution *c;
    int64_t kernel = 0;

    if (!lct_net_bind_knows(b, LCT_CONVOLUTION))
        return LOCANT_OK;
    LCT_TRY(lct_net_family_keys_whole(&kernel, &n->config, "conv_kernel_size"));
    if (kernel == 0)
        return LOCANT_OK;
    *out = c = lct_net_keep(n, sizeof(*c));
    LCT_NET_GOT(c);
    c->kernel = kernel;
    LCT_TRY(read_keys(c, &n->config));
    LCT_TRY(lct_net_bind_matrix(&c->map.w, b, LCT_CONVOLUTION, ".weight", 3,
                                (int64_t[3]){ D, D, kernel }));
    LCT_TRY(lct_net_matrix_round(n, &c->map.w));
    LCT_TRY(lct_net_bind_numbers(&c->map.bias, b, LCT_CONVOLUTION, ".bias", D));
    return lct_net_bind_norm(&c->norm, b, LCT_CONVOLUTION_NORM, D);
}

/* Row t of the batch's row b: for each channel the numbers of 'kernel' tokens
   around it, 0 beyond the ends and of padding. */
static void gather(void *out, const struct lct_net_run *r, const void *input,
                   int64_t b, int64_t t)
{
    const struct lct_net_math *m = r->n->math;
    const struct lct_net_convolution *c = r->stack->convolution;
    const int64_t D = r->n->width, T = r->cache->length;
    const int64_t *docs = r->cache->docs + b * r->cache->capacity;

    for (int64_t k = 0; k < c->kernel; k++) {
        const int64_t from = t + k - c->kernel / 2;
        const bool seen = from >= 0 && from < T && docs[from] >= 0;

        for (int64_t i = 0; i < D; i++)
            m->set(out, i * c->kernel + k,
                   seen ? m->get(input, (b * T + from) * D + i) : 0);
    }
}

/* x += y, but for rows of padding, then the norm */
static void add_rows(struct lct_net_run *r, void *y, int64_t first, int64_t T)
{
    const struct lct_net_math *m = r->n->math;
    const struct lct_net_convolution *c = r->stack->convolution;
    const int64_t D = r->n->width, rows = r->cache->B * T;

    for (int64_t i = 0; i < rows; i++)
        if (r->cache->docs[i / T * r->cache->capacity + first + i % T] < 0)
            memset(lct_net_math_at(m, y, i * D), 0, (size_t)D * m->item);
    m->activate(y, c->act, rows * D);
    m->add(r->x, y, 1, rows * D);
    lct_net_norm_rows(r->x, r->x, rows, m, &c->norm);
}

locant_status lct_net_convolution_forward(struct lct_net_run *r,
                                          const void *input, int64_t from,
                                          int64_t T)
{
    const struct lct_net_math *m = r->n->math;
    const struct lct_net_convolution *c = r->stack->convolution;
    const int64_t D = r->n->width, B = r->cache->B, each = c->map.w.in;
    const size_t mark = r->room.used;
    void *in = lct_net_take(&r->room, B * T, each);
    void *out = lct_net_take(&r->room, B * T, D);

    LCT_NET_GOT(out);
    for (int64_t i = 0; i < B * T; i++)
        gather(lct_net_math_at(m, in, i * each), r, input, i / T, from + i % T);
    lct_net_linear_forward(out, in, B * T, &c->map, &r->room);
    add_rows(r, out, from, T);
    lct_net_give_back(&r->room, mark);
    return LOCANT_OK;
}
