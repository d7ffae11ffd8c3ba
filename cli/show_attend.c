/* show_attend.c - the attention of a few tokens, for numbers and pictures. */
#include <math.h>
#include <string.h>

#include "show.h"

int64_t show_stride(const locant_encoding *e)
{
    static const struct {
        const char *name;
        int64_t stride;
    } far[] = {
        { "temperature", 1024 }, { "window", 16 },     { "longlora", 16 },
        { "rerope", 32 },        { "selfextend", 32 }, { "streaming", 32 },
    };
    const char *name = locant_encoding_info_of(e)->name;

    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
        if (strcmp(name, far[i].name) == 0)
            return far[i].stride;
    return 1;
}

static int all_zero(const struct cli_encoding *c)
{
    for (int k = 0; k < c->n_params; k++)
        for (size_t i = 0; i < cli_elements(&c->params[k]); i++)
            if (((const double *)c->params[k].data)[i] != 0)
                return 0;
    return c->n_params > 0;
}

int show_open(struct cli_encoding *c, int *filled, const locant_encoding *e,
              int64_t length, const locant_sizes *sizes, int random)
{
    struct cli_params drawn = { .seed = 0 };
    locant_random r = { .seed = 0, .stream = 77 };
    int failed =
        cli_encoding_open(c, locant_encoding_spec(e), &drawn, length, sizes);

    *filled = !failed && all_zero(c);
    for (int k = 0; *filled && k < c->n_params; k++) {
        double *x = c->params[k].data;

        for (size_t i = 0; i < cli_elements(&c->params[k]); i++)
            x[i] =
                random ? 2 * locant_random_uniform(&r) - 1 : 0.01 * (double)i;
        if (locant_encoding_param_project(&c->params[k], c->e, k) != LOCANT_OK)
            return cli_error(LOCANT_ERR_PARAM);
    }
    return failed;
}

/* Query i is sin(i + d), key j is cos(j - d), x_j is sin(j d); if how->random,
   all are normal numbers. */
static void fill(double *out, int kind, const struct show_attention *how)
{
    locant_random r = { .seed = 0, .stream = (uint64_t)kind };

    for (int64_t t = 0; t < how->tokens; t++)
        for (int64_t d = 0; d < how->dim; d++) {
            double *x = &out[t * how->dim + d];

            if (how->random)
                *x = locant_random_normal(&r);
            else
                *x = kind == 0   ? sin((double)(t + d))
                     : kind == 1 ? cos((double)(t - d))
                                 : sin((double)(t * d));
        }
}

struct parts {
    locant_array q, k, v, x, pos, lse, scratch;
};

static int make(struct parts *p, locant_attention *a,
                const struct show_attention *how)
{
    const int64_t shape[] = { 1, 1, how->tokens, how->dim };
    const int64_t x[] = { 1, how->tokens, how->dim };
    locant_array *in[] = { &p->q, &p->k, &p->v };
    int failed = cli_new(&p->x, LOCANT_F64, 3, x);

    for (int i = 0; i < 3 && !failed; i++)
        failed = cli_new(in[i], LOCANT_F64, 4, shape);
    if (!failed)
        failed = cli_new(&p->lse, LOCANT_F64, 3, shape);
    if (!failed)
        failed = cli_new(&p->pos, LOCANT_I64, 1, &how->tokens);
    if (failed)
        return failed;
    fill(p->q.memory, 0, how);
    fill(p->k.memory, 1, how);
    fill(p->x.memory, 2, how);
    for (int64_t t = 0; t < how->tokens; t++) {
        ((int64_t *)p->pos.memory)[t] = t * how->stride;
        for (int64_t d = 0; d < how->dim; d++)
            ((double *)p->v.memory)[t * how->dim + d] =
                t == d && !how->no_values;
    }
    a->q = &p->q.tensor;
    a->k = &p->k.tensor;
    a->v = &p->v.tensor;
    a->q_pos = a->k_pos = &p->pos.tensor;
    a->mask = LOCANT_MASK_CAUSAL;
    return CLI_OK;
}

/* *s is the library's status; returns an exit status. */
static int attend(locant_status *s, double *out, struct parts *p,
                  locant_attention *a)
{
    locant_tensor t = locant_dense(out, LOCANT_F64, 4, p->q.tensor.shape);
    int64_t n;
    size_t bytes;
    int failed;

    *s = locant_attention_workspace(&bytes, a);
    if (*s != LOCANT_OK)
        return CLI_OK;
    n = (int64_t)(bytes / sizeof(double) + 1);
    failed = cli_new(&p->scratch, LOCANT_F64, 1, &n);
    if (!failed)
        *s = locant_attention_forward(&t, &p->lse.tensor, a, p->scratch.memory,
                                      bytes);
    return failed;
}

static int run(locant_status *s, double *out, const struct cli_encoding *c,
               const struct show_attention *how)
{
    locant_attention a = LOCANT_ATTENTION_INIT;
    struct parts p;
    int first, failed;

    memset(&p, 0, sizeof p);
    a.encoding = locant_encoding_layer(&first, c->e, how->layer);
    a.params = c->n_params > first ? c->params + first : NULL;
    failed = make(&p, &a, how);
    if (locant_encoding_traits(a.encoding) & LOCANT_TRAIT_READS_X)
        a.x = &p.x.tensor;
    if (!failed)
        failed = attend(s, out, &p, &a);
    cli_free(&p.q);
    cli_free(&p.k);
    cli_free(&p.v);
    cli_free(&p.x);
    cli_free(&p.pos);
    cli_free(&p.lse);
    cli_free(&p.scratch);
    return failed;
}

int show_attend(double *out, const struct cli_encoding *c,
                const struct show_attention *how)
{
    locant_status s = LOCANT_OK;
    int failed = run(&s, out, c, how);

    return failed || s == LOCANT_OK ? failed : cli_error(s);
}

int show_weights(double *out, const struct cli_encoding *c,
                 const struct show_attention *how)
{
    struct show_attention blank = *how;
    const int64_t n = how->tokens * how->dim;
    double *added = locant_alloc((size_t)n * sizeof *added);
    int failed;

    if (added == NULL)
        return cli_fail(CLI_INPUT, "out of memory");
    blank.no_values = 1;
    failed = show_attend(out, c, how);
    if (!failed)
        failed = show_attend(added, c, &blank);
    for (int64_t i = 0; i < n && !failed; i++)
        out[i] -= added[i];
    locant_release(added);
    return failed;
}

int show_dim(int64_t *dim, const locant_encoding *e, int layer, int64_t length,
             int64_t least)
{
    static const int64_t sizes[] = { 8,  12, 16,  24,  32,  48,
                                     64, 96, 128, 192, 256, SHOW_MOST_DIM };

    *dim = least;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct show_attention how = { 2, sizes[i], 1, layer, 0, 0 };
        double out[2 * SHOW_MOST_DIM];
        locant_status s = LOCANT_OK;
        struct cli_encoding c;
        int filled, failed;

        if (sizes[i] < least)
            continue;
        failed = show_open(&c, &filled, e, length,
                           &(locant_sizes){ sizes[i], 1, 1, sizes[i] }, 0);
        if (!failed)
            failed = run(&s, out, &c, &how);
        cli_encoding_close(&c);
        if (failed || s == LOCANT_OK) {
            *dim = sizes[i];
            return failed;
        }
    }
    return CLI_OK;
}
