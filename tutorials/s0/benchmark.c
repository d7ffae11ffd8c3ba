/* benchmark.c - the seed's benchmark of four unlike jobs: S0.21, S0.22. */
#include <math.h>

#include "rows.h"

enum { BATCH = 16, TOKENS = 1024, WIDTH = 512, HEADS = 8, METHODS = 4,
       TABLE = 5000, N = BATCH * TOKENS * WIDTH };

struct bench {
    struct seed           *s;
    const locant_encoding *e;
    locant_tensor          x, y, rows, bias; /* F32 */
    locant_tensor          positions, table;
};

struct method {
    const char *name, *spec;
    const char *work;
    void      (*run)(struct bench *b);
    const char *grade; /* the seed's, of extrapolation */
    const char *found; /* what is known */
};

/* ---------------------------------------------------------------- the jobs */

static void add_rows(struct bench *b)
{
    const float *x = b->x.data, *p = b->rows.data;
    float       *y = b->y.data;

    for (int64_t i = 0; i < BATCH; i++) {
        for (int64_t j = 0; j < TOKENS * WIDTH; j++)
            y[i * TOKENS * WIDTH + j] = x[i * TOKENS * WIDTH + j] + p[j];
    }
}

static void gather_and_add(struct bench *b)
{
    seed_try(b->s, locant_encoding_table(&b->rows, b->e, &b->positions,
                                         &b->table));
    add_rows(b);
}

static void turn(struct bench *b)
{
    seed_try(b->s, locant_encoding_rotate(&b->y, &b->x, b->e, &b->positions,
                                          NULL, 0));
}

static void build_bias(struct bench *b)
{
    seed_try(b->s, locant_encoding_bias(&b->bias, b->e, &b->positions,
                                        &b->positions, NULL));
}

static const struct method methods[METHODS] = {
    { "sinusoidal", "sinusoidal", "adds a stored table", add_rows, "good",
      "not measured here; S4.18 measures it" },
    { "learned", "learned(length=5000)", "reads rows, adds them",
      gather_and_add, "limited", "none: the table ends" },
    { "rope", "rope(pairing=interleaved)", "turns every channel", turn, "good",
      "not measured here; S4.18 measures it" },
    { "alibi", "alibi", "builds a bias [8, 1024, 1024]", build_bias,
      "excellent", "not measured here; S4.18 measures it" }
};

/* ------------------------------------------------------------------ timing */

static void prepare(struct bench *b, struct seed *s)
{
    locant_random r = seed_random(s, 21);
    float        *x, *table;

    *b = (struct bench){ .s = s };
    b->x         = SEED_F32(s, BATCH, TOKENS, WIDTH);
    b->y         = SEED_F32(s, BATCH, TOKENS, WIDTH);
    b->rows      = SEED_F32(s, TOKENS, WIDTH);
    b->bias      = SEED_F32(s, HEADS, TOKENS, TOKENS);
    b->table     = SEED_F32(s, TABLE, WIDTH);
    b->positions = seed_positions(s, 0, TOKENS);
    x = b->x.data;
    table = b->table.data;
    for (int64_t i = 0; i < N; i++)
        x[i] = (float)(locant_random_uniform(&r) - 0.5);
    for (int64_t i = 0; i < TABLE * WIDTH; i++)
        table[i] = (float)(0.2 * locant_random_uniform(&r) - 0.1);
}

/* Mean milliseconds of 'runs' runs after 5 that are not counted. */
static double measure(struct bench *b, const struct method *m, int runs)
{
    double start;

    b->e = seed_encoding(b->s, m->spec);
    if (m->run == add_rows)
        seed_try(b->s, locant_encoding_table(&b->rows, b->e, &b->positions,
                                             NULL));
    for (int i = 0; i < 5; i++)
        m->run(b);
    start = seed_seconds();
    for (int i = 0; i < runs; i++)
        m->run(b);
    return (seed_seconds() - start) * 1e3 / runs;
}

/* One number of each job's result, formed directly. */
static void check_result(struct bench *b, const struct method *m)
{
    const float *x = b->x.data, *y = b->y.data, *bias = b->bias.data;
    const float *table = b->table.data;
    int64_t      at = 3 * WIDTH; /* token 3 of the first sequence */

    if (m->run == add_rows)
        seed_check(b->s, "sinusoidal", y[at], x[at] + sin(3.0), 1e-7);
    else if (m->run == gather_and_add)
        seed_check(b->s, "learned", y[at], x[at] + table[at], 1e-7);
    else if (m->run == turn)
        seed_check(b->s, "rope", y[at], x[at] * cos(3.0) - x[at + 1] * sin(3.0),
                   1.5e-7);
    else
        seed_check(b->s, "alibi", bias[3 * TOKENS], -1.5, 0);
}

static void measure_all(struct seed *s, double *ms, int64_t *parameters,
                        int runs)
{
    struct bench *b = seed_new(s, 1, sizeof *b);

    prepare(b, s);
    for (int i = 0; i < METHODS; i++) {
        seed_progress(s, "%s, %d runs", methods[i].name, runs);
        ms[i] = measure(b, &methods[i], runs);
        parameters[i] = seed_parameters(b->e, WIDTH, HEADS);
        check_result(b, &methods[i]);
        seed_claim(s, "time passes", ms[i] > 0);
        seed_check(s, "parameters", (double)parameters[i],
                   methods[i].run == gather_and_add ? TABLE * WIDTH : 0, 0);
    }
}

/* -------------------------------------------------------------------- rows */

void s0_benchmark(struct seed *s)
{
    double  ms[METHODS];
    int64_t parameters[METHODS];

    seed_say(s, "batch %d, %d tokens, width %d, %d heads; float32; 5 runs to "
             "warm up, mean of 100; %s, %d threads.", BATCH, TOKENS, WIDTH,
             HEADS, locant_isa(), locant_threads());
    measure_all(s, ms, parameters, 100);
    for (int i = 0; i < METHODS; i++) {
        const struct method *m = &methods[i];

        seed_say(s, "%s: %.2f ms, %lld parameters, %s; %s; extrapolation: %s",
                 m->name, ms[i], (long long)parameters[i],
                 parameters[i] ? "trained" : "nothing to train", m->work,
                 m->found);
    }
    seed_wrong_text(s, "E-0.10", "what the times are compared for",
                    "which method is faster", "nothing: the jobs are unlike",
                    "one adds a table, one gathers and adds, one turns every "
                    "channel, one builds 8 M numbers that others never need; a "
                    "fair test is one attention with each ('locant report')");
    seed_wrong_text(s, "E-0.9", "extrapolation of sinusoidal and rope", "good",
                    "not measured here; S4.18 measures it",
                    "lengths beyond training bring angles the model has never "
                    "seen");
}

void s0_benchmark_table(struct seed *s)
{
    double  ms[METHODS];
    int64_t parameters[METHODS];

    seed_say(s, "As S0.21, mean of 10 runs.  The times are of unlike jobs.");
    measure_all(s, ms, parameters, 10);
    seed_columns(s, "benchmark",
                 "method|ms|parameters|trained|extrapolation");
    for (int i = 0; i < METHODS; i++)
        seed_cells(s, "%s|%.2f|%lld|%s|%s", methods[i].name, ms[i],
                   (long long)parameters[i], parameters[i] ? "yes" : "no",
                   methods[i].found);
    seed_table_end(s);
    for (int i = 0; i < METHODS; i++) {
        if (i != 1)
            seed_wrong_text(s, "E-0.9", methods[i].name, methods[i].grade,
                            methods[i].found, i == 3 ? "a level loss shows "
                            "that far tokens are ignored, not that they are "
                            "used" : "lengths beyond training bring angles "
                            "the model has never seen");
    }
}
