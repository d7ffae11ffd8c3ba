/* show_attend.c - small inputs and their attention, to print and to draw. */
#include <math.h>
#include <string.h>

#include "show.h"

int64_t show_stride(const locant_encoding *e)
{
    static const struct {
        const char *name;
        int64_t stride;
    } strides[] = {
        { "temperature", 1024 }, { "chunked", 2048 }, { "window", 16 },
        { "longlora", 16 },      { "rerope", 32 },    { "selfextend", 32 },
        { "streaming", 32 },
    };
    const char *name = locant_encoding_info_of(e)->name;

    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++)
        if (strcmp(name, strides[i].name) == 0)
            return strides[i].stride;
    return 1;
}

/* Whether there are parameters and all are 0. */
static int all_zero(const struct cli_encoding *c)
{
    for (int k = 0; k < c->n_params; k++)
        for (size_t i = 0; i < cli_elements(&c->params[k]); i++)
            if (((const double *)c->params[k].data)[i] != 0)
                return 0;
    return c->n_params > 0;
}

locant_sizes show_one_head(int64_t dim)
{
    return (locant_sizes){
        .width = dim, .heads = 1, .kv_heads = 1, .head_dim = dim
    };
}

int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, enum show_fill fill)
{
    struct cli_params drawn = { .seed = 0 };
    locant_random r = { .seed = 0, .stream = 77 };

    CLI_TRY(
        cli_encoding_open(c, locant_encoding_spec(e), &drawn, length, sizes));
    *filled = all_zero(c);
    for (int k = 0; *filled && k < c->n_params; k++) {
        double *x = c->params[k].data;

        for (size_t i = 0; i < cli_elements(&c->params[k]); i++)
            x[i] = fill == SHOW_RANDOM ? 2 * locant_random_uniform(&r) - 1
                                       : 0.01 * (double)i;
        CLI_TRY(
            cli_status(locant_encoding_param_project(&c->params[k], c->e, k)));
    }
    return CLI_OK;
}

int show_positions(locant_tensor *out, const locant_encoding *e, int64_t n,
                   double step)
{
    if (!(locant_encoding_traits(e) & LOCANT_TRAIT_REAL))
        return cli_range(out, 0, n);
    CLI_TRY(cli_new(out, LOCANT_F64, 1, &n));
    for (int64_t i = 0; i < n; i++)
        ((double *)out->data)[i] = step * (double)i;
    return CLI_OK;
}

int show_training_positions(locant_status *s, locant_tensor *out,
                            const locant_encoding *e, int64_t n, int seed)
{
    const int real = locant_encoding_traits(e) & LOCANT_TRAIT_REAL;

    CLI_TRY(cli_new(out, real ? LOCANT_F64 : LOCANT_I64, 2,
                    (const int64_t[]){ 1, n }));
    *s = locant_encoding_ids(out, e, (uint64_t)seed, 1);
    return CLI_OK;
}

int show_rotate(locant_status *s, locant_tensor *out,
                const struct cli_encoding *c, int64_t D,
                const locant_tensor *positions, enum show_vector vector,
                int flags)
{
    int64_t shape[] = { 1, positions->shape[0], D };
    locant_tensor x;

    CLI_TRY(cli_new(&x, LOCANT_F64, 3, shape));
    for (int64_t i = 0; i < shape[1] * D; i++)
        ((double *)x.data)[i] =
            vector == SHOW_COUNTING ? (double)(i % D + 1) : 1;
    shape[2] = locant_encoding_rotated_width(c->e, D);
    CLI_TRY(cli_new(out, LOCANT_F64, 3, shape));
    *s = locant_encoding_rotate(out, &x, c->e, positions, cli_params(c), flags);
    return CLI_OK;
}

/* ---------------------------------------------------------------- attention */

enum input { QUERY, KEY, LAYER_INPUT };

/* Query t is sin(t + d), key t is cos(t - d), layer input t is sin(t d); if
   how->random, all are normal numbers. */
static void fill_input(double *out, enum input input,
                       const struct show_attention *how)
{
    locant_random r = { .seed = 0, .stream = (uint64_t)input };

    for (int64_t t = 0; t < how->tokens; t++)
        for (int64_t d = 0; d < how->dim; d++) {
            double *x = &out[t * how->dim + d];

            if (how->random)
                *x = locant_random_normal(&r);
            else
                *x = input == QUERY ? sin((double)(t + d))
                     : input == KEY ? cos((double)(t - d))
                                    : sin((double)(t * d));
        }
}

/* Memory of an attention problem. */
struct arrays {
    locant_tensor q, k, v, x, pos, lse, scratch;
};

static int make_arrays(struct arrays *p, locant_attention *a,
                       const struct show_attention *how)
{
    const int64_t shape[] = { 1, 1, how->tokens, how->dim };

    CLI_TRY(cli_new(&p->q, LOCANT_F64, 4, shape));
    CLI_TRY(cli_new(&p->k, LOCANT_F64, 4, shape));
    CLI_TRY(cli_new(&p->v, LOCANT_F64, 4, shape));
    CLI_TRY(cli_new(&p->x, LOCANT_F64, 3, shape + 1));
    CLI_TRY(cli_new(&p->lse, LOCANT_F64, 3, shape));
    CLI_TRY(cli_new(&p->pos, LOCANT_I64, 1, &how->tokens));
    fill_input(p->q.data, QUERY, how);
    fill_input(p->k.data, KEY, how);
    fill_input(p->x.data, LAYER_INPUT, how);
    for (int64_t t = 0; t < how->tokens; t++) {
        ((int64_t *)p->pos.data)[t] = t * how->stride;
        for (int64_t d = 0; d < how->dim; d++)
            ((double *)p->v.data)[t * how->dim + d] = t == d && !how->no_values;
    }
    a->q = &p->q;
    a->k = &p->k;
    a->v = &p->v;
    a->q_pos = a->k_pos = &p->pos;
    a->mask = LOCANT_MASK_CAUSAL;
    return CLI_OK;
}

/* Compute *out [tokens, dim]; *s is the library's status. */
static int attend(locant_status *s, double **out, const struct cli_encoding *c,
                  const struct show_attention *how)
{
    locant_attention a = LOCANT_ATTENTION_INIT;
    locant_tensor t;
    struct arrays p;
    size_t bytes;
    int64_t n;
    int first;

    a.encoding = locant_encoding_layer(&first, c->e, how->layer);
    a.params = c->n_params > first ? c->params + first : NULL;
    CLI_TRY(make_arrays(&p, &a, how));
    if (locant_encoding_traits(a.encoding) & LOCANT_TRAIT_READS_X)
        a.x = &p.x;
    *s = locant_attention_workspace(&bytes, &a);
    if (*s != LOCANT_OK)
        return CLI_OK;
    n = (int64_t)(bytes / sizeof(double) + 1);
    CLI_TRY(cli_new(&p.scratch, LOCANT_F64, 1, &n));
    CLI_TRY(cli_new(&t, LOCANT_F64, 4, p.q.shape));
    *s = locant_attention_forward(&t, &p.lse, &a, p.scratch.data, bytes);
    *out = t.data;
    return CLI_OK;
}

int show_attend(double **out, const struct cli_encoding *c,
                const struct show_attention *how)
{
    locant_status s;

    CLI_TRY(attend(&s, out, c, how));
    return cli_status(s);
}

int show_weights(double **out, const struct cli_encoding *c,
                 const struct show_attention *how)
{
    struct show_attention no_values = *how;
    double *added;

    /* with v = 0 the output is what the encoding adds to values */
    no_values.no_values = 1;
    CLI_TRY(show_attend(out, c, how));
    CLI_TRY(show_attend(&added, c, &no_values));
    for (int64_t i = 0; i < how->tokens * how->dim; i++)
        (*out)[i] -= added[i];
    return CLI_OK;
}

const int64_t show_dims[] = { 8,  12,  16,  24,  32,  48, 64,
                              96, 128, 192, 256, 512, 0 };

int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least)
{
    for (const int64_t *D = show_dims; *D != 0; D++) {
        const struct show_attention how = {
            .tokens = 2, .dim = *D, .stride = 1, .layer = layer
        };
        const locant_sizes sizes = show_one_head(*D);
        struct cli_encoding c;
        locant_status s;
        double *out;
        int filled;

        if (*D < least)
            continue;
        *dim = *D;
        CLI_TRY(show_open(&c, &filled, e, length, &sizes, SHOW_STEPS));
        CLI_TRY(attend(&s, &out, &c, &how));
        if (s == LOCANT_OK)
            return CLI_OK;
    }
    *dim = least;
    return CLI_OK;
}
