/* vector_verify.c - judge a dump of another implementation */
#include "locant/models.h"
#include "vector_cases.h"
#include "vector_compare.h"
#include "vector_dump.h"
#include "vector_neighbours.h"
#include <stdio.h>
#include <string.h>

struct judge {
    struct lct_vector_cases cases;
    struct lct_vector_dump dump;
    locant_vectors_counts *counts;
    int rounded;
    locant_vectors_fn each;
    void *context;
};

static locant_status report(const struct judge *j,
                            const locant_vectors_result *r)
{
    int64_t *count[] = { &j->counts->passed, &j->counts->failed,
                         &j->counts->missing, &j->counts->unknown };

    ++*count[r->verdict];
    if (j->each != NULL && j->each(r, j->context) != 0)
        return locant_fail(LOCANT_ERR_INTERRUPTED,
                           "locant_vectors_verify: stopped at %s", r->name);
    return LOCANT_OK;
}

static void put_shape(char *out, size_t size, int rank, const int64_t *shape)
{
    size_t n = (size_t)snprintf(out, size, "[");

    for (int i = 0; i < rank && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%lld", i > 0 ? ", " : "",
                              (long long)shape[i]);
    if (n < size)
        snprintf(out + n, size - n, "]");
}

static locant_status refuse_shape(const struct judge *j, const char *name,
                                  const locant_tensor *got,
                                  const struct lct_vector_values *want)
{
    char found[128], expected[128], where[300];

    put_shape(found, sizeof found, got->rank, got->shape);
    put_shape(expected, sizeof expected, want->rank, want->shape);
    snprintf(where, sizeof where, "has the shape %s, expected %s", found,
             expected);
    return report(j, &(locant_vectors_result){ .name = name,
                                               .verdict = LOCANT_VECTORS_FAIL,
                                               .where = where,
                                               .looks_like = "" });
}

static locant_status judge_tensor(struct judge *j,
                                  const struct lct_vector_case *c,
                                  const locant_tensor *got)
{
    const struct lct_vector_values *want;
    struct lct_vector_trial t = { &j->cases.groups[c->group], c->quantity,
                                  c->dtype, got, j->rounded };
    struct lct_vector_difference d;
    char place[200], where[400] = "", like[700] = "";

    LCT_TRY(lct_vector_cases_values(&want, &j->cases, c->group, c->quantity));
    if (!lct_vector_compare_shapes(got, want))
        return refuse_shape(j, c->name, got, want);
    d = lct_vector_compare(&t, want, LCT_VECTOR_AS_IS);
    if (d.fails) {
        lct_vector_compare_place(place, sizeof place, &t, want, d.at);
        snprintf(where, sizeof where,
                 "%s: %.9g, expected %.9g (may differ by %.2g)", place, d.got,
                 d.want, d.allowed);
        LCT_TRY(
            lct_vector_neighbours_find(like, sizeof like, &j->cases, c, got));
    }
    return report(
        j, &(locant_vectors_result){ .name = c->name,
                                     .verdict = d.fails ? LOCANT_VECTORS_FAIL
                                                        : LOCANT_VECTORS_PASS,
                                     .where = where,
                                     .looks_like = like,
                                     .error = d.largest,
                                     .share = d.share });
}

static locant_status judge_case(struct judge *j,
                                const struct lct_vector_case *c)
{
    const locant_tensor *got;

    LCT_TRY(lct_vector_dump_find(&got, &j->dump, c->name));
    if (got != NULL)
        return judge_tensor(j, c, got);
    return report(j,
                  &(locant_vectors_result){ .name = c->name,
                                            .verdict = LOCANT_VECTORS_MISSING,
                                            .where = "",
                                            .looks_like = "" });
}

/* Inputs and slacks may stand in the same file. */
static bool is_known(const struct judge *j, const char *name)
{
    return strncmp(name, "input/", 6) == 0 || strncmp(name, "slack/", 6) == 0 ||
           lct_vector_cases_find(&j->cases, name) != NULL;
}

static locant_status judge_all(struct judge *j)
{
    const char *name;

    for (size_t i = 0; i < j->cases.n; i++)
        if (j->cases.all[i].wanted)
            LCT_TRY(judge_case(j, &j->cases.all[i]));
    for (size_t i = 0; (name = lct_vector_dump_name(&j->dump, i)); i++)
        if (!is_known(j, name))
            LCT_TRY(report(
                j, &(locant_vectors_result){ .name = name,
                                             .verdict = LOCANT_VECTORS_UNKNOWN,
                                             .where = "",
                                             .looks_like = "" }));
    return LOCANT_OK;
}

locant_status locant_vectors_verify(locant_vectors_counts *out,
                                    const char *path, const char *only,
                                    int rounded, locant_vectors_fn each,
                                    void *context)
{
    locant_vectors_counts counts = { 0 };
    struct judge j = {
        .counts = &counts, .rounded = rounded, .each = each, .context = context
    };
    locant_status s;

    LCT_NOT_NULL("locant_vectors_verify", out);
    LCT_NOT_NULL("locant_vectors_verify", path);
    LCT_TRY(lct_vector_cases_make(&j.cases, only));
    s = lct_vector_dump_open(&j.dump, path);
    if (s == LOCANT_OK)
        s = judge_all(&j);
    lct_vector_dump_close(&j.dump);
    lct_vector_cases_free(&j.cases);
    if (s == LOCANT_OK)
        *out = counts;
    return s;
}
