/* check_doors.c - calls of a door that the encoding lacks fail, and projection
 * does not change initial parameters */
#include "case.h"

#include <math.h>
#include <string.h>

struct outputs {
    struct oracle_case *c;
    locant_tensor out;  /* [2, 2, 2], all 5 */
    locant_tensor rows; /* [2, 4], in the same memory */
};

/* Expect UNSUPPORTED, the encoding's name in the message, no change of out. */
static void expect_refusal(const struct outputs *d, locant_status got)
{
    const char *name = d->c->o->name;
    int written = 0;

    for (int i = 0; i < 8; i++)
        written += ((const double *)d->out.data)[i] != 5;
    if (got != LOCANT_ERR_UNSUPPORTED || written ||
        (strchr(d->c->spec, '+') == NULL &&
         strstr(locant_last_error(), name) == NULL))
        oracle_run_miss(d->c->run, "a call of a door it lacks is not refused");
}

static void call_missing_doors(const struct outputs *d, unsigned doors)
{
    const locant_encoding *e = d->c->e;
    int64_t two = 2, ids[2] = { 0, 1 };
    double in[8] = { 0 };
    locant_tensor out = d->out, rows = d->rows, x = rows;
    locant_tensor pos = locant_dense(ids, LOCANT_I64, 1, &two);

    x.data = in;
    if (!(doors & LOCANT_DOOR_INPUT)) {
        expect_refusal(d, locant_encoding_table(&rows, e, &pos, NULL));
        expect_refusal(
            d, locant_encoding_table_backward(&rows, &x, e, &pos, NULL));
    }
    if (!(doors & LOCANT_DOOR_ROTATE)) {
        expect_refusal(d, locant_encoding_rotate(&rows, &x, e, &pos, NULL, 0));
        expect_refusal(d, locant_encoding_rotate_backward(&rows, NULL, &x, NULL,
                                                          e, &pos, NULL, 0));
    }
    if (doors != 0 && !(doors & LOCANT_DOOR_SCORE))
        expect_refusal(d, locant_encoding_bias(&out, e, &pos, &pos, NULL));
    if (doors != 0) /* without any door the bias is defined: 0 */
        return;
    oracle_case_ok(d->c, locant_encoding_bias(&out, e, &pos, &pos, NULL));
    for (size_t i = 0; i < 8; i++)
        oracle_case_near(d->c, "bias of no door", i, oracle_get(&out, i), 0, 0);
}

static void doors(struct oracle_case *c, int64_t n, int what)
{
    int64_t cube[] = { 2, 2, 2 }, square[] = { 2, 4 };
    double numbers[8];
    struct outputs d = { .c = c };

    (void)n, (void)what;
    for (int i = 0; i < 8; i++)
        numbers[i] = 5;
    d.out = locant_dense(numbers, LOCANT_F64, 3, cube);
    d.rows = locant_dense(numbers, LOCANT_F64, 2, square);
    call_missing_doors(&d, locant_encoding_doors(c->e));
}

/* Initial values are finite, and projection changes no bit of them. */
static void initial(struct oracle_case *c, int64_t n, int what)
{
    locant_sizes known = { 24, 2, 2, c->call.D };

    (void)n, (void)what;
    known.width = c->doors & LOCANT_DOOR_INPUT ? c->call.W : 2 * c->call.D;
    oracle_case_params(c, &known);
    for (int k = 0; k < c->params; k++) {
        locant_tensor *t = &c->grad[k];
        size_t bytes = c->p[k].size * locant_dtype_size(t->dtype);
        void *before = oracle_case_alloc(c, bytes, 1);

        oracle_case_ok(c, locant_encoding_param_init(
                              t, c->e, k, locant_random_word(&c->run->random)));
        memcpy(before, t->data, bytes);
        for (size_t i = 0; i < c->p[k].size; i++)
            if (!isfinite(oracle_get(t, i)))
                oracle_run_miss(c->run, "an initial value is not finite");
        oracle_case_ok(c, locant_encoding_param_project(t, c->e, k));
        if (memcmp(before, t->data, bytes) != 0)
            oracle_run_miss(c->run, "projection moves an initial value");
    }
}

void oracle_check_doors(struct oracle_run *r, const struct oracle *o, int i)
{
    struct oracle_case c;

    oracle_case_describe(&c, r, o, i);
    if (oracle_run_open(r, "doors", o->name, c.spec, LOCANT_F64, 0)) {
        oracle_case_each(r, o, i, 0, doors, 0);
        oracle_run_close(r);
    }
    if (!(c.traits & LOCANT_TRAIT_LEARNED) ||
        !oracle_run_open(r, "init", o->name, c.spec, LOCANT_F64, 0))
        return;
    oracle_case_each(r, o, i, 0, initial, 0);
    oracle_run_close(r);
}
