/* row.c - rows of the selftest: opened, measured, printed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "selftest.h"

/* Does --only name this operation, its family, or this encoding? */
static int wanted(const struct selftest *t, const char *op, const char *name)
{
    return t->only == NULL || strcmp(t->only, op) == 0 ||
           strcmp(t->only, name) == 0 ||
           (strlen(t->only) == strcspn(op, "-") &&
            strncmp(t->only, op, strlen(t->only)) == 0);
}

/* Fowler, Noll, Vo: a number from text. */
static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text != '\0'; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return h;
}

int st_open(struct selftest *t, const char *op, const char *name,
            const char *spec, locant_dtype dtype, double bound)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    if (!wanted(t, op, name))
        return 0;
    memset(&t->row, 0, sizeof t->row);
    t->row.op = op;
    snprintf(t->row.spec, sizeof t->row.spec, "%s", spec);
    t->row.dtype = dtype;
    t->row.bound = bound;
    h = hash(hash(hash(h, op), spec), locant_dtype_name(dtype));
    t->random = (locant_random){ .seed = (uint64_t)t->seed, .stream = h };
    return 1;
}

void st_error(struct selftest *t, double got, double want, double unit)
{
    double error = fabs(got - want) / unit;

    if (got == want) /* infinities */
        return;
    if (!(error <= t->row.worst)) /* NaN too */
        t->row.worst = isnan(error) ? INFINITY : error;
}

int st_took(struct selftest *t, locant_status s)
{
    if (s == LOCANT_OK)
        return 1;
    t->row.worst = INFINITY;
    snprintf(t->row.refused, sizeof t->row.refused, "%s", locant_last_error());
    return 0;
}

static json_t *row_json(const struct st_row *r, int ok)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:f, s:o, s:b}", "op", r->op,
                     "encoding", r->spec, "dtype", locant_dtype_name(r->dtype),
                     "cases", (json_int_t)r->cases, "bound", r->bound, "worst",
                     cli_real(r->worst), "ok", ok);
}

void st_close(struct selftest *t)
{
    const struct st_row *r = &t->row;
    int ok = r->worst <= r->bound;

    if (t->rows++ == 0 && t->json == NULL)
        printf("%-4s %-14s %-4s %5s %9s %9s  %s\n", "", "operation", "type",
               "cases", "bound", "worst", "encoding");
    t->misses += !ok;
    if (t->json != NULL)
        json_array_append_new(t->json, row_json(r, ok));
    else
        printf("%-4s %-14s %-4s %5lld %9.4g %9.4g  %s\n", ok ? "ok" : "MISS",
               r->op, locant_dtype_name(r->dtype), (long long)r->cases,
               r->bound, r->worst, r->spec);
    if (r->refused[0] != '\0')
        cli_fail(CLI_NO, "selftest: %s of %s was refused: %s", r->op, r->spec,
                 r->refused);
}

double st_uniform(struct selftest *t)
{
    return 2 * locant_random_uniform(&t->random) - 1;
}

int64_t st_range(struct selftest *t, int64_t low, int64_t high)
{
    return low + (int64_t)locant_random_below(&t->random,
                                              (uint64_t)(high - low) + 1);
}
