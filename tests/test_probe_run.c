/* test_probe_run.c - runs measured: what must hold of any, and what is kept */
/* needs: lab */
#define _GNU_SOURCE
#include "lab_case.h"
#include "locant/figure.h"
#include "measure/probe.h"
#include "measure/tasks.h"
#include "report/messages.h"
#include <math.h>

enum { LENGTH = 32 };

static locant_train_options tiny(const char *encoding)
{
    locant_train_options o = small(encoding, 1, 3);

    o.batch = 2;
    return o;
}

static int64_t train(const char *encoding)
{
    const locant_train_options o = tiny(encoding);

    return run_of(&o);
}

static json_t *probe(int64_t run)
{
    json_t *found;
    char *text;

    CHECK_OK(locant_probe(&text, store, run, NULL, NULL));
    found = json_loads(text, 0, NULL);
    CHECK(found != NULL);
    locant_release(text);
    return found;
}

static double at(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);

    CHECK(json_is_number(value));
    return json_number_value(value);
}

/* --------------------------------------------------------------- attention */

/* What holds of every head, whatever it learned; six digits are kept. */
static void check_head(const json_t *head)
{
    const json_t *bins = json_object_get(head, "bins"), *bin;
    double sum = 0;
    size_t i;

    json_array_foreach(bins, i, bin)
        sum += json_number_value(bin);
    CHECK(json_array_size(bins) == LCT_PROBE_BINS);
    CHECK(fabs(sum - 1) < 1e-4);
    CHECK(at(head, "entropy") >= 0 && at(head, "distance") >= 0);
    CHECK(at(head, "sink") > 0 && at(head, "sink") <= 1.0001);
}

static void check_sweep(const json_t *sweep, double length, size_t rows)
{
    const json_t *heads = json_object_get(sweep, "heads"), *head;
    size_t i;

    CHECK(at(sweep, "length") == length);
    CHECK(json_array_size(json_object_get(sweep, "rows")) == rows);
    CHECK(json_array_size(heads) == 2);
    json_array_foreach(heads, i, head) {
        CHECK(json_array_size(json_object_get(head, "entropies")) == rows);
        check_head(head);
    }
}

TEST(every_head_is_measured_at_three_places)
{
    json_t *found = probe(train("rope"));
    const json_t *a = json_object_get(found, "attention");

    check_sweep(json_object_get(a, "initial"), LENGTH, LENGTH);
    check_sweep(json_object_get(a, "trained"), LENGTH, LENGTH);
    check_sweep(json_object_get(a, "long"), 2048, 48);
    CHECK(json_array_size(
              json_object_get(json_object_get(a, "sinks"), "text")) == 2);
    json_decref(found);
}

TEST(beyond_a_table_there_is_nothing)
{
    json_t *found = probe(train("learned"));
    const json_t *a = json_object_get(found, "attention");

    CHECK(json_object_get(a, "long") == NULL);
    check_sweep(json_object_get(a, "trained"), LENGTH, LENGTH);
    json_decref(found);
}

/* A repeated byte without positions: every key is the same, so weights are
   even, and heads see what they see of it in closed form. */
TEST(without_positions_a_repeated_byte_is_spread_evenly)
{
    json_t *found = probe(train("none"));
    const json_t *sinks =
        json_object_get(json_object_get(found, "attention"), "sinks");
    const json_t *alpha = json_object_get(sinks, "repeated"), *value;
    double want = 0;
    size_t i;

    for (int n = 1; n <= LENGTH; n++)
        want += 1.0 / n / LENGTH;
    json_array_foreach(alpha, i, value)
        CHECK(fabs(json_number_value(value) - want) < 1e-5);
    CHECK(at(sinks, "share_repeated") == 0);
    json_decref(found);
}

/* A window of the encoding is one of its heads, and of its gradients. */
TEST(a_window_is_seen)
{
    json_t *found = probe(train("window(size=8)")), *head;
    const json_t *field =
        json_object_get(json_object_get(found, "field"), "long");
    const json_t *within = json_object_get(field, "within");
    size_t i;

    json_array_foreach(
        json_object_get(
            json_object_get(json_object_get(found, "attention"), "long"),
            "heads"),
        i, head) {
        CHECK(fabs(at(json_object_get(head, "within"), "8") - 1) < 1e-4);
        CHECK(at(head, "entropy") < log(8) + 1e-4);
    }
    CHECK(at(field, "width_90") > 1 && at(field, "width_99") <= 8);
    CHECK(json_number_value(json_array_get(within, 2)) < .99); /* of 4 */
    CHECK(fabs(json_number_value(json_array_get(within, 3)) - 1) < 1e-5);
    json_decref(found);
}

/* -------------------------------------------------------------------- maps */

/* Rows of 32 bins of one key each: weights in thousandths. */
static void check_map(const json_t *map)
{
    const json_t *cells = json_array_get(json_object_get(map, "heads"), 1);

    CHECK(json_array_size(json_object_get(map, "heads")) == 2);
    CHECK(json_array_size(cells) == 32 * 32);
    for (size_t i = 0; i < 32; i++) {
        json_int_t sum = 0;

        for (size_t j = 0; j < 32; j++) {
            json_int_t cell =
                json_integer_value(json_array_get(cells, i * 32 + j));

            CHECK(j <= i ? cell >= 0 : cell == 0);
            sum += cell;
        }
        CHECK(sum >= 1000 - 16 && sum <= 1000 + 16); /* half a unit a cell */
    }
}

TEST(maps_are_rows_of_weights)
{
    json_t *found = probe(train("rope"));
    const json_t *maps = json_object_get(found, "maps");

    check_map(json_object_get(maps, "initial"));
    check_map(json_object_get(maps, "trained"));
    check_map(json_object_get(maps, "fourfold"));
    check_map(json_object_get(maps, "long"));
    CHECK(at(json_object_get(maps, "fourfold"), "length") == 4 * LENGTH);
    CHECK(at(json_object_get(maps, "long"), "length") == 2048);
    CHECK(!json_equal(json_object_get(maps, "initial"),
                      json_object_get(maps, "trained")));
    json_decref(found);
}

/* ------------------------------------------------------ states, frequencies */

/* A table that is added is in the states; no parameters: 3 steps learn none. */
TEST(positions_are_in_states_that_were_given_them)
{
    json_t *with = probe(train("learned")), *without = probe(train("none"));
    const json_t *has = json_object_get(with, "states");
    const json_t *lacks = json_object_get(without, "states");

    CHECK(at(has, "chance") == LENGTH / 4.0);
    CHECK(json_number_value(json_array_get(json_object_get(has, "error"), 0)) <
          .8 * LENGTH / 4);
    CHECK(json_number_value(json_array_get(json_object_get(lacks, "error"),
                                           0)) > .9 * LENGTH / 4);
    /* bytes alone do not tell where they stand */
    CHECK(at(has, "input") < .8 * LENGTH / 4);
    CHECK(at(lacks, "input") > .9 * LENGTH / 4);
    CHECK(json_object_size(json_object_get(without, "usage")) == 0);
    json_decref(with);
    json_decref(without);
}

/* Both layouts of pairs, and what is not turned is no pair. */
TEST(pairs_are_found_by_turning)
{
    static const struct {
        const char *spec;
        size_t pairs;
    } list[] = { { "rope", 8 },
                 { "rope(pairing=interleaved,dim=8)", 4 },
                 { "pope", 0 } };

    for (size_t i = 0; i < (TEST_SANITIZED ? 1 : LEN(list)); i++) {
        json_t *found = probe(train(list[i].spec));
        const json_t *usage = json_object_get(found, "usage");
        const json_t *f = json_object_get(usage, "frequency");

        CHECK(json_array_size(f) == list[i].pairs);
        for (size_t k = 0; k < list[i].pairs; k++)
            CHECK(fabs(json_number_value(json_array_get(f, k)) /
                           pow(10000, -(double)k / (double)list[i].pairs) -
                       1) < 1e-5);
        CHECK(json_array_size(json_object_get(usage, "heads")) ==
              (list[i].pairs ? 2 : 0));
        json_decref(found);
    }
}

/* ------------------------------------------------------------------- tables */

TEST(tables_and_biases_are_described)
{
    json_t *learned = probe(train("learned")), *alibi;
    const json_t *tables = json_object_get(learned, "tables"), *laws;

    CHECK(at(tables, "toeplitz") > 0 && at(tables, "toeplitz") <= 1.00001);
    CHECK(at(tables, "toeplitz_initial") > 0);
    CHECK(json_object_get(tables, "laws") == NULL);
    json_decref(learned);
    alibi = probe(train("learned+alibi"));
    laws = json_object_get(json_object_get(alibi, "tables"), "laws");
    CHECK(json_array_size(laws) == 2);
    for (size_t h = 0; h < 2; h++) {
        const json_t *head = json_array_get(laws, h);

        CHECK(fabs(at(head, "linear") - 1) < 1e-5 && at(head, "log") < .95);
    }
    json_decref(alibi);
}

/* ------------------------------------------------------------------ figures */

static locant_status take(const locant_figure *f, const char *alt,
                          const char *caption, void *context)
{
    int *taken = context;

    CHECK(*alt && *caption && f->title_zh && f->x_label && f->x_label_zh);
    CHECK(f->y_label == NULL || f->y_label_zh);
    /* distance 0 stands at 1 of an axis that says so */
    if (strcmp(f->name, "distances") == 0)
        CHECK(f->series[0].x[0] == 1 && f->series[0].x[1] == 2 &&
              strncmp(f->x_label, "1 + distance", 12) == 0);
    for (size_t i = 0; i < f->n_series; i++)
        CHECK(f->series[i].n > 0 && f->series[i].label);
    ++*taken;
    return LOCANT_OK;
}

static const char *const names[] = {
    "entropy",    "slopes",        "distances",   "shares",
    "reach",      "previous",      "sinks",       "field",
    "truncation", "states",        "usage",       "usage-heads",
    "partial",    "swings",        "gradient",    "gradient-own",
    "bias-steps", "entropy-steps", "reach-steps", "sinks-steps",
    "learning",   "maps",          "heads"
};

TEST(figures_are_of_what_was_found)
{
    const locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    locant_train_options o = tiny("rope");
    int64_t runs[2];
    int taken = 0, wanted = 0;

    o.steps = 32; /* enough to be looked at */
    runs[0] = run_of(&o);
    o.encoding = "learned";
    runs[1] = run_of(&o);
    json_decref(probe(runs[1])); /* the one with a table */
    json_decref(probe(runs[0]));
    for (size_t i = 0; i < LEN(names); i++) {
        CHECK_OK(locant_figure_of_runs(names[i], store, runs, 2, &view, take,
                                       &taken));
        /* of maps one for each encoding */
        wanted += i + 2 < LEN(names) ? 1 : 2;
        CHECK(taken == wanted);
    }
    REFUSES(
        PARAM,
        locant_figure_of_runs("swings", store, runs, 1, &view, take, &taken),
        "'swings' has nothing to show of these runs");
    runs[0] = train("kerple");
    REFUSES(PARAM,
            locant_figure_of_runs("sinks", store, runs, 1, &view, take, &taken),
            "'sinks' is of runs that were probed: 'locant probe' does that");
}

/* -------------------------------------------------------------------- store */

TEST(what_was_found_is_kept)
{
    const int64_t run = train("learned");
    json_t *first = probe(run), *second, *changed;
    locant_store *other;
    char *text;

    second = probe(run);
    CHECK(json_equal(first, second));
    /* it is the store that answers */
    CHECK_OK(lct_store_exec(store,
                            "UPDATE probes SET value = '{}' "
                            "WHERE run = ?1 AND name = 'attention'",
                            "i", run));
    changed = probe(run);
    CHECK(json_object_size(json_object_get(changed, "attention")) == 0);
    CHECK_OK(
        lct_store_exec(store, "DELETE FROM probes WHERE run = ?1", "i", run));
    CHECK_OK(locant_store_open_readonly(&other, scratch_file(&dir, "store")));
    CHECK_OK(locant_probe(&text, other, run, NULL, NULL));
    CHECK(strstr(text, "\"attention\"") == NULL);
    locant_release(text);
    locant_store_close(other);
    json_decref(first);
    json_decref(second);
    json_decref(changed);
}

static int stop(const locant_progress *progress, void *context)
{
    (void)context;
    CHECK(strcmp(progress->phase, "probe") == 0);
    return 1;
}

TEST(what_cannot_be_measured_is_refused)
{
    locant_train_options o = tiny("alibi");
    int64_t run;
    char *text = NULL, want[128];

    o.memory = 8;
    CHECK_OK(locant_train(&run, store, corpus, &o));
    snprintf(want, sizeof want,
             "locant_probe: run %d remembers 8 tokens, "
             "expected a model without memory",
             (int)run);
    CHECK_REFUSED(locant_probe(&text, store, run, NULL, NULL),
                  LOCANT_ERR_UNSUPPORTED, want);
    CHECK_OK(locant_task_options(&o, "T1"));
    o.encoding = "none";
    o.steps = 1;
    o.batch = 1;
    CHECK_OK(locant_train(&run, store, NULL, &o));
    CHECK(locant_probe(&text, store, run, NULL, NULL) ==
          LOCANT_ERR_UNSUPPORTED);
    CHECK(locant_probe(&text, store, train("fire"), stop, NULL) ==
          LOCANT_ERR_INTERRUPTED);
    CHECK(locant_probe(&text, store, 999, NULL, NULL) == LOCANT_ERR_PARAM);
    CHECK(text == NULL);
}

TEST_WITH_LAB(128 << 10)
