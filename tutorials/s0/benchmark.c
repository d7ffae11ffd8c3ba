/* benchmark.c - the tutorial's benchmark of four methods: S0.21, S0.22. */
#include "../tutorial.h"

enum { BATCH = 16, TOKENS = 1024, WIDTH = 512, HEADS = 8 };
enum { METHODS = 4, TABLE = 5000, ROWS = TOKENS * WIDTH };

/* What the methods read and write, all F32 but the positions. */
static struct {
    const locant_encoding *e;
    locant_tensor x, y;      /* [BATCH, TOKENS, WIDTH] */
    locant_tensor rows;      /* [TOKENS, WIDTH]: of the table in use */
    locant_tensor table;     /* [TABLE, WIDTH], learned */
    locant_tensor bias;      /* [HEADS, TOKENS, TOKENS] */
    locant_tensor positions; /* I64 [TOKENS] */
} bench;

static void add_rows(void)
{
    const float *x = bench.x.data, *p = bench.rows.data;
    float *y = bench.y.data;

    for (int64_t b = 0; b < BATCH; b++)
        for (int64_t j = 0; j < ROWS; j++)
            y[b * ROWS + j] = x[b * ROWS + j] + p[j];
}

static void read_rows(void)
{
    must(locant_encoding_table(&bench.rows, bench.e, &bench.positions,
                               &bench.table));
}

static void gather_and_add(void)
{
    read_rows();
    add_rows();
}

static void rotate(void)
{
    must(locant_encoding_rotate(&bench.y, &bench.x, bench.e, &bench.positions,
                                NULL, 0));
}

static void build_bias(void)
{
    must(locant_encoding_bias(&bench.bias, bench.e, &bench.positions,
                              &bench.positions, NULL));
}

#define ELSEWHERE "not measured here; S4.18 measures it"
/* clang-format off */
static const struct method {
    const char *name, *spec, *work;
    void (*run)(void);
    const char *theirs; /* extrapolation, as the tutorial has it */
    const char *right;
} methods[METHODS] = {
    { "sinusoidal", "sinusoidal", "adds a stored table", add_rows, "good",
      ELSEWHERE },
    { "learned", "learned(length=5000)", "reads rows, adds them",
      gather_and_add, "limited", "none: the table ends" },
    { "rope", "rope(pairing=interleaved)", "rotates every channel", rotate,
      "good", ELSEWHERE },
    { "alibi", "alibi", "builds a bias [8, 1024, 1024]", build_bias,
      "excellent", ELSEWHERE }
};
/* clang-format on */

static locant_tensor uniform_f32(locant_random *r, double scale, int64_t rows,
                                 int64_t cols)
{
    locant_tensor t = ZEROS_F32(rows, cols);

    for (int64_t i = 0; i < rows * cols; i++)
        ((float *)t.data)[i] =
            (float)(scale * locant_random_uniform(r) - scale / 2);
    return t;
}

/* Mean milliseconds of 'runs' runs after 5 that are not counted. */
static double measure(const struct method *m, int runs)
{
    double start;

    bench.e = encoding(m->spec);
    if (m->run == add_rows)
        read_rows();
    for (int i = 0; i < 5; i++)
        m->run();
    start = seconds();
    for (int i = 0; i < runs; i++)
        m->run();
    return (seconds() - start) * 1e3 / runs;
}

/* Checks one number of the method's result by its formula. */
static void check_result(const struct method *m)
{
    const float *x = bench.x.data, *y = bench.y.data, *b = bench.bias.data;
    const float *learned = bench.table.data;
    int at = 3 * WIDTH; /* token 3 of the first sequence */

    if (m->run == add_rows)
        check("sinusoidal", y[at], x[at] + sin(3), 1e-7);
    else if (m->run == gather_and_add)
        check("learned", y[at], x[at] + learned[at], 1e-7);
    else if (m->run == rotate)
        check("rope", y[at], x[at] * cos(3) - x[at + 1] * sin(3), 1.5e-7);
    else
        check("alibi", b[3 * TOKENS], -1.5, 0);
}

static void measure_all(double *ms, long long *numbers, int runs)
{
    locant_random r = random_stream(21);

    bench.x = RESHAPED(uniform_f32(&r, 1, BATCH * TOKENS, WIDTH), BATCH, TOKENS,
                       WIDTH);
    bench.table = uniform_f32(&r, 0.2, TABLE, WIDTH);
    bench.y = ZEROS_F32(BATCH, TOKENS, WIDTH);
    bench.rows = ZEROS_F32(TOKENS, WIDTH);
    bench.bias = ZEROS_F32(HEADS, TOKENS, TOKENS);
    bench.positions = positions(0, TOKENS);
    for (int i = 0; i < METHODS; i++) {
        progress("%s, %d runs", methods[i].name, runs);
        ms[i] = measure(&methods[i], runs);
        numbers[i] = learned_numbers(methods[i].spec, WIDTH, HEADS);
        check_result(&methods[i]);
        claim("time passes", ms[i] > 0);
        check("parameters", numbers[i],
              methods[i].run == gather_and_add ? TABLE * WIDTH : 0, 0);
    }
}

static const char *const UNSEEN =
    "lengths beyond training bring angles that the model has never seen";

void s0_21_benchmark(void)
{
    double ms[METHODS];
    long long numbers[METHODS];

    say("batch %d, %d tokens, width %d, %d heads; float32; 5 runs to warm up, "
        "mean of 100; %s, %d threads.",
        BATCH, TOKENS, WIDTH, HEADS, locant_isa(), locant_threads());
    measure_all(ms, numbers, 100);
    for (int i = 0; i < METHODS; i++)
        say("%s: %.2f ms, %lld parameters, %s; %s; extrapolation: %s",
            methods[i].name, ms[i], numbers[i],
            numbers[i] ? "trained" : "nothing to train", methods[i].work,
            methods[i].right);
    mistake_in_words(
        "E-0.10", "what the times are compared for", "which method is faster",
        "nothing: the jobs are unlike",
        "one adds a table, one gathers and adds, one rotates every channel, "
        "one builds 8 M numbers that others never need; a fair test is one "
        "attention with each ('locant report')");
    mistake_in_words("E-0.9", "extrapolation of sinusoidal and rope", "good",
                     ELSEWHERE, UNSEEN);
}

void s0_22_benchmark_table(void)
{
    double ms[METHODS];
    long long numbers[METHODS];

    say("As S0.21, mean of 10 runs.  The times are of unlike jobs.");
    measure_all(ms, numbers, 10);
    table("benchmark", "method|ms|parameters|trained|extrapolation");
    for (int i = 0; i < METHODS; i++)
        table_row("%s|%.2f|%lld|%s|%s", methods[i].name, ms[i], numbers[i],
                  numbers[i] ? "yes" : "no", methods[i].right);
    for (int i = 0; i < METHODS; i++)
        if (methods[i].run != gather_and_add)
            mistake_in_words("E-0.9", methods[i].name, methods[i].theirs,
                             methods[i].right,
                             i < 3 ? UNSEEN
                                   : "a level loss shows that far tokens are "
                                     "ignored, not that they are used");
}
