/* study_compare.c - locant study compare: two studies in one page */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "locant/study.h"
#include "study_compare.h"
#include "job.h"

/* Whether the word is the number of a study, and not the path of its file. */
static int is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

static int open_source(locant_study_source *out, locant_store **store,
                       const char *word, const char *dir)
{
    *out = (locant_study_source){ .path = word };
    if (!is_number(word))
        return CLI_OK;
    out->path = NULL;
    CLI_TRY(cli_run_id(&out->id, "study", word));
    if (*store == NULL)
        CLI_TRY(cli_store_open(store, dir, CLI_READ));
    out->store = *store;
    return CLI_OK;
}

/* ---------------------------------------------------------------- printing */

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));

    return value != NULL ? cli_safe(value) : "-";
}

static void print_settings(const json_t *all)
{
    const json_t *one;
    size_t i;

    json_array_foreach(json_object_get(all, "settings"), i, one)
        if (json_is_true(json_object_get(one, "differs")))
            printf("%-11s %s | %s\n", text(one, "setting"), text(one, "a"),
                   text(one, "b"));
}

/* "-0.227 +-0.013*"; the star is for a corrected p below 0.05. */
static void print_loss(const json_t *loss, int claims)
{
    const double mean = number(loss, "mean"), half = number(loss, "half");
    const char *shown = "-";

    if (isfinite(mean))
        shown = cli_text("%+.3f%s%s", mean,
                         isfinite(half) ? cli_text(" +-%.3f", half) : "",
                         claims && number(loss, "corrected") < .05 ? "*" : "");
    printf(" %16s", shown);
}

static void print_row(const json_t *row, int claims)
{
    const char *key;
    json_t *loss;

    printf("%-20s", text(row, "encoding"));
    json_object_foreach(json_object_get(row, "loss"), key, loss)
        print_loss(loss, claims);
    printf("  %s\n",
           json_is_true(json_object_get(row, "paired")) ? "paired" : "Welch");
}

static void print_losses(const json_t *all)
{
    const int claims = json_is_true(json_object_get(all, "claims"));
    const json_t *one;
    size_t i;

    if (!json_is_true(json_object_get(all, "same_text"))) {
        printf("\nThe texts differ, so losses are not compared.\n");
        return;
    }
    printf("\nB - A, nats per byte at each context length, 95 %% interval over "
           "seeds;\n* p < 0.05, corrected for %.0f tests\n\n%-20s",
           number(all, "comparisons"), "encoding");
    json_array_foreach(json_object_get(all, "lengths"), i, one)
        printf(" %16.0f", json_number_value(one));
    printf("  test\n");
    json_array_foreach(json_object_get(all, "rows"), i, one)
        print_row(one, claims);
    if (number(all, "losses") > 0 &&
        number(all, "identical") == number(all, "losses"))
        printf(
            "\nAll %.0f losses of the same encoding and seed are the same to "
            "the last bit.\n",
            number(all, "losses"));
    if (!claims)
        printf("\nA check of one of the studies failed, so nothing is "
               "claimed.\n");
}

static void print_orders(const json_t *all)
{
    const json_t *one;
    size_t i;

    printf("\n%8s %12s %16s %12s %12s\n", "context", "Kendall tau",
           "swapped means", "agreed", "opposed");
    json_array_foreach(json_object_get(all, "orders"), i, one) {
        const double tau = number(one, "tau");

        printf(
            "%8.0f %12s %10.0f of %2.0f %12.0f %12zu\n", number(one, "length"),
            isfinite(tau) ? cli_text("%+.2f", tau) : "-",
            number(one, "swapped"), number(one, "pairs"), number(one, "agreed"),
            json_array_size(json_object_get(one, "opposed")));
    }
}

static int print(const struct cli *cli, const char *json, const char *page)
{
    json_t *all = json_loads(json, 0, NULL);

    if (cli->json) {
        json_object_set_new(all, "page", json_string(page));
        return cli_json(all);
    }
    printf("A: %s\nB: %s\n\n", cli_safe(cli->words[1]),
           cli_safe(cli->words[2]));
    print_settings(all);
    print_losses(all);
    print_orders(all);
    printf("\npage: %s\n", cli_safe(page));
    json_decref(all);
    return CLI_OK;
}

int cli_study_compare(const struct cli *cli, const char *dir, const char *page)
{
    locant_study_source a, b;
    locant_store *store = NULL;
    char *json;
    int status;

    CLI_TRY(cli_check_output(page));
    CLI_TRY(open_source(&a, &store, cli->words[1], dir));
    CLI_TRY(open_source(&b, &store, cli->words[2], dir));
    CLI_TRY(cli_status_input(locant_study_compare(&json, &a, &b, page)));
    status = print(cli, json, page);
    locant_release(json);
    return status;
}
