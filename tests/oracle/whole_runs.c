/*
 * whole_runs.c - the same tokens in other company: behind padding, packed with
 * another document, in chunks of queries, against a growing cache.
 */
#include "whole_calls.h"
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------- comparing */

/*
 * The same computation has the same bits in double.  In float32, tiles may
 * begin at another key: a few roundings of scores of a few units.
 */
static double tolerance(const struct whole_pool *p, double size)
{
    return p->dtype == LOCANT_F64 ? 0 : 0x1p-18 * (1 + size);
}

/* Rows 'at' .. of 'got' against rows 'from' .. of 'want', dimension 'dim'. */
static void same_rows(const struct whole_pool *p, const char *what,
                      const locant_tensor *got, int64_t at,
                      const locant_tensor *want, int64_t from, int64_t n)
{
    int dim = got->rank == 3 && got->shape[2] == p->c.w.W && what[1] == 'x'
                  ? 1 : 2;
    locant_tensor a = *got, b = *want;
    size_t size = locant_dtype_size(p->dtype);

    a.data = (char *)a.data + (size_t)(at * a.stride[dim]) * size;
    b.data = (char *)b.data + (size_t)(from * b.stride[dim]) * size;
    a.shape[dim] = b.shape[dim] = n;
    for (size_t i = 0; i < attend_count(&a); i++) {
        double x = attend_get(&b, i);

        whole_near(&p->c, what, i, attend_get(&a, i), x,
                   tolerance(p, fabs(x)));
    }
}

/* Queries 'at' .. and keys 'at' .. of 'got' are those 'from' .. of 'want'. */
static void same_tokens(const struct whole_pool *p, const char *what,
                        const struct whole_call *got, int64_t at,
                        const struct whole_call *want, int64_t from, int64_t n)
{
    char text[80];
    const struct {
        const char *name;
        const locant_tensor *got, *want;
    } all[] = {
        { "out", &got->out, &want->out }, { "lse", &got->lse, &want->lse },
        { "dq", &got->dq, &want->dq },    { "dk", &got->dk, &want->dk },
        { "dv", &got->dv, &want->dv },    { "dx", &got->dx, &want->dx },
    };
    size_t count = p->c.traits & LOCANT_TRAIT_READS_X ? 6 : 5;

    for (size_t i = 0; i < count; i++) {
        strcpy(text, all[i].name);
        strcat(text, what);
        same_rows(p, text, all[i].got, at, all[i].want, from, n);
    }
}

/* Parameters of one call are those of one or two others, summed up in the
 * parameter's type. */
static void same_params(const struct whole_pool *p,
                        const struct whole_call *got,
                        const struct whole_call *a,
                        const struct whole_call *b)
{
    for (int k = 0; k < p->c.params; k++)
        for (size_t i = 0; p->c.p[k].rate != 0 && i < p->c.p[k].size; i++) {
            double x = oracle_get(&a->grad[k], i);
            double y = b != NULL ? oracle_get(&b->grad[k], i) : 0;
            double unit = p->c.grad[k].dtype == LOCANT_F32 ||
                                  p->dtype == LOCANT_F32
                              ? 0x1p-16
                              : 0x1p-40;

            whole_near(&p->c, "dparams in other company", i,
                       oracle_get(&got->grad[k], i), x + y,
                       unit * (1 + fabs(x) + fabs(y)));
        }
}

/* Padding sees nothing and is not seen: zeros. */
static void pads_are_nothing(const struct whole_pool *p,
                             const struct whole_call *c, int64_t pads)
{
    const locant_tensor *all[] = { &c->out, &c->dq, &c->dk, &c->dv };

    for (size_t n = 0; n < LEN(all); n++) {
        locant_tensor t = *all[n];

        t.shape[2] = pads;
        for (size_t i = 0; i < attend_count(&t); i++)
            whole_near(&p->c, "gradient or output of padding", i,
                       attend_get(&t, i), 0, 0);
    }
}

/* -------------------------------------------------------------- in company */

static void padded(const struct whole_pool *p, const struct whole_call *want)
{
    int64_t pads = test_range(1, 4);
    struct whole_call c;

    memset(&c, 0, sizeof(c));
    c.docs = 1;
    for (int64_t i = 0; i < pads; i++)
        whole_add_both(&c, WHOLE_PAD, p->first, -1);
    for (int64_t t = 0; t < p->n; t++)
        whole_add_both(&c, t, p->first + t, 0);
    whole_ask(&c, p);
    same_tokens(p, " behind padding", &c, pads, want, 0, p->n);
    pads_are_nothing(p, &c, pads);
    same_params(p, &c, want, NULL);
    whole_answers_free(&c, p);
}

/* What depends on the longest of a call gets documents of one length. */
static void packed(const struct whole_pool *p)
{
    int all = whole_word(p->c.spec, "length", "call", 0);
    int64_t cut = all ? p->n / 2 : test_range(1, p->n - 1);
    int64_t end = all ? 2 * cut : p->n;
    struct whole_call c, one, two;

    memset(&c, 0, sizeof(c));
    c.docs = 1;
    for (int64_t t = 0; t < cut; t++)
        whole_add_both(&c, t, p->first + t, 3);
    for (int64_t t = cut; t < end; t++)
        whole_add_both(&c, t, p->first + t - cut, 7);
    whole_plain(&one, p, 0, cut);
    whole_plain(&two, p, cut, end);
    whole_ask(&c, p);
    whole_ask(&one, p);
    whole_ask(&two, p);
    same_tokens(p, " of the first document", &c, 0, &one, 0, cut);
    same_tokens(p, " of the second document", &c, cut, &two, 0, end - cut);
    same_params(p, &c, &one, &two);
    whole_answers_free(&c, p);
    whole_answers_free(&one, p);
    whole_answers_free(&two, p);
}

/* Two chunks of queries, each against all keys. */
static void chunked(const struct whole_pool *p, const struct whole_call *want)
{
    int64_t cut = test_range(1, p->n - 1);
    struct whole_call half[2];

    for (int n = 0; n < 2; n++) {
        int64_t from = n ? cut : 0, to = n ? p->n : cut;

        whole_plain(&half[n], p, 0, p->n);
        half[n].T = 0;
        for (int64_t t = from; t < to; t++)
            whole_add_query(&half[n], t, p->first + t, 0);
        whole_ask(&half[n], p);
        same_rows(p, "out of a chunk", &half[n].out, 0, &want->out, from,
                  to - from);
        same_rows(p, "lse of a chunk", &half[n].lse, 0, &want->lse, from,
                  to - from);
        same_rows(p, "dq of a chunk", &half[n].dq, 0, &want->dq, from,
                  to - from);
    }
    same_params(p, want, &half[0], &half[1]);
    whole_answers_free(&half[0], p);
    whole_answers_free(&half[1], p);
}

static int differs(const locant_tensor *a, int64_t at, const locant_tensor *b,
                   int64_t from)
{
    locant_tensor x = *a, y = *b;
    size_t size = locant_dtype_size(a->dtype);

    x.data = (char *)x.data + (size_t)(at * x.stride[2]) * size;
    y.data = (char *)y.data + (size_t)(from * y.stride[2]) * size;
    x.shape[2] = y.shape[2] = 1;
    for (size_t i = 0; i < attend_count(&x); i++)
        if (attend_get(&x, i) != attend_get(&y, i))
            return 1;
    return 0;
}

/*
 * Query t against keys 0 .. t: the last row of a run of t + 1 tokens, and row t
 * of the whole run; but see LENGTH.  Returns how many rows differed there.
 */
static int cached(const struct whole_pool *p, const struct whole_call *want)
{
    int count = 0;

    for (int64_t t = 0; t < p->n; t++) {
        struct whole_call step, prefix;

        whole_plain(&prefix, p, 0, t + 1);
        step = prefix;
        step.T = 0;
        whole_add_query(&step, t, p->first + t, 0);
        whole_ask(&step, p);
        whole_ask(&prefix, p);
        same_rows(p, "out of a prefix", &step.out, 0, &prefix.out, t, 1);
        same_rows(p, "dq of a prefix", &step.dq, 0, &prefix.dq, t, 1);
        count += differs(&step.out, 0, &want->out, t) ||
                 differs(&step.lse, 0, &want->lse, t);
        if (!(p->c.traits & LOCANT_TRAIT_LENGTH)) {
            same_rows(p, "out with a cache", &step.out, 0, &want->out, t, 1);
            same_rows(p, "lse with a cache", &step.lse, 0, &want->lse, t, 1);
        }
        whole_answers_free(&step, p);
        whole_answers_free(&prefix, p);
    }
    return count;
}

/* Where only differences of positions matter, all of them may move. */
static void shifted(const struct whole_pool *p, const struct whole_call *want)
{
    int64_t by = test_range(1, p->c.high > p->n ? p->c.high - p->n : 1);
    struct whole_call c;

    if (!(p->c.traits & LOCANT_TRAIT_RELATIVE) ||
        p->c.traits & (LOCANT_TRAIT_LIMIT | LOCANT_TRAIT_LENGTH) ||
        p->c.axes > 1 || p->c.high <= p->n)
        return;
    memset(&c, 0, sizeof(c));
    for (int64_t t = 0; t < p->n; t++)
        whole_add_both(&c, t, p->first + t + by, 0);
    whole_ask(&c, p);
    for (size_t i = 0; i < attend_count(&c.out); i++) {
        double x = attend_get(&want->out, i);

        /* Angles of a float32 table differ by 2^-24 of q k. */
        whole_near(&p->c, "out of a shifted run", i, attend_get(&c.out, i), x,
                   0x1p-16 * (1 + fabs(x)));
    }
    whole_answers_free(&c, p);
}

/* One run in every company; the number of rows that parts changed. */
static int one_run(const struct whole_oracle *o, int i, int round)
{
    struct whole_pool p;
    struct whole_call want;
    int count;

    CHECK(whole_case_open(&p.c, o, i, (int)test_range(0, 7)));
    whole_pool_make(&p, round % 2 ? LOCANT_F32 : LOCANT_F64);
    whole_plain(&want, &p, 0, p.n);
    whole_ask(&want, &p);
    padded(&p, &want);
    packed(&p);
    chunked(&p, &want);
    count = cached(&p, &want);
    shifted(&p, &want);
    whole_answers_free(&want, &p);
    whole_pool_free(&p);
    return count;
}

void whole_judge_runs(const struct whole_oracle *o, int usual)
{
    struct whole_case c;
    int cases = judge_cases(usual);

    for (int i = 0; whole_case_open(&c, o, i, 0); i++) {
        unsigned traits = locant_encoding_traits(c.e);
        int count = 0, shows = (traits & LOCANT_TRAIT_LENGTH) != 0;

        /* A trait nothing shows is not one; but one run may be too short. */
        for (int n = 0; n < cases || (shows && !count && n < usual); n++)
            count += one_run(o, i, n);
        if (shows && count == 0)
            FAIL("%s: parts of a run never differ from it", c.spec);
        whole_case_close(&c);
    }
}
