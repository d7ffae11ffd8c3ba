/*
 * train.c - seed 004, homework 4: train at 128, test at 256, three methods.
 */
#include "rows.h"

#include <math.h>

#include "../layers.h"

enum { METHODS = 3, BLOCKS = 32 };

static const char *const specs[METHODS] = { "sinusoidal", "rope", "alibi" };

struct lab {
    locant_store  *store;
    locant_corpus *corpus;
};

static void close_store(void *store)
{
    locant_store_close(store);
}

static void free_corpus(void *corpus)
{
    locant_corpus_free(corpus);
}

static struct lab open_lab(struct seed *s)
{
    locant_corpus_options text = LOCANT_CORPUS_INIT;
    struct lab lab;

    seed_try(s, locant_store_open(&lab.store, seed_folder(s)));
    seed_defer(s, close_store, lab.store);
    text.kind = LOCANT_CORPUS_GENERATED;
    seed_try(s, locant_corpus_create(&lab.corpus, &text));
    seed_defer(s, free_corpus, lab.corpus);
    return lab;
}

/* Two layers, 200 steps of 16 x 128 bytes: seconds, not science. */
static locant_evaluation train(struct seed *s, const struct lab *lab,
                               const char *spec)
{
    locant_train_options o = LOCANT_TRAIN_INIT;
    locant_evaluation out;
    int64_t run;
    double  begun = seed_seconds();

    o.encoding = spec;
    o.layers = 2;
    o.steps = 200;
    seed_progress(s, "training %s, %lld steps of %lld bytes", spec,
                  (long long)o.steps, (long long)(o.batch * o.length));
    seed_try(s, locant_train(&run, lab->store, lab->corpus, &o));
    seed_try(s, locant_evaluate(&out, lab->store, run, lab->corpus, BLOCKS));
    seed_progress(s, "%s: %.4f at 128, %.4f at 256, %.0f s", spec,
                  out.same_targets[0], out.same_targets[1],
                  seed_seconds() - begun);
    return out;
}

static void draw(struct seed *s, const locant_evaluation e[METHODS])
{
    static const locant_mark trained = { .x = 128, .label = "trained" };
    double x[LOCANT_EVAL_LENGTHS];
    locant_series lines[METHODS];
    locant_figure figure = LOCANT_FIGURE_INIT;

    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        x[i] = (double)e[0].length[i];
    for (int k = 0; k < METHODS; k++)
        lines[k] = (locant_series){ .label = specs[k], .x = x,
                                    .n = LOCANT_EVAL_LENGTHS, .marks = 1,
                                    .y = e[k].same_targets, .color = k };
    figure.title = "Trained at 128 bytes";
    figure.x_label = "context, bytes";
    figure.y_label = "loss, nats per byte";
    figure.log_x = 1;
    figure.series = lines;
    figure.n_series = METHODS;
    figure.marks = &trained;
    figure.n_marks = 1;
    seed_figure(s, 0, &figure);
}

void s4_homework_4(struct seed *s)
{
    struct lab lab = open_lab(s);
    locant_evaluation e[METHODS];
    double rise[METHODS];

    for (int k = 0; k < METHODS; k++) {
        e[k] = train(s, &lab, specs[k]);
        rise[k] = e[k].same_targets[1] - e[k].same_targets[0];
    }
    seed_say(s, "Byte models of two layers, width 64, 4 heads, trained for 200 "
             "steps at length 128 on generated C-like text, seed 1; the same "
             "2048 bytes are then scored after 128 and after 256 bytes of "
             "context, in nats per byte.");
    seed_columns(s, "losses", "method|128|256|rise|512|1024|2048");
    for (int k = 0; k < METHODS; k++) {
        const double *x = e[k].same_targets;

        seed_cells(s, "%s|%.4f|%.4f|%.4f|%.4f|%.4f|%.4f", specs[k], x[0], x[1],
                   rise[k], x[2], x[3], x[4]);
    }
    seed_table_end(s);
    draw(s, e);
    seed_wrong_text(s, "E-4.7", "RoPE at twice the trained length", "good",
                    "worse than at the trained length",
                    "More context should help; with RoPE and the sinusoid it "
                    "hurts, with ALiBi it does neither.");
    seed_say(s, "One seed of a small, short run: the order of the losses at "
             "128 says little, the rises are far beyond noise.  'locant "
             "report --preset homework' does this on three seeds of a longer "
             "training, with intervals and a page.");
    for (int k = 0; k < METHODS; k++) /* ln 256: a model that knows nothing */
        seed_claim(s, "it has learned something",
                   e[k].same_targets[0] < 0.6 * log(256));
    /* a twentieth of a nat: seven times less than either rise */
    seed_claim(s, "the sinusoid gets worse", rise[0] > 0.05);
    seed_claim(s, "RoPE gets worse", rise[1] > 0.05);
    seed_claim(s, "ALiBi stays", fabs(rise[2]) < 0.05);
}
