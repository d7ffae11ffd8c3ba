/*
 * company.c - the same tokens in other company: behind padding, packed with
 * another document, in chunks of queries, against a growing cache.
 */
#include "company.h"
#include "rows.h"
#include <math.h>
#include <string.h>

/* --------------------------------------------------------------- comparing */

/*
 * The same computation has the same bits in double.  In float32, tiles may
 * begin at another key: a few roundings of scores of a few units.
 */
static double tolerance(const struct company *p, double size)
{
    return p->dtype == LOCANT_F64 ? 0 : 0x1p-18 * (1 + size);
}

/* Rows 'at' .. of 'got' against rows 'from' .. of 'want', dimension 'dim'. */
static void same_rows(const struct company *p, const char *what,
                      const locant_tensor *got, int64_t at,
                      const locant_tensor *want, int64_t from, int64_t n)
{
    int dim = got->rank == 3 && got->shape[2] == p->c->call.W && what[1] == 'x'
                  ? 1
                  : 2;
    locant_tensor a = *got, b = *want;
    size_t size = locant_dtype_size(p->dtype);

    a.data = (char *)a.data + (size_t)(at * a.stride[dim]) * size;
    b.data = (char *)b.data + (size_t)(from * b.stride[dim]) * size;
    a.shape[dim] = b.shape[dim] = n;
    for (size_t i = 0; i < oracle_count(&a); i++) {
        double x = oracle_get(&b, i);

        oracle_case_near(p->c, what, i, oracle_get(&a, i), x,
                         tolerance(p, fabs(x)));
    }
}

/* Queries 'at' .. and keys 'at' .. of 'got' are those 'from' .. of 'want'. */
static void same_tokens(const struct company *p, const char *what,
                        const struct company_call *got, int64_t at,
                        const struct company_call *want, int64_t from,
                        int64_t n)
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
    size_t count = p->c->traits & LOCANT_TRAIT_READS_X ? 6 : 5;

    for (size_t i = 0; i < count; i++) {
        strcpy(text, all[i].name);
        strcat(text, what);
        same_rows(p, text, all[i].got, at, all[i].want, from, n);
    }
}

/* Parameters of one call are those of one or two others, summed up in the
 * parameter's type. */
static void same_params(const struct company *p, const struct company_call *got,
                        const struct company_call *a,
                        const struct company_call *b)
{
    for (int k = 0; k < p->c->params; k++)
        for (size_t i = 0; p->c->p[k].rate != 0 && i < p->c->p[k].size; i++) {
            double x = oracle_get(&a->grad[k], i);
            double y = b != NULL ? oracle_get(&b->grad[k], i) : 0;
            double unit =
                p->c->grad[k].dtype == LOCANT_F32 || p->dtype == LOCANT_F32
                    ? 0x1p-16
                    : 0x1p-40;

            oracle_case_near(p->c, "dparams in other company", i,
                             oracle_get(&got->grad[k], i), x + y,
                             unit * (1 + fabs(x) + fabs(y)));
        }
}

/* Padding sees nothing and is not seen: zeros. */
static void pads_are_nothing(const struct company *p,
                             const struct company_call *c, int64_t pads)
{
    const locant_tensor *all[] = { &c->out, &c->dq, &c->dk, &c->dv };

    for (size_t n = 0; n < LEN(all); n++) {
        locant_tensor t = *all[n];

        t.shape[2] = pads;
        for (size_t i = 0; i < oracle_count(&t); i++)
            oracle_case_near(p->c, "gradient or output of padding", i,
                             oracle_get(&t, i), 0, 0);
    }
}

/* -------------------------------------------------------------- in company */

static void padded(const struct company *p, const struct company_call *want)
{
    int64_t pads = test_range(1, 4);
    struct company_call c;

    memset(&c, 0, sizeof(c));
    c.docs = 1;
    for (int64_t i = 0; i < pads; i++)
        company_add_both(&c, COMPANY_PAD, p->first, -1);
    for (int64_t t = 0; t < p->n; t++)
        company_add_both(&c, t, p->first + t, 0);
    company_ask(&c, p);
    same_tokens(p, " behind padding", &c, pads, want, 0, p->n);
    pads_are_nothing(p, &c, pads);
    same_params(p, &c, want, NULL);
    company_answers_free(&c, p);
}

/* What depends on the longest of a call gets documents of one length. */
static void packed(const struct company *p)
{
    int all = oracle_word(p->c->spec, "length", "call", 0);
    int64_t cut = all ? p->n / 2 : test_range(1, p->n - 1);
    int64_t end = all ? 2 * cut : p->n;
    struct company_call c, one, two;

    memset(&c, 0, sizeof(c));
    c.docs = 1;
    for (int64_t t = 0; t < cut; t++)
        company_add_both(&c, t, p->first + t, 3);
    for (int64_t t = cut; t < end; t++)
        company_add_both(&c, t, p->first + t - cut, 7);
    company_plain(&one, p, 0, cut);
    company_plain(&two, p, cut, end);
    company_ask(&c, p);
    company_ask(&one, p);
    company_ask(&two, p);
    same_tokens(p, " of the first document", &c, 0, &one, 0, cut);
    same_tokens(p, " of the second document", &c, cut, &two, 0, end - cut);
    same_params(p, &c, &one, &two);
    company_answers_free(&c, p);
    company_answers_free(&one, p);
    company_answers_free(&two, p);
}

/* Two chunks of queries, each against all keys. */
static void chunked(const struct company *p, const struct company_call *want)
{
    int64_t cut = test_range(1, p->n - 1);
    struct company_call half[2];

    for (int n = 0; n < 2; n++) {
        int64_t from = n ? cut : 0, to = n ? p->n : cut;

        company_plain(&half[n], p, 0, p->n);
        half[n].T = 0;
        for (int64_t t = from; t < to; t++)
            company_add_query(&half[n], t, p->first + t, 0);
        company_ask(&half[n], p);
        same_rows(p, "out of a chunk", &half[n].out, 0, &want->out, from,
                  to - from);
        same_rows(p, "lse of a chunk", &half[n].lse, 0, &want->lse, from,
                  to - from);
        same_rows(p, "dq of a chunk", &half[n].dq, 0, &want->dq, from,
                  to - from);
    }
    same_params(p, want, &half[0], &half[1]);
    company_answers_free(&half[0], p);
    company_answers_free(&half[1], p);
}

static int differs(const locant_tensor *a, int64_t at, const locant_tensor *b,
                   int64_t from)
{
    locant_tensor x = *a, y = *b;
    size_t size = locant_dtype_size(a->dtype);

    x.data = (char *)x.data + (size_t)(at * x.stride[2]) * size;
    y.data = (char *)y.data + (size_t)(from * y.stride[2]) * size;
    x.shape[2] = y.shape[2] = 1;
    for (size_t i = 0; i < oracle_count(&x); i++)
        if (oracle_get(&x, i) != oracle_get(&y, i))
            return 1;
    return 0;
}

/*
 * Query t against keys 0 .. t: the last row of a run of t + 1 tokens, and row t
 * of the whole run; but see LENGTH.  Returns how many rows differed there.
 */
static int cached(const struct company *p, const struct company_call *want)
{
    int count = 0;

    for (int64_t t = 0; t < p->n; t++) {
        struct company_call step, prefix;

        company_plain(&prefix, p, 0, t + 1);
        step = prefix;
        step.T = 0;
        company_add_query(&step, t, p->first + t, 0);
        company_ask(&step, p);
        company_ask(&prefix, p);
        same_rows(p, "out of a prefix", &step.out, 0, &prefix.out, t, 1);
        same_rows(p, "dq of a prefix", &step.dq, 0, &prefix.dq, t, 1);
        count += differs(&step.out, 0, &want->out, t) ||
                 differs(&step.lse, 0, &want->lse, t);
        if (!(p->c->traits & LOCANT_TRAIT_LENGTH)) {
            same_rows(p, "out with a cache", &step.out, 0, &want->out, t, 1);
            same_rows(p, "lse with a cache", &step.lse, 0, &want->lse, t, 1);
        }
        company_answers_free(&step, p);
        company_answers_free(&prefix, p);
    }
    return count;
}

/* Where only differences of positions matter, all of them may move. */
static void shifted(const struct company *p, const struct company_call *want)
{
    int64_t by = test_range(1, p->c->high > p->n ? p->c->high - p->n : 1);
    struct company_call c;

    if (!(p->c->traits & LOCANT_TRAIT_RELATIVE) ||
        p->c->traits & (LOCANT_TRAIT_LIMIT | LOCANT_TRAIT_LENGTH) ||
        p->c->axes > 1 || p->c->high <= p->n)
        return;
    memset(&c, 0, sizeof(c));
    for (int64_t t = 0; t < p->n; t++)
        company_add_both(&c, t, p->first + t + by, 0);
    company_ask(&c, p);
    for (size_t i = 0; i < oracle_count(&c.out); i++) {
        double x = oracle_get(&want->out, i);

        /* Angles of a float32 table differ by 2^-24 of q k. */
        oracle_case_near(p->c, "out of a shifted run", i, oracle_get(&c.out, i),
                         x, 0x1p-16 * (1 + fabs(x)));
    }
    company_answers_free(&c, p);
}

/* Rows that parts of a run changed; what the row before counted. */
static int changed;

/* One run in every company. */
static void one_run(struct oracle_case *c, int64_t n, int what)
{
    struct company_call want;
    struct company p = { .c = c };

    (void)n, (void)what;
    company_make(&p, c->run->row.dtype);
    company_plain(&want, &p, 0, p.n);
    company_ask(&want, &p);
    padded(&p, &want);
    packed(&p);
    chunked(&p, &want);
    changed += cached(&p, &want);
    shifted(&p, &want);
    company_answers_free(&want, &p);
    company_free(&p);
}

static void one_spec(struct oracle_run *r, const struct oracle *o, int i)
{
    struct oracle_case c;
    int shows;

    oracle_case_describe(&c, r, o, i);
    shows = (c.traits & LOCANT_TRAIT_LENGTH) != 0;
    changed = 0;
    for (int n = 0; n < 2; n++) {
        if (!oracle_run_open(r, "company", o->name, c.spec,
                             n ? LOCANT_F32 : LOCANT_F64, 1))
            continue;
        oracle_case_each(r, o, i, 1, one_run, 0);
        /* A trait nothing shows is not one; but these may be too short. */
        for (int more = 0; shows && changed == 0 && more < 8; more++)
            oracle_case_each(r, o, i, 1, one_run, 0);
        oracle_run_close(r);
    }
    if (shows && changed == 0)
        FAIL("%s: parts of a run never differ from it", c.spec);
}

void company_check(struct oracle_run *r, const struct oracle *o)
{
    for (int i = 0; o->specs[i].text != NULL; i++)
        one_spec(r, o, i);
}
