/*
 * bench_model.c - checkpoints: a prompt, tokens after it, memory, opening.
 *
 * Weights are random and lie in a temporary folder.  The states of the first
 * tokens of the prompt are compared with those in double before it is timed.
 * With --quick a model has few layers and a small vocabulary.
 */
#define _XOPEN_SOURCE 700
#include "bench.h"
#include <math.h>
#include <string.h>

enum { NEW = 64, CHECKED = 2, QUICK_LAYERS = 2, QUICK_VOCAB = 8192 };

/* Weights of the matrices of all layers. */
static double layer_weights(const struct bench_shape *s)
{
    const double q = (double)(s->heads * s->dim);
    const double k = (double)(s->kv_heads * s->dim);

    return (double)(s->layers * s->width) * (2 * q + 2 * k + 3 * (double)s->ff);
}

double bench_model_flops(const struct bench_shape *s, int64_t tokens)
{
    const double q = (double)(s->layers * s->heads * s->dim);

    return (double)tokens * (2 * layer_weights(s) + 2 * q * (double)tokens);
}

/* Bytes of all matrices. */
static double weight_bytes(const struct bench_shape *s, locant_dtype dtype)
{
    return (layer_weights(s) + (double)(s->width * s->vocab)) *
           (double)locant_dtype_size(dtype);
}

/* Bytes of keys and values, which are float whatever the weights are. */
static double cache_bytes(const struct bench_shape *s, int64_t tokens)
{
    return 2.0 * (double)(s->layers * s->kv_heads * s->dim * tokens) *
           sizeof(float);
}

#ifdef BENCH_LAB
#    include "locant/models.h"

static const char unwritten[] = "no checkpoint could be written in " P_tmpdir;

static struct bench_shape shape_of(const struct bench_case *c, bool quick)
{
    struct bench_shape s = *c->family->shape;

    if (quick && c->work != &work_open) {
        s.layers = QUICK_LAYERS;
        s.vocab = QUICK_VOCAB;
    }
    return s;
}

static void note_quick(struct bench_result *r, bool quick)
{
    if (quick)
        bench_note(r, "%d layers, vocabulary of %d", QUICK_LAYERS, QUICK_VOCAB);
}

/* --------------------------------------------------------------- the model */

struct model {
    struct bench_shape shape;
    const char *folder;
    locant_model *model;
    locant_tensor ids, states, text; /* [1, T], [1, T, D], [1, T + NEW] */
    locant_model_input input;
};

static void close_model(struct model *m)
{
    locant_model_close(m->model);
    bench_release(&m->ids, 1);
    bench_release(&m->states, 1);
    bench_release(&m->text, 1);
}

/* NULL, or why it cannot be used; close it in any case. */
static const char *open_model(struct model *m, const struct bench_case *c,
                              bool quick)
{
    const int64_t T = c->tokens;
    int64_t *ids;

    *m = (struct model){ .shape = shape_of(c, quick) };
    m->folder = bench_checkpoint(&m->shape, c->dtype, false);
    if (m->folder == NULL)
        return unwritten;
    if (!bench_tensor(&m->ids, LOCANT_I64, 2, (int64_t[2]){ 1, T }) ||
        !bench_tensor(&m->text, LOCANT_I64, 2, (int64_t[2]){ 1, T + NEW }) ||
        !bench_tensor(&m->states, LOCANT_F32, 3,
                      (int64_t[3]){ 1, T, m->shape.width }) ||
        locant_model_open(&m->model, m->folder, c->dtype) != LOCANT_OK)
        return locant_last_error();
    ids = m->ids.data;
    for (int64_t i = 0; i < T; i++)
        ids[i] = (i * 7919 + 13) % m->shape.vocab;
    m->input = (locant_model_input)LOCANT_MODEL_INPUT_INIT;
    m->input.ids = &m->ids;
    return NULL;
}

static bool run_prompt(struct model *m)
{
    return locant_model_logits(&m->states, NULL, m->model, &m->input,
                               LOCANT_MODEL_HIDDEN) == LOCANT_OK;
}

/* The states of the first tokens in double. */
static bool true_states(locant_tensor *out, struct model *m)
{
    const int64_t n = m->ids.shape[1] < CHECKED ? m->ids.shape[1] : CHECKED;
    locant_tensor ids = m->ids;
    locant_model_input input = m->input;
    locant_model *model = NULL;
    bool good;

    ids.shape[1] = n;
    input.ids = &ids;
    good = bench_tensor(out, LOCANT_F64, 3,
                        (int64_t[3]){ 1, n, m->shape.width }) &&
           locant_model_open(&model, m->folder, LOCANT_F64) == LOCANT_OK &&
           locant_model_logits(out, NULL, model, &input, LOCANT_MODEL_HIDDEN) ==
               LOCANT_OK;
    locant_model_close(model);
    return good;
}

/*
 * NULL, or what is wrong with the states of the prompt.  In float32 a model of
 * some tens of layers is within 3e-5 of the largest number.  With bfloat16 the
 * input of each product is rounded by at most 2^-9: some hundred of them in a
 * row, independent of each other, differ by some 1e-2.
 */
static const char *check_prompt(struct model *m, locant_dtype dtype)
{
    locant_tensor want = { 0 };
    const float *got = m->states.data;
    double worst = 0, most = 0;

    if (!true_states(&want, m)) {
        bench_release(&want, 1);
        return locant_last_error();
    }
    for (int64_t i = 0; i < bench_elements(&want); i++) {
        const double w = ((const double *)want.data)[i];

        worst = fmax(worst, fabs(w - (double)got[i]));
        most = fmax(most, fabs(w));
    }
    bench_release(&want, 1);
    return worst <= (dtype == LOCANT_F32 ? 3e-5 : 5e-2) * most
               ? NULL
               : "the states of the prompt differ from those in double";
}

/* -------------------------------------------------------------- its speeds */

enum { MOST = 64 };

struct timing {
    double ns[MOST], last, cpu, wall;
    int n;
};

static void update_peak(struct bench_result *r, enum bench_peak peak,
                        double bytes, bool quick)
{
    const double speed =
        bench_peak_speed(peak, (size_t)bytes, quick ? 5e6 : 100e6);

    r->peak = speed > r->peak ? speed : r->peak;
}

/* 'amount' flops or bytes make 'tokens' tokens. */
static void summarise(struct bench_result *r, struct timing *t, double amount,
                      double tokens, const char *unit)
{
    const struct bench_summary s = bench_summarise(t->ns, t->n);

    r->samples = t->n;
    r->min_ns = s.min;
    r->median_ns = s.median;
    r->spread = s.spread;
    r->cpus = t->cpu / t->wall;
    r->speed = 1e9 * tokens / s.median;
    bench_note(r, "%.4g of %.4g %s", amount / s.median, r->peak, unit);
    r->peak *= 1e9 * tokens / amount;
    r->of_peak = 1e9 * tokens / s.min / r->peak;
    r->of_peak_median = r->speed / r->peak;
    bench_note_idle(r);
}

static const char *time_prompt(struct bench_result *r, struct model *m,
                               bool quick)
{
    const enum bench_peak peak = bench_bound(r->c, r->isa);
    const int samples = quick ? 2 : 5;
    struct timing t = { 0 };
    const char *wrong;

    if (!run_prompt(m))
        return locant_last_error();
    wrong = check_prompt(m, r->c->dtype);
    for (int i = 0; wrong == NULL && i < samples; i++) {
        const double cpu = bench_clock_cpu(), wall = bench_clock_wall();

        if (!run_prompt(m))
            return locant_last_error();
        t.ns[t.n++] = bench_clock_wall() - wall;
        t.wall += bench_clock_wall() - wall;
        t.cpu += bench_clock_cpu() - cpu;
        update_peak(r, peak, 0, quick);
    }
    if (wrong == NULL)
        summarise(r, &t, bench_model_flops(&m->shape, r->c->tokens),
                  (double)r->c->tokens, "GFLOP/s");
    return wrong;
}

/* The first token comes with the prompt, and is not timed. */
static int time_token(const int64_t *ids, int64_t done, int64_t total,
                      void *context)
{
    struct timing *t = context;
    const double now = bench_clock_wall();

    (void)ids;
    if (done == 1) {
        t->cpu = -bench_clock_cpu();
        t->wall = -now;
    } else if (t->n < MOST) {
        t->ns[t->n++] = now - t->last;
    }
    if (done == total) {
        t->cpu += bench_clock_cpu();
        t->wall += now;
    }
    t->last = now;
    return 0;
}

static const char *time_tokens(struct bench_result *r, struct model *m,
                               bool quick)
{
    const double bytes = weight_bytes(&m->shape, r->c->dtype) +
                         cache_bytes(&m->shape, r->c->tokens + NEW / 2);
    locant_generation g = LOCANT_GENERATION_INIT;
    struct timing t = { 0 };

    g.ignore_end = 1;
    g.each = time_token;
    g.context = &t;
    update_peak(r, PEAK_READ, bytes, quick);
    if (locant_model_generate(&m->text, m->model, &m->input, &g) != LOCANT_OK)
        return locant_last_error();
    update_peak(r, PEAK_READ, bytes, quick);
    summarise(r, &t, bytes, 1, "GB/s");
    return NULL;
}

static const char *measure(struct bench_result *r, bool quick,
                           const char *(*time)(struct bench_result *r,
                                               struct model *m, bool quick))
{
    struct model m;
    const char *wrong = open_model(&m, r->c, quick);

    if (wrong != NULL)
        wrong = bench_cannot(r, wrong);
    else
        wrong = time(r, &m, quick);
    close_model(&m);
    note_quick(r, quick);
    return wrong;
}

static const char *measure_prompt(struct bench_result *r, bool quick)
{
    return measure(r, quick, time_prompt);
}

static const char *measure_tokens(struct bench_result *r, bool quick)
{
    return measure(r, quick, time_tokens);
}

/* ------------------------------------------------------------------ memory */

static void generate(struct bench_memory *answer, const void *context)
{
    const struct bench_case *c = context;
    locant_generation g = LOCANT_GENERATION_INIT;
    const double from = bench_clock_wall();
    struct model m;
    const char *wrong = open_model(&m, c, false);

    g.ignore_end = 1;
    if (wrong == NULL &&
        locant_model_generate(&m.text, m.model, &m.input, &g) != LOCANT_OK)
        wrong = locant_last_error();
    if (wrong != NULL)
        snprintf(answer->why, sizeof(answer->why), "%s", wrong);
    answer->ns = bench_clock_wall() - from;
    answer->operands = weight_bytes(&m.shape, c->dtype) +
                       cache_bytes(&m.shape, c->tokens + NEW);
}

static const char *measure_memory(struct bench_result *r, bool quick)
{
    struct bench_memory answer;
    const char *wrong;

    (void)quick; /* there is only one sample */
    if (bench_checkpoint(r->c->family->shape, r->c->dtype, false) == NULL)
        return bench_cannot(r, unwritten);
    wrong = bench_memory_ask(&answer, generate, r->c);
    if (wrong != NULL)
        return wrong;
    if (answer.why[0] != '\0')
        return bench_cannot(r, answer.why);
    r->samples = 1;
    r->min_ns = r->median_ns = answer.ns;
    r->speed = 100 * answer.extra / answer.operands;
    bench_note(r, "%.0f MiB beyond %.0f of weights and cache",
               answer.extra / 0x1p20, answer.operands / 0x1p20);
    return NULL;
}

/* ----------------------------------------------------------------- opening */

/* Pages of a sparse file read as zeros without a disk. */
static const char *measure_open(struct bench_result *r, bool quick)
{
    const struct bench_shape s = shape_of(r->c, quick);
    const char *folder = bench_checkpoint(&s, r->c->dtype, true);
    struct timing t = { 0 };
    struct bench_summary summary;

    if (folder == NULL)
        return bench_cannot(r, unwritten);
    while (t.n < (quick ? 3 : 15)) {
        const double from = bench_clock_wall();
        locant_model *model;

        if (locant_model_open(&model, folder, r->c->dtype) != LOCANT_OK)
            return locant_last_error();
        t.ns[t.n++] = bench_clock_wall() - from;
        locant_model_close(model);
    }
    summary = bench_summarise(t.ns, t.n);
    r->samples = t.n;
    r->min_ns = summary.min;
    r->median_ns = summary.median;
    r->spread = summary.spread;
    r->speed = 1e9 / summary.median;
    bench_note(r, "%.2f GB", 1e-9 * weight_bytes(&s, r->c->dtype));
    return NULL;
}
#else
static const char *measure_none(struct bench_result *r, bool quick)
{
    (void)quick;
    return bench_cannot(r, "this build does not have liblocant_lab");
}
#    define measure_prompt measure_none
#    define measure_tokens measure_none
#    define measure_memory measure_none
#    define measure_open   measure_none
#endif

const struct bench_work work_prompt = { .unit = "tokens/s",
                                        .peak = PEAK_FMA,
                                        .measure = measure_prompt };
const struct bench_work work_tokens = { .unit = "tokens/s",
                                        .peak = PEAK_READ,
                                        .measure = measure_tokens };
const struct bench_work work_model_memory = { .unit = "%",
                                              .measure = measure_memory };
const struct bench_work work_open = { .unit = "opens/s",
                                      .one_thread = true,
                                      .measure = measure_open };
