/* judge.c - what the judges share, and the registry row. */
#include "judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int judge_cases(int usual)
{
    const char *s = getenv("LOCANT_CASES");
    long n = s != NULL ? strtol(s, NULL, 10) : 0;

    if (TEST_SANITIZED && n > usual) /* there it only takes cases away */
        return usual;
    return n > 0 ? (int)n : usual;
}

locant_encoding *judge_create(const char *spec)
{
    locant_encoding *e = NULL;

    CHECK_OK(locant_encoding_create(&e, spec));
    CHECK(e != NULL);
    return e;
}

locant_tensor judge_positions(int64_t n, int64_t low, int64_t high)
{
    static const int64_t extremes[] = {
        0, 1, 255, 256, 65535, INT32_MAX, -1, -65536, INT32_MIN
    };
    locant_tensor t = test_tensor(LOCANT_I64, 1, &n);
    int64_t *p = t.data;

    for (int64_t i = 0; i < n; i++) {
        int64_t x = test_range(low, high);

        if (i < (int64_t)LEN(extremes) && test_rand() % 4 != 0)
            x = extremes[i];
        else if (test_rand() % 2)
            x = test_range(-300, 300);
        p[i] = x < low ? low : x > high ? high : x;
    }
    test_guarded_readonly(t.data, (size_t)n * sizeof(*p));
    return t;
}

static double load_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double x = exponent == 0 ? ldexp(fraction, -24)
                             : ldexp(1024 + fraction, exponent - 25);

    return bits >> 15 ? -x : x;
}

static double load_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float f;

    memcpy(&f, &wide, sizeof(f));
    return (double)f;
}

double judge_load(const locant_tensor *t, int64_t at)
{
    switch (t->dtype) {
    case LOCANT_F64:
        return ((const double *)t->data)[at];
    case LOCANT_F16:
        return load_half(((const uint16_t *)t->data)[at]);
    case LOCANT_BF16:
        return load_bf16(((const uint16_t *)t->data)[at]);
    default:
        return (double)((const float *)t->data)[at];
    }
}

/* Between 2^-7 and 4 in magnitude: the exponents of both short types. */
static uint16_t random_short(locant_dtype dtype)
{
    unsigned sign = (unsigned)test_range(0, 1) << 15;

    if (dtype == LOCANT_F16)
        return (uint16_t)(sign | (unsigned)test_range(8, 16) << 10 |
                          (unsigned)test_range(0, 1023));
    return (uint16_t)(sign | (unsigned)test_range(120, 128) << 7 |
                      (unsigned)test_range(0, 127));
}

void judge_fill(locant_tensor *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (t->dtype == LOCANT_F64)
            ((double *)t->data)[i] = 2 * test_uniform();
        else if (t->dtype == LOCANT_F32)
            ((float *)t->data)[i] = (float)(2 * test_uniform());
        else
            ((uint16_t *)t->data)[i] = random_short(t->dtype);
    }
}

/* Parameters have the shapes of the paper and start inside their range. */
static void judge_params(const struct oracle *o, const struct oracle_choice *c)
{
    enum { H = 6, D = 16 };
    const locant_sizes sizes = { .width = D, .heads = H };
    locant_encoding *e = judge_create(c->spec);
    struct oracle_params p;
    locant_param_info info;

    oracle_params_make(&p, o, c, LOCANT_F64, H, D);
    for (int k = 0; k < p.n; k++) {
        double low, high;

        CHECK(locant_encoding_param(&info, e, k, &sizes) == 1);
        CHECK(info.rank == p.value[k].rank);
        CHECK(memcmp(info.shape, p.value[k].shape,
                     (size_t)info.rank * sizeof(int64_t)) == 0);
        CHECK(strlen(info.name) > 0 && strlen(info.doc) > 10);
        CHECK(info.dims[0] == '[');
        CHECK_OK(locant_encoding_param_init(&p.value[k], e, k, 5));
        o->param_range(&low, &high, c, k);
        for (size_t i = 0; i < p.size[k]; i++) {
            double x = oracle_get(&p.value[k], i);

            CHECK(isfinite(x) && x >= low && x <= high);
        }
    }
    CHECK(locant_encoding_param(&info, e, p.n, &sizes) == 0);
    CHECK(locant_encoding_param(&info, e, -1, &sizes) == 0);
    oracle_params_free(&p);
    locant_encoding_free(e);
}

void judge_row(const struct oracle *o)
{
    struct oracle_choice c;

    CHECK(o->choose(&c, 0, 16));
    for (int i = 0; o->choose(&c, i, 16); i++) {
        locant_encoding *e = judge_create(c.spec);
        const locant_encoding_info *info = locant_encoding_info_of(e);

        CHECK(strcmp(info->name, o->name) == 0);
        CHECK(info->doors == o->doors);
        /* Without a door every claim about scores is true or empty. */
        if (o->doors != 0)
            CHECK(info->traits == o->traits);
        locant_encoding_free(e);
        judge_params(o, &c);
    }
}
