/* run.c - open a row, compare its numbers, close it. */
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* FNV hash (Fowler, Noll, Vo): a number from text. */
static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text != '\0'; text++)
        h = (h ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return h;
}

int oracle_run_open(struct oracle_run *r, const char *op, const char *name,
                    const char *spec, locant_dtype dtype, double bound)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);

    if (r->wanted != NULL && !r->wanted(r, op, name))
        return 0;
    memset(&r->row, 0, sizeof r->row);
    r->row.op = op;
    snprintf(r->row.spec, sizeof r->row.spec, "%s", spec);
    r->row.dtype = dtype;
    r->row.bound = bound;
    h = hash(hash(hash(h, op), spec), locant_dtype_name(dtype));
    r->random = (locant_random){ .seed = r->seed, .stream = h };
    return 1;
}

void oracle_run_close(struct oracle_run *r)
{
    r->row.ok = r->row.worst <= 1 && r->row.miss[0] == '\0';
    if (r->row.worst > 0)
        r->row.worst *= r->row.bound > 0 ? r->row.bound : INFINITY;
    r->rows++;
    r->misses += !r->row.ok;
    r->done(r);
}

/* While a row is open, 'worst' is a share of the allowed error. */
int oracle_run_near(struct oracle_run *r, const char *what, size_t at,
                    double got, double want, double allowed)
{
    /* Infinities may be equal. */
    double share = got == want ? 0 : fabs(got - want) / allowed;
    int miss = !(share <= 1);

    if (miss && r->row.miss[0] == '\0')
        snprintf(r->row.miss, sizeof r->row.miss,
                 "%s %zu: got %.17g, want %.17g, within %.3g", what, at, got,
                 want, allowed);
    if (!(share <= r->row.worst)) /* NaN too */
        r->row.worst = isnan(share) ? INFINITY : share;
    return miss;
}

void oracle_run_miss(struct oracle_run *r, const char *why)
{
    r->row.worst = INFINITY;
    if (r->row.miss[0] == '\0')
        snprintf(r->row.miss, sizeof r->row.miss, "%s", why);
}

double oracle_run_uniform(struct oracle_run *r)
{
    return 2 * locant_random_uniform(&r->random) - 1;
}

int64_t oracle_run_range(struct oracle_run *r, int64_t low, int64_t high)
{
    return low +
           (int64_t)locant_random_below(&r->random, (uint64_t)(high - low) + 1);
}

void oracle_check(struct oracle_run *r, const struct oracle *o)
{
    for (int i = 0; o->specs[i].text != NULL; i++) {
        oracle_check_doors(r, o, i);
        oracle_check_table(r, o, i);
        oracle_check_rotate(r, o, i);
        oracle_check_bias(r, o, i);
        oracle_check_attend(r, o, i);
    }
}
