/* cmd_selftest.c - locant selftest: compare the library with its oracles. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "oracle/run.h"

struct options {
    int64_t seed, cases;
    const char *only;
};

static const struct cli_option options[] = {
    OPT_INTEGER("seed", seed, "SEED", 0, INT64_MAX,
                "seed of the random problems", .fallback = "1"),
    OPT_INTEGER("cases", cases, "N", 1, 100000, "random problems of each row",
                .fallback = "4"),
    OPT_TEXT("only", only, "NAME",
             "only this operation (rotate, attend-back, ..) or encoding"),
    OPT_END
};

/* How results are selected and reported. */
struct report {
    const char *only; /* operation or encoding; NULL: all */
    json_t *json;     /* array of rows; NULL: print them */
};

/* Whether --only names this operation, its family, or this encoding. */
static int wanted(const struct oracle_run *r, const char *op, const char *name)
{
    const char *only = ((const struct report *)r->context)->only;

    return only == NULL || strcmp(only, op) == 0 || strcmp(only, name) == 0 ||
           (strlen(only) == strcspn(op, "-") &&
            strncmp(only, op, strlen(only)) == 0);
}

static json_t *row_json(const struct oracle_row *r)
{
    return json_pack("{s:s, s:s, s:s, s:I, s:f, s:o, s:b}", "op", r->op,
                     "encoding", r->spec, "dtype", locant_dtype_name(r->dtype),
                     "cases", (json_int_t)r->cases, "bound", r->bound, "worst",
                     cli_real(r->worst), "ok", r->ok);
}

static void report(struct oracle_run *r)
{
    const struct report *to = r->context;
    const struct oracle_row *row = &r->row;

    if (r->rows == 1 && to->json == NULL)
        printf("%-4s %-14s %-4s %5s %9s %9s  %s\n", "", "operation", "type",
               "cases", "bound", "worst", "encoding");
    if (to->json != NULL)
        json_array_append_new(to->json, row_json(row));
    else
        printf("%-4s %-14s %-4s %5lld %9.4g %9.4g  %s\n",
               row->ok ? "ok" : "MISS", row->op, locant_dtype_name(row->dtype),
               (long long)row->cases, row->bound, row->worst, row->spec);
    if (!row->ok)
        cli_fail(CLI_NO, "selftest: %s of %s: %s", row->op, row->spec,
                 row->miss);
}

/* Encodings without an oracle are errors: they would pass untested. */
static int count_uncovered(const char *only)
{
    const locant_encoding_info *info;
    int missing = 0;

    for (int i = 0; (info = locant_encoding_at(i)) != NULL; i++) {
        if (oracle_of(info->name) != NULL ||
            (only != NULL && strcmp(only, info->name) != 0))
            continue;
        missing++;
        cli_fail(CLI_NO, "selftest: the encoding %s has no oracle", info->name);
    }
    return missing;
}

static int summary(const struct oracle_run *r, int missing)
{
    json_t *json = ((const struct report *)r->context)->json;
    int failed = r->misses > 0 || missing > 0;

    if (json != NULL) {
        cli_json(json_pack("{s:I, s:I, s:I, s:s, s:O}", "seed",
                           (json_int_t)r->seed, "rows", (json_int_t)r->rows,
                           "misses", (json_int_t)r->misses, "isa", locant_isa(),
                           "results", json));
        json_decref(json);
    } else {
        printf("%lld rows, %lld misses; seed %lld, kernels %s\n",
               (long long)r->rows, (long long)r->misses, (long long)r->seed,
               locant_isa());
    }
    return failed ? CLI_NO : CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct report to = { .only = o->only };
    int missing = count_uncovered(o->only);
    struct oracle_run r = { .seed = (uint64_t)o->seed,
                            .cases = o->cases,
                            .entries = 8,
                            .wanted = wanted,
                            .done = report,
                            .context = &to };

    to.json = cli->json ? json_array() : NULL;
    oracle_check_angles(&r);
    oracle_check_resize(&r);
    oracle_check_ids(&r);
    for (int k = 0; oracle_all[k] != NULL; k++)
        oracle_check(&r, oracle_all[k]);
    if (r.rows == 0 && missing == 0) {
        json_decref(to.json);
        return cli_refuse("--only '%s': is neither an operation (angles, "
                          "rotate, table, bias, attend, resize, ids, doors, "
                          "init) nor an encoding",
                          o->only);
    }
    return summary(&r, missing);
}

const struct cli_command cli_selftest = {
    .name = "selftest",
    .summary = "every operation against its oracle",
    .usage = "[--only NAME] [--cases N] [--seed SEED] [--json]",
    .doc = "Runs every operation with every encoding, in every type, on "
           "random problems,\nand compares each number with an oracle that "
           "shares no code with the library:\nit follows the papers one "
           "element at a time, and takes derivatives by the\ncomplex step.  "
           "Prints the bound that follows from the number formats and the\n"
           "worst error found, both relative to the magnitude of a number's "
           "terms (angles:\nin units in the last place).  Exit 1 if an error "
           "exceeds its bound.",
    .examples = "locant selftest\nlocant selftest --only rope --isa base\n"
                "locant selftest --only attend-back --cases 20 --seed 7",
    CLI_OPTIONS,
    .computes = 1,
    .run = run
};
