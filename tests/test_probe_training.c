/* test_probe_training.c - what heads attend to while they learn */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "measure/probe.h"
#include <math.h>

enum { LENGTH = 32 };
static const double steps[] = { 0, 16, 32 }; /* 64 rows or more apart */

static locant_train_options tiny(const char *encoding)
{
    locant_train_options o = small(encoding, 2, 32);

    o.checkpoint_every = 7;
    return o;
}

static json_t *training_of(int64_t run)
{
    json_t *whole, *found;

    CHECK_OK(lct_probe_read(&whole, store, run, false, NULL, NULL));
    found = json_incref(json_object_get(whole, "training"));
    json_decref(whole);
    return found;
}

static double at(const json_t *list, size_t i, const char *key, size_t head)
{
    const json_t *value =
        json_array_get(json_object_get(json_array_get(list, i), key), head);

    CHECK(json_is_number(value));
    return json_number_value(value);
}

static double step_of(const json_t *list, size_t i)
{
    return json_number_value(json_object_get(json_array_get(list, i), "step"));
}

/* A window of one key leaves nothing to learn: all weight is on it.  Rows see
   1, 2, .. LENGTH keys, so even weights are 1/n: their mean is H/LENGTH. */
TEST(a_window_of_one_key_in_closed_form)
{
    const locant_train_options o = tiny("window(size=1)");
    json_t *list = training_of(run_of(&o));
    double harmonic = 0;

    for (int n = 1; n <= LENGTH; n++)
        harmonic += 1.0 / n;
    CHECK(json_array_size(list) == LEN(steps));
    for (size_t i = 0; i < LEN(steps); i++) {
        CHECK(step_of(list, i) == steps[i]);
        for (size_t h = 0; h < 4; h++) {
            CHECK(fabs(at(list, i, "entropy", h)) < 1e-5);
            CHECK(fabs(at(list, i, "sink", h) - 1.0 / LENGTH) < 1e-5);
            CHECK(fabs(at(list, i, "self_bias", h) - (1 - harmonic / LENGTH)) <
                  1e-5);
            CHECK(fabs(at(list, i, "previous_bias", h) +
                       (harmonic - 1) / LENGTH) < 1e-5);
            CHECK(fabs(at(list, i, "distance", h)) < 1e-5);
            /* all windows are shorter than those that sinks are judged by */
            CHECK(fabs(at(list, i, "early_sink", h) - 1.0 / LENGTH) < 1e-5);
        }
    }
    json_decref(list);
}

/* What is said of a step is of the parameters at that step: those of a run that
   was done there. */
TEST(a_step_is_that_of_a_run_that_ends_there)
{
    locant_train_options o = tiny("rope");
    json_t *list, *other;

    o.constant_rate = 1; /* rates do not depend on the steps to come */
    list = training_of(run_of(&o));
    o.steps /= 2;
    other = training_of(run_of(&o));
    CHECK(json_array_size(list) == 3 && json_array_size(other) == 2);
    CHECK(json_equal(json_array_get(list, 0), json_array_get(other, 0)));
    CHECK(json_equal(json_array_get(list, 1), json_array_get(other, 1)));
    CHECK(!json_equal(json_array_get(list, 1), json_array_get(list, 2)));
    json_decref(list);
    json_decref(other);
}

static int stop_now(const locant_progress *p, void *context)
{
    (void)context;
    return p->step > 0;
}

/* Looking changes nothing, stopping neither: the same rows as at a stretch. */
TEST(a_run_that_was_stopped_has_the_same)
{
    locant_train_options o = tiny("t5");
    json_t *straight, *again;
    int64_t id;

    id = run_of(&o);
    straight = training_of(id);
    CHECK_OK(locant_store_remove(store, id));
    o.progress = stop_now;
    CHECK(locant_train(&id, store, corpus, &o) == LOCANT_ERR_INTERRUPTED);
    o.progress = NULL;
    again = training_of(run_of(&o));
    CHECK(json_array_size(again) == LEN(steps));
    CHECK(json_equal(straight, again));
    json_decref(straight);
    json_decref(again);
}

/* Too short a run, memory, a task: nothing is looked at. */
TEST(some_runs_are_not_looked_at)
{
    locant_train_options o = tiny("none");
    json_t *list;
    sqlite3_stmt *rows = NULL;
    bool row;

    o.steps = 3;
    list = training_of(run_of(&o));
    CHECK(json_is_array(list) && json_array_size(list) == 0);
    json_decref(list);
    o = tiny("alibi");
    o.memory = 8;
    CHECK_OK(lct_store_prepare(&rows, store,
                               "SELECT 1 FROM probes "
                               "WHERE run = ?1 AND name = 'training'",
                               "i", run_of(&o)));
    CHECK_OK(lct_store_step(&row, store, rows));
    CHECK(!row);
    sqlite3_finalize(rows);
}

TEST_WITH_LAB(128 << 10)
