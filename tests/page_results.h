/*
 * page_results.h - invented results of a report, and the page written from
 * them, for the tests of the page and of its numbers.
 */
#ifndef PAGE_RESULTS_H
#define PAGE_RESULTS_H
#include "page_group.h"
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

enum { SEEDS = 3, BLOCKS = 12, STEPS = 300, GROUPS = 8, TRAINED = 128 };

/* -------------------------------------------------------- invented results */

/* All encodings use their context. */
static inline void make_context(struct lct_result *result)
{
    static const double cost[] = { 0.25, 0.4, 0.6 };

    for (int i = 0; i < 3; i++) {
        double *loss = calloc(BLOCKS, sizeof(double));

        for (int b = 0; b < BLOCKS; b++)
            loss[b] = result->block_loss[b] + cost[i] + 0.01 * test_normal();
        result->more[LCT_SHUFFLED + i] = loss;
    }
}

/* Nats by which the loss of a group rises after k doublings of the length. */
static inline double rise(size_t group, int k)
{
    static const double rate[GROUPS] = { -0.01, -0.02, 0,    0.4,
                                         0.15,  0.9,   0.01, 0.05 };

    return rate[group % GROUPS] * k;
}

static inline void make_losses(struct lct_result *result,
                               const struct lct_group *g, size_t group)
{
    bool limited = g->info->traits & LOCANT_TRAIT_LIMIT;

    result->block_loss = calloc(LOCANT_EVAL_LENGTHS * BLOCKS, sizeof(double));
    for (int k = 0; k < LOCANT_EVAL_LENGTHS; k++) {
        double sum = 0;
        for (int b = 0; b < BLOCKS; b++) {
            double *loss = &result->block_loss[k * BLOCKS + b];
            *loss = 1.5 + rise(group, k) + 0.1 * sin(b * 2.1) +
                    0.01 * test_normal();
            if (limited && k > 0)
                *loss = NAN;
            sum += *loss / BLOCKS;
        }
        result->eval.length[k] = TRAINED << k;
        result->eval.same_targets[k] = sum;
    }
    for (int i = 0; i < LOCANT_EVAL_BUCKETS; i++) {
        double doublings = fmax(0, log2((i + 0.5) / 4));
        result->eval.by_position[i] =
            limited && i >= 4
                ? NAN
                : 1.5 + 1.2 / (i + 1) + rise(group, 1) * doublings;
    }
    result->eval.own_window = 1.49;
    result->eval.blocks = BLOCKS;
    result->eval.tokens_per_second = 61234;
}

static inline void make_run(struct lct_result *result, size_t group, int seed)
{
    locant_run_info *run = &result->run;

    snprintf(run->model, sizeof run->model, "layers=3,width=64,heads=4");
    snprintf(run->optimizer, sizeof run->optimizer, "adamw");
    run->seed = (uint64_t)seed;
    run->steps = run->step = STEPS;
    run->batch = 16;
    run->length = TRAINED;
    run->encoding_parameters = (int64_t)group * 128;
    run->parameters = 180000 + run->encoding_parameters;
    run->seconds = 31.4;
    run->tokens_per_second = 40123;
    result->n_steps = STEPS;
    result->step = calloc(STEPS, sizeof(double));
    result->step_loss = calloc(STEPS, sizeof(double));
    result->step_norm = calloc(STEPS, sizeof(double));
    result->step_own_norm = calloc(STEPS, sizeof(double));
    for (int s = 0; s < STEPS; s++) {
        result->step[s] = s + 1;
        result->step_loss[s] = 1.4 + 4 * exp(-s / 40.0) + 0.02 * (double)group +
                               0.05 * test_normal();
        result->step_norm[s] = 1;
        result->step_own_norm[s] = group > 0 ? .25 : NAN;
    }
    result->bytes = 12345678;
    result->forward_ms = 0.0081;
    result->backward_ms = seed == 1 ? NAN : 0.0159 + 0.001 * (double)group;
}

static const char *const specs[GROUPS] = {
    "alibi", "learned", "rope", "kerple", "none", "sinusoidal", "t5", "cape",
};

static inline void make_group(struct lct_group *g, size_t i)
{
    make_encoding(g, specs[i], TRAINED);
    g->n = SEEDS;
    g->results = calloc(SEEDS, sizeof *g->results);
    for (int s = 0; s < SEEDS; s++) {
        make_run(&g->results[s], i, s + 1);
        make_losses(&g->results[s], g, i);
        make_context(&g->results[s]);
    }
}

static inline void make_results(struct lct_results *r)
{
    memset(r, 0, sizeof *r);
    r->n = GROUPS;
    r->groups = calloc(GROUPS, sizeof *r->groups);
    for (size_t i = 0; i < GROUPS; i++)
        make_group(&r->groups[i], i);
    r->heads = HEADS;
    r->width = WIDTH;
    r->trained_length = TRAINED;
    r->corpus = (locant_corpus_info){ .files = 812,
                                      .bytes = 16000000,
                                      .train_bytes = 14400000,
                                      .valid_bytes = 800000,
                                      .test_bytes = 800000 };
    memset(r->corpus.sha256, 'a', 64);
    r->ngram[0] = 2.16;
    r->ngram[1] = 1.81;
    r->ngram_order[0] = 2;
    r->ngram_order[1] = 4;
    snprintf(r->cpu, sizeof r->cpu, "A Processor");
    snprintf(r->isa, sizeof r->isa, "avx2");
    snprintf(r->commit, sizeof r->commit, "0123abc");
    snprintf(r->compiler, sizeof r->compiler, "cc 1.2");
    snprintf(r->date, sizeof r->date, "2030-01-02");
    r->threads = 2;
    r->seconds = 512;
    r->preset = "quick";
    for (int i = 0; i < 7; i++) {
        snprintf(r->gates[i].name, sizeof r->gates[i].name, "g%d", i + 1);
        r->gates[i].passed = 1;
        snprintf(r->gates[i].sentence, sizeof r->gates[i].sentence,
                 "Found number %d.", i + 1);
    }
}

static inline void free_results(struct lct_results *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct lct_group *g = &r->groups[i];
        for (int k = 0; k < g->n_params; k++)
            free(g->params[k].data);
        for (size_t s = 0; s < SEEDS; s++) {
            free(g->results[s].block_loss);
            for (int m = LCT_SHUFFLED; m <= LCT_TRUNCATED; m++)
                free(g->results[s].more[m]);
            free(g->results[s].step);
            free(g->results[s].step_loss);
            free(g->results[s].step_norm);
            free(g->results[s].step_own_norm);
        }
        free(g->results);
    }
    free(r->groups);
}

/* ---------------------------------------------------------------- the page */

static char folder[256], path[300];

static inline int make_folder(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    snprintf(folder, sizeof folder, "%.200s/pageXXXXXX", tmp ? tmp : ".");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/page.html", folder);
    return 0;
}

static inline int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* The whole page of r, with its script if this build has one; free() it. */
static inline char *page_with_script(const struct lct_results *r)
{
    FILE *file;
    char *page;
    long size;

    CHECK_OK(lct_page_write(path, r));
    file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    CHECK(size > 0);
    rewind(file);
    page = calloc((size_t)size + 1, 1);
    CHECK(page && fread(page, 1, (size_t)size, file) == (size_t)size);
    CHECK(strlen(page) == (size_t)size);
    fclose(file);
    return page;
}

/* The page without its data and script, which come last; free() it. */
static inline char *page_of(const struct lct_results *r)
{
    char *page = page_with_script(r);
    char *data = strstr(page, "<script type=\"application/json\"");

    if (data)
        *data = '\0';
    return page;
}
#endif
