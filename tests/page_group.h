/*
 * page_group.h - a group of results of any encoding, with parameters as if
 * trained, for the tests of the page.
 */
#ifndef PAGE_GROUP_H
#define PAGE_GROUP_H
#include "testing.h"
#include "measure/claims.h"
#include "measure/gates.h"
#include "measure/numbers.h"
#include "report/page.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 8, WIDTH = 64 };

static inline void make_params(struct lct_group *g, const locant_encoding *e)
{
    const locant_sizes sizes = { .width = WIDTH,
                                 .heads = HEADS,
                                 .head_dim = WIDTH / HEADS };
    locant_param_info info;

    while (g->n_params < LCT_GROUP_PARAMS &&
           locant_encoding_param(&info, e, g->n_params, &sizes)) {
        size_t n = 1;
        float *data;
        for (int i = 0; i < info.rank; i++)
            n *= (size_t)info.shape[i];
        data = calloc(n, sizeof *data);
        g->params[g->n_params] =
            locant_dense(data, LOCANT_F32, info.rank, info.shape);
        CHECK_OK(locant_encoding_param_init(&g->params[g->n_params], e,
                                            g->n_params, 3));
        for (size_t i = 0; i < n && info.rate > 0; i++)
            data[i] += 0.3f * (float)test_uniform();
        CHECK_OK(locant_encoding_param_project(&g->params[g->n_params], e,
                                               g->n_params));
        g->n_params++;
    }
}

/* A group of this encoding, trained, without runs. */
static inline void make_encoding(struct lct_group *g, const char *spec,
                                 int64_t length)
{
    locant_encoding *plain, *e;

    CHECK_OK(locant_encoding_create(&plain, spec));
    CHECK_OK(locant_encoding_resolve(&e, plain, length));
    g->info = locant_encoding_info_of(e);
    g->doors = locant_encoding_doors(e);
    g->traits = locant_encoding_traits(e);
    snprintf(g->spec, sizeof g->spec, "%s", locant_encoding_spec(e));
    make_params(g, e);
    locant_encoding_free(plain);
    locant_encoding_free(e);
}

static inline size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}
#endif
