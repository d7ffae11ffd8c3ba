/*
 * test_tasks.c - rows of the tasks against solvers by rule written apart; their
 * test sets never change; what is drawn has the distributions promised.
 */
/* needs: lab */
#include "testing.h"
#include "oracle/tasks.h"

#include "measure/tasks.h"
#include "files/hash.h"
#include "train/train.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096, SEED = 1 };

static int32_t tokens[ROOM], targets[ROOM], places[ROOM];

static struct lct_row test_row(const struct lct_task *task,
                               const locant_task_test *test, int64_t index)
{
    struct lct_row r = {
        .size = lct_task_size(task, test->length),
        .tokens = tokens,
        .targets = targets,
        .places = places,
    };

    CHECK(r.size <= ROOM);
    lct_task_test_row(&r, task, test, SEED, index);
    return r;
}

/* Row of a training batch by way of the source. */
static void train_row(const struct lct_task *task, uint64_t seed, uint64_t step,
                      uint64_t row, int64_t size)
{
    locant_train_options o;
    const struct lct_batch_row item = { seed, step, row, size };

    CHECK_OK(locant_task_options(&o, task->info.id));
    o.source->fill(tokens, targets, &item, o.source->context);
}

/* ---------------------------------------------------------------- by rule */

/* All words known, and every answer that of the solver, with nothing else. */
static int64_t check_row(const struct lct_task *task, oracle_solver solve,
                         int64_t size)
{
    int64_t answers = 0;

    for (int64_t i = 0; i < size; i++) {
        const int32_t want = solve ? solve(tokens, i, size) : targets[i];

        CHECK(tokens[i] >= 0 && tokens[i] < task->info.vocab);
        CHECK(targets[i] >= -1 && targets[i] < task->info.vocab);
        if (targets[i] != want)
            FAIL("%s: at %d of %d say %d, by rule %d", task->info.id, (int)i,
                 (int)size, targets[i], want);
        answers += targets[i] >= 0;
    }
    return answers;
}

/* T11 with 16 pairs reads twice as many: the rule of 8 does not hold there. */
static bool has_rule(const struct lct_task *task, const locant_task_test *test)
{
    return strncmp(task->info.id, "T11", 3) != 0 || test->value == 8;
}

TEST(rules_solve_every_test_set)
{
    const struct lct_task *task;
    int solved = 0;

    for (int i = 0; (task = lct_task_at(i)) != NULL; i++) {
        const oracle_solver solve = oracle_task(task->info.id);

        solved += solve != NULL;
        for (const locant_task_test *t = task->info.tests; t->length; t++)
            for (int64_t n = 0; n < (TEST_SANITIZED ? 5 : 40); n++) {
                struct lct_row r = test_row(task, t, n);

                CHECK(check_row(task, has_rule(task, t) ? solve : NULL,
                                r.size) > 0);
            }
    }
    assert_int_equal(solved, 20); /* all but T14 and the two of T15 */
}

/* Also of rows shorter and longer than recommended. */
TEST(rules_solve_every_batch)
{
    const struct lct_task *task;

    for (int i = 0; (task = lct_task_at(i)) != NULL; i++) {
        const int64_t least = lct_task_size(task, task->shortest);
        const int64_t usual = lct_task_size(task, task->info.length);
        const int64_t sizes[] = { least, usual, usual + 3 };

        for (size_t k = 0; k < LEN(sizes); k++)
            for (uint64_t row = 0; row < 30; row++) {
                int64_t size =
                    sizes[k] -
                    sizes[k] % 2 * (task->scale == 1 && task->param == 64);

                train_row(task, 7, row % 5, row, size);
                (void)check_row(task, oracle_task(task->info.id), size);
            }
    }
}

/* After the last answer of a short row nothing is said or asked. */
TEST(rows_end_in_silence)
{
    const struct lct_task *task = lct_task_find("t3");
    int64_t sum = 0;
    const int64_t rows = 2000;

    for (int64_t row = 0; row < rows; row++) {
        int64_t n = 0, last = 0;

        train_row(task, 3, 0, (uint64_t)row, 101);
        for (int64_t i = 0; i < 101; i++) {
            n += targets[i] >= 0;
            last = targets[i] >= 0 ? i : last;
        }
        CHECK(n >= 1 && n <= 50 && last == 2 * n);
        for (int64_t i = last + 1; i < 101; i++)
            CHECK((tokens[i] == 0 || i == last + 1) && targets[i] == -1);
        sum += n;
    }
    /* uniform in 1 .. 50: mean 25.5, deviation 14.4 / sqrt(rows); five of it */
    CHECK(fabs((double)sum / (double)rows - 25.5) < 5 * 14.4 / sqrt(2000.));
}

/* ------------------------------------------------------------------- fixed */

static uint64_t hash_row(uint64_t h, int64_t size)
{
    for (int64_t i = 0; i < size; i++) {
        const uint8_t bytes[4] = {
            (uint8_t)tokens[i],
            (uint8_t)targets[i],
            (uint8_t)((uint32_t)targets[i] >> 8),
            (uint8_t)places[i],
        };

        h = lct_hash(h, bytes, sizeof(bytes));
    }
    return h;
}

/* The first ten items of every test set, whoever makes them, wherever. */
TEST(test_sets_never_change)
{
    static const struct {
        const char *id;
        uint64_t hash;
    } want[] = {
#include "task_hashes.inc"
    };
    const struct lct_task *task;

    for (int i = 0; (task = lct_task_at(i)) != NULL; i++) {
        uint64_t h = LCT_HASH_BEGIN;

        for (const locant_task_test *t = task->info.tests; t->length; t++)
            for (int64_t n = 0; n < 10; n++)
                h = hash_row(h, test_row(task, t, n).size);
        if (i >= (int)LEN(want) || strcmp(want[i].id, task->info.id) != 0 ||
            want[i].hash != h)
            FAIL("{ \"%s\", 0x%016llx },", task->info.id,
                 (unsigned long long)h);
    }
}

TEST(rows_follow_from_seed_step_and_row)
{
    const struct lct_task *task = lct_task_find("T10");
    int32_t first[145];

    train_row(task, 5, 6, 7, 145);
    memcpy(first, tokens, sizeof(first));
    train_row(task, 5, 6, 8, 145);
    CHECK(memcmp(first, tokens, sizeof(first)) != 0);
    train_row(task, 5, 7, 7, 145);
    CHECK(memcmp(first, tokens, sizeof(first)) != 0);
    train_row(task, 6, 6, 7, 145);
    CHECK(memcmp(first, tokens, sizeof(first)) != 0);
    train_row(task, 5, 6, 7, 145);
    CHECK(memcmp(first, tokens, sizeof(first)) == 0);
}

/* ----------------------------------------------------------- distributions */

/* n draws of probability p: within five deviations. */
static void check_share(const char *what, int64_t hits, int64_t n, double p)
{
    const double deviation = sqrt(p * (1 - p) / (double)n);

    if (fabs((double)hits / (double)n - p) > 5 * deviation)
        FAIL("%s: %d of %d, expected %g", what, (int)hits, (int)n, p);
}

/* Who guesses among the possible answers is right as often as is said. */
TEST(guessing_gets_chance)
{
    static const char *const ids[] = { "T1", "T2", "T4",  "T5", "T7.count",
                                       "T8", "T9", "T10", "T12" };

    for (size_t k = 0; k < LEN(ids); k++) {
        const struct lct_task *task = lct_task_find(ids[k]);
        const int64_t choices = (int64_t)lround(1 / task->info.chance);
        const int32_t first = strcmp(ids[k], "T12") == 0 ? '0' : 0;
        int64_t hits = 0, n = 0;

        for (int64_t row = 0; row < 600; row++) {
            struct lct_row r = test_row(task, &task->info.tests[0], row);

            for (int64_t i = 0; i < r.size; i++) {
                if (targets[i] < 0)
                    continue;
                hits += targets[i] == first + test_range(0, choices - 1);
                n++;
            }
        }
        check_share(ids[k], hits, n, task->info.chance);
    }
}

TEST(flip_flops_are_as_dense_as_said)
{
    const struct lct_task *task = lct_task_find("T9");

    for (int k = 0; k < 3; k++) {
        const locant_task_test *t = &task->info.tests[k];
        int64_t ignored = 0, read = 0, pairs = 0;

        for (int64_t row = 0; row < 100; row++) {
            test_row(task, t, row);
            for (int64_t i = 3; i < 255; i += 2, pairs++) {
                ignored += tokens[i] == 4;
                read += tokens[i] == 3;
            }
        }
        check_share("ignored", ignored, pairs, (double)t->value / 100);
        check_share("read", read, pairs, (1 - (double)t->value / 100) / 2);
    }
}

/* Gap weights g^-.99 and 1 over 55 slots: the mean slot of the first pair. */
TEST(recall_gaps_follow_the_power_law)
{
    static const char *const ids[] = { "T11", "T11.flat" };
    static const double power[] = { -.99, 0 };

    for (int k = 0; k < 2; k++) {
        const struct lct_task *task = lct_task_find(ids[k]);
        double sum = 0, mean = 0, square = 0, weights = 0;
        const int n = 1500;

        for (int g = 1; g <= 55; g++) {
            weights += pow(g, power[k]);
            mean += g * pow(g, power[k]);
            square += g * g * pow(g, power[k]);
        }
        mean /= weights;
        square = sqrt(square / weights - mean * mean);
        for (int row = 0; row < n; row++) {
            int slot = 0;

            test_row(task, &task->info.tests[0], row);
            while (tokens[17 + 2 * slot] != tokens[1])
                slot++;
            sum += slot + 1;
        }
        CHECK(fabs(sum / n - mean) < 5 * square / sqrt(n));
    }
}

/* --------------------------------------------------------------- entropy */

static double entropy(const uint16_t *w)
{
    double sum = 0;

    for (int i = 0; i < 16; i++)
        sum -= w[i] ? w[i] / 65536. * log(w[i] / 65536.) : 0;
    return sum;
}

/* Of a triple of symbols a, b, c, which is 256 a + 16 b + c. */
static int context(int triple)
{
    const int a = triple / 256, b = triple / 16 % 16, c = triple % 16;

    return c + 16 * (b / 4) + 64 * (a / 4);
}

/* Mean entropy of the contexts of 2^20 symbols drawn here; its standard error
   is about .001. */
static double sampled_entropy(const lct_markov_weights *w, int64_t gap)
{
    locant_random random = { .seed = 2, .stream = 0x6d61726b6f76 };
    const int64_t n = 1 << 20;
    int last[128] = { 0 };
    double sum = 0;

    for (int64_t t = 0; t < n; t++) {
        const int c = last[(t + 127) % 128] + 16 * (last[(t + 126) % 128] / 4) +
                      64 * (last[(t + 128 - gap) % 128] / 4);
        int64_t at = (int64_t)(locant_random_word(&random) >> 16);
        int x = 0;

        sum += entropy((*w)[c]);
        while (at >= (*w)[c][x])
            at -= (*w)[c][x++];
        last[t % 128] = x;
    }
    return sum / (double)n;
}

/* The chain of all 4096 triples of symbols, stepped until it stands still,
   against drawn symbols. */
TEST(entropy_rate_is_that_of_the_triples)
{
    const lct_markov_weights *w = lct_markov();
    FREED_BY(free_memory) double *p = malloc(4096 * sizeof(double));
    double *q = malloc(4096 * sizeof(double)), rate = 0;

    for (int c = 0; c < LCT_MARKOV_CONTEXTS; c++) {
        int64_t sum = 0;

        for (int x = 0; x < 16; x++)
            sum += (*w)[c][x];
        CHECK(sum == 65536);
    }
    for (int s = 0; s < 4096; s++)
        p[s] = 1. / 4096;
    for (int step = 0; step < 2000; step++) {
        memset(q, 0, 4096 * sizeof(double));
        for (int s = 0; s < 4096; s++) /* and then x */
            for (int x = 0; x < 16; x++)
                q[s % 256 * 16 + x] += p[s] * (*w)[context(s)][x] / 65536.;
        memcpy(p, q, 4096 * sizeof(double));
    }
    for (int s = 0; s < 4096; s++)
        rate += p[s] * entropy((*w)[context(s)]);
    CHECK(fabs(rate - sampled_entropy(w, 3)) < .005);
    CHECK(rate > 1 && rate < log(16));
    free(q);
}

/* The loss of one who knows the source tends to the entropy rate. */
TEST(floors_are_near_the_entropy_rate)
{
    static const char *const ids[] = { "T14", "T15", "T15.100" };

    for (size_t k = 0; k < LEN(ids); k++) {
        const struct lct_task *task = lct_task_find(ids[k]);
        const locant_task_test test = { 1024, "", 0 };
        double sum = 0;
        int64_t n = 0;

        for (int64_t row = 0; row < 60; row++) {
            struct lct_row r = test_row(task, &test, row);

            for (int64_t i = 0; i < r.size; i++)
                n += targets[i] >= 0;
            sum += task->floor(&r);
        }
        CHECK(n == 60 * (1024 - task->param));
        /* deviation of one symbol about 1, 5e4 symbols, mixing in tens */
        CHECK(fabs(sum / (double)n -
                   sampled_entropy(lct_markov(), task->param)) < .05);
    }
}

/* ------------------------------------------------------------------- list */

TEST(tasks_are_what_the_list_says)
{
    const struct lct_task *task;
    locant_train_options o;
    int n = 0, controls = 0;

    for (; (task = lct_task_at(n)) != NULL; n++) {
        const locant_task_info *info = locant_task_at(n);

        CHECK(info == &task->info && locant_task_find(info->id) == info);
        CHECK_OK(locant_task_options(&o, info->id));
        CHECK(o.source->vocab == info->vocab && info->vocab <= LCT_VOCAB);
        CHECK(o.width % o.heads == 0 && o.steps > 0 && o.learning_rate > 0);
        CHECK(o.length == lct_task_size(task, info->length));
        CHECK(strlen(info->definition) > 20 && info->tests[0].length > 0);
        CHECK(task->shortest <= info->length && info->length <= task->longest);
        for (const locant_task_test *t = info->tests; t->length; t++)
            CHECK(t->length >= task->shortest && t->length <= task->longest);
        controls += info->control;
    }
    assert_int_equal(n, 23);
    assert_int_equal(controls, 3); /* T4, T8, T16 */
    CHECK(locant_task_at(n) == NULL && locant_task_at(-1) == NULL);
    CHECK(locant_task_find("T99") == NULL && locant_task_find(NULL) == NULL);
    REFUSES(PARAM, locant_task_options(&o, "T99"),
            "no task 'T99'; there are T1 .. T16");
}
