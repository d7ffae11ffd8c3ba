/* extend.c - the methods of extension: their numbers and their specs */
#include "extend.h"
#include "plan_spec.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const struct {
    const char *name, *change;
} methods[] = {
    [LCT_EXTEND_PI] = { "pi", "every frequency divided by the factor" },
    [LCT_EXTEND_NTK] = { "ntk", "a larger base" },
    [LCT_EXTEND_DYNAMIC] = { "dynamic",
                             "a base that grows with the length of the text" },
    [LCT_EXTEND_YARN] = { "yarn",
                          "slow pairs divided, fast ones kept, a factor "
                          "on cosines and sines" },
    [LCT_EXTEND_LONGROPE] = { "longrope",
                              "a divisor for each pair, a factor on cosines "
                              "and sines" },
    [LCT_EXTEND_LLAMA3] = { "llama3", "slow pairs divided, fast ones kept" },
    [LCT_EXTEND_SELFEXTEND] = { "selfextend",
                                "far positions grouped, near ones kept" },
};

const char *lct_extend_name(enum lct_extend_method m)
{
    return methods[m].name;
}

const char *lct_extend_change(enum lct_extend_method m)
{
    return methods[m].change;
}

int lct_extend_find(const char *name)
{
    for (int m = 0; m < LCT_EXTEND_METHODS; m++)
        if (strcmp(methods[m].name, name) == 0)
            return m;
    return -1;
}

/* base factor^(r / (r - 2)) leaves the first pair and divides the last one. */
double lct_extend_base(const struct lct_extend *e, enum lct_extend_method m)
{
    double r = (double)e->rotated, base;

    if (m != LCT_EXTEND_NTK)
        return e->base;
    base = e->base * pow(e->factor, r / (r - 2));
    return base >= 1000 ? rint(base) : base;
}

double lct_extend_attention(const struct lct_extend *e,
                            enum lct_extend_method m)
{
    if (m == LCT_EXTEND_YARN)
        return 0.1 * log(e->factor) + 1;
    if (m == LCT_EXTEND_LONGROPE)
        return sqrt(1 + log(e->factor) / log((double)e->trained));
    return 1;
}

int64_t lct_extend_critical(const struct lct_extend *e)
{
    const double turn = 6.283185307179586;
    double c =
        (double)e->rotated / 2 * log((double)e->trained / turn) / log(e->base);
    int64_t most = e->rotated / 2 - 1;

    return c < 1 ? 1 : c > (double)most ? most : (int64_t)ceil(c);
}

/* A group of G reaches (trained - window) G + window positions; the window, a
   multiple of G, is a quarter of the trained length or a little less. */
bool lct_extend_group(int64_t *group, int64_t *window,
                      const struct lct_extend *e)
{
    for (int64_t g = 2; g <= e->trained / 2; g++) {
        int64_t w = e->trained / 4 / g * g;

        if (w < g)
            w = g;
        if ((double)(e->trained - w) * (double)g + (double)w < (double)e->to)
            continue;
        *group = g;
        *window = w;
        return true;
    }
    return false;
}

static void put_scaling(struct lct_plan_spec *s, const struct lct_extend *e,
                        enum lct_extend_method m)
{
    static const char *const names[] = {
        [LCT_EXTEND_PI] = "linear(",         [LCT_EXTEND_NTK] = "",
        [LCT_EXTEND_DYNAMIC] = "dynamic(",   [LCT_EXTEND_YARN] = "yarn(",
        [LCT_EXTEND_LONGROPE] = "longrope(", [LCT_EXTEND_LLAMA3] = "llama3("
    };

    if (m == LCT_EXTEND_METHODS && e->linear > 1) {
        lct_plan_spec_number(s, ",scaling=linear(factor=", e->linear);
        lct_plan_spec_put(s, ")");
    }
    if (m == LCT_EXTEND_NTK || m == LCT_EXTEND_METHODS)
        return;
    lct_plan_spec_put(s, ",scaling=%s", names[m]);
    lct_plan_spec_number(s, "factor=", e->factor * e->linear);
    if (m == LCT_EXTEND_LLAMA3)
        lct_plan_spec_put(s, ",low=1,high=4");
    if (m != LCT_EXTEND_PI)
        lct_plan_spec_put(s, ",original=%" PRId64, e->trained);
    if (m == LCT_EXTEND_LONGROPE)
        lct_plan_spec_put(s, ",critical=%" PRId64, lct_extend_critical(e));
    lct_plan_spec_put(s, ")");
}

locant_status lct_extend_spec(char **out, const struct lct_extend *e,
                              enum lct_extend_method m)
{
    struct lct_plan_spec s = { 0 };
    locant_encoding *encoding;
    locant_status status;

    if (m == LCT_EXTEND_SELFEXTEND) {
        int64_t group, window;

        if (strstr(e->keys, "dim=") != NULL ||
            !lct_extend_group(&group, &window, e))
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: Self-Extend groups whole heads, and at "
                               "most half the trained length",
                               e->file);
        lct_plan_spec_put(&s, "selfextend(group=%" PRId64 ",window=%" PRId64,
                          group, window);
        lct_plan_spec_number(&s, ",base=", e->base);
        if (strstr(e->keys, "pairing=interleaved") != NULL)
            lct_plan_spec_put(&s, ",pairing=interleaved");
    } else {
        lct_plan_spec_number(&s, "rope(base=", lct_extend_base(e, m));
        if (e->keys[0] != '\0')
            lct_plan_spec_put(&s, ",%s", e->keys);
        put_scaling(&s, e, m);
    }
    lct_plan_spec_put(&s, ")");
    status = lct_plan_spec_create(out, &encoding, &s, e->file);
    locant_encoding_free(encoding);
    locant_release(s.text);
    return status;
}
