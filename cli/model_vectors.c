/* model_vectors.c - locant model vectors: write golden files, judge a dump */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "locant/models.h"
#include "model.h"

struct options {
    const char *out, *verify, *only;
    int angles;
};

static const struct cli_option options[] = {
    OPT_FILE("output", out, "FOLDER",
             "write vectors.safetensors and "
             "vectors.json into this folder",
             .letter = 'o'),
    OPT_FILE("verify", verify, "DUMP",
             "judge this safetensors file, or folder of them and of .npy"),
    OPT_TEXT("only", only, "PATTERN",
             "cases of this name, a pattern or its beginning: 'rope/half', "
             "'*/f32/q'"),
    OPT_CHOICE("angles", angles, "exact|rounded",
               "rounded: angles may be in float32 (f64: double), as in most "
               "implementations; far positions are then hardly tested",
               .fallback = "exact"),
    OPT_END
};

/* ------------------------------------------------------------------- write */

static int64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (int64_t)st.st_size : 0;
}

static int write_files(const struct cli *cli)
{
    const struct options *o = cli->options;
    const char *tensors = cli_text("%s/vectors.safetensors", o->out);
    const char *index = cli_text("%s/vectors.json", o->out);
    locant_status s = locant_vectors_write(o->out, o->only);

    if (s == LOCANT_ERR_PARAM)
        return cli_refuse("--only %s", cli_message());
    CLI_TRY(cli_status_input(s));
    if (cli->json)
        return cli_json(json_pack("{s:s, s:I, s:s, s:I}", "tensors", tensors,
                                  "tensors_bytes", (json_int_t)size_of(tensors),
                                  "index", index, "index_bytes",
                                  (json_int_t)size_of(index)));
    fprintf(stderr, "wrote %s (%" PRId64 " bytes) and %s (%" PRId64 " bytes)\n",
            cli_safe(tensors), size_of(tensors), cli_safe(index),
            size_of(index));
    return CLI_OK;
}

/* ------------------------------------------------------------- not covered */

enum { LONGEST = 128 };
enum { MISSING, COVERED, LISTED }; /* listed: missing, and printed */

/* All cases, and whether the dump has them. */
struct coverage {
    char (*name)[LONGEST];
    char *covered;
    size_t n, room;
    int failed; /* no memory */
};

static void note(struct coverage *c, const char *name, int covered)
{
    if (c->n == c->room) {
        size_t room = c->room > 0 ? 2 * c->room : 1024;
        char(*names)[LONGEST] = cli_alloc(room, sizeof *names);
        char *flags = cli_alloc(room, 1);

        if (names == NULL || flags == NULL) {
            c->failed = 1;
            return;
        }
        if (c->n > 0) {
            memcpy(names, c->name, c->n * sizeof *names);
            memcpy(flags, c->covered, c->n);
        }
        c->name = names;
        c->covered = flags;
        c->room = room;
    }
    snprintf(c->name[c->n], LONGEST, "%s", name);
    c->covered[c->n++] = (char)covered;
}

/* Bytes of a name before its n-th slash; 0 if it has fewer. */
static size_t prefix_of(const char *name, int n)
{
    const char *at = name - 1;

    for (; n > 0 && at != NULL; n--)
        at = strchr(at + 1, '/');
    return at != NULL ? (size_t)(at - name) : 0;
}

/* The type, which is the last but one of the parts of a name. */
static void type_of(char out[8], const char *name)
{
    const char *last = strrchr(name, '/'), *at = last;

    while (at > name && at[-1] != '/')
        at--;
    snprintf(out, 8, "%.*s", (int)(last - at), at);
}

/*
 * Mark the cases that begin as case 'first' does, of its type if 'type' is not
 * NULL, and return their number; none and 0 if one of them is covered.
 */
static size_t mark(struct coverage *c, size_t first, size_t length,
                   const char *type)
{
    const char *name = c->name[first];
    size_t n = 0;
    char other[8];

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < c->n; i++) {
            if (strncmp(c->name[i], name, length) != 0 ||
                c->name[i][length] != '/')
                continue;
            type_of(other, c->name[i]);
            if (type != NULL && strcmp(other, type) != 0)
                continue;
            if (pass == 0 && c->covered[i] == COVERED)
                return 0;
            n += pass == 1 && c->covered[i] == MISSING;
            if (pass == 1)
                c->covered[i] = LISTED;
        }
    return n;
}

/* Print case i with those that are missing like it: the whole family, or a type
   of it; nothing if some are covered. */
static void print_missing_family(struct coverage *c, size_t i)
{
    const char *name = c->name[i];
    size_t length = prefix_of(name, 1), n = mark(c, i, length, NULL);
    char type[8];

    type_of(type, name);
    if (n > 0)
        printf("not covered  %.*s/* (%zu cases)\n", (int)length, name, n);
    else if ((n = mark(c, i, length, type)) > 0)
        printf("not covered  %.*s/*/%s/* (%zu case%s)\n", (int)length, name,
               type, n, n == 1 ? "" : "s");
}

/* The same of all cases that begin with the same words, or of case i alone. */
static void print_missing_group(struct coverage *c, size_t i)
{
    const char *name = c->name[i];
    size_t length = 1, n = 0;

    for (int slash = 2; n == 0 && length > 0; slash++) {
        length = prefix_of(name, slash);
        n = length > 0 ? mark(c, i, length, NULL) : 0;
    }
    if (n > 0)
        printf("not covered  %.*s/* (%zu case%s)\n", (int)length, name, n,
               n == 1 ? "" : "s");
    else
        printf("not covered  %s\n", name);
}

static void print_missing(struct coverage *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->covered[i] == MISSING)
            print_missing_family(c, i);
    for (size_t i = 0; i < c->n; i++)
        if (c->covered[i] == MISSING)
            print_missing_group(c, i);
}

/* ------------------------------------------------------------------ verify */

struct report {
    json_t *json; /* array of cases; NULL: print them */
    struct coverage coverage;
};

static json_t *result_json(const locant_vectors_result *r)
{
    static const char *const verdicts[] = { "pass", "fail", "not covered",
                                            "unknown" };
    json_t *row = json_pack("{s:s, s:s}", "case", r->name, "verdict",
                            verdicts[r->verdict]);

    if (r->verdict > LOCANT_VECTORS_FAIL)
        return row;
    json_object_set_new(row, "error", cli_real(r->error));
    json_object_set_new(row, "share", cli_real(r->share));
    if (r->where[0] != '\0')
        json_object_set_new(row, "first", json_string(r->where));
    if (r->looks_like[0] != '\0')
        json_object_set_new(row, "matches", json_string(r->looks_like));
    return row;
}

static void print_result(const locant_vectors_result *r)
{
    if (r->verdict == LOCANT_VECTORS_UNKNOWN) {
        printf("unknown      %s\n", cli_safe(r->name));
        return;
    }
    if (r->verdict == LOCANT_VECTORS_PASS) {
        printf("pass         %s  error %.2g, %.2g of what is allowed\n",
               r->name, r->error, r->share);
        return;
    }
    printf("FAIL         %s\n             %s\n", r->name, r->where);
    if (r->share > 0)
        printf("             largest error %.3g\n", r->error);
    if (r->looks_like[0] != '\0')
        printf("             matches %s\n", r->looks_like);
}

static int report(const locant_vectors_result *r, void *context)
{
    struct report *to = context;

    if (to->json != NULL)
        json_array_append_new(to->json, result_json(r));
    else if (r->verdict != LOCANT_VECTORS_MISSING)
        print_result(r);
    if (r->verdict != LOCANT_VECTORS_UNKNOWN)
        note(&to->coverage, r->name, r->verdict != LOCANT_VECTORS_MISSING);
    return to->coverage.failed;
}

static int verify(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct report to = { .json = cli->json ? json_array() : NULL };
    locant_vectors_counts n;
    locant_status s =
        locant_vectors_verify(&n, o->verify, o->only, o->angles, report, &to);
    int ok = s == LOCANT_OK && n.failed == 0 && n.unknown == 0 && n.passed > 0;

    if (s != LOCANT_OK) {
        json_decref(to.json);
        return s == LOCANT_ERR_PARAM ? cli_refuse("--only %s", cli_message())
               : to.coverage.failed  ? CLI_INPUT
                                     : cli_status_input(s);
    }
    if (to.json != NULL) {
        CLI_TRY(cli_json(json_pack("{s:b, s:I, s:I, s:I, s:I, s:o}", "ok", ok,
                                   "passed", (json_int_t)n.passed, "failed",
                                   (json_int_t)n.failed, "not_covered",
                                   (json_int_t)n.missing, "unknown",
                                   (json_int_t)n.unknown, "cases", to.json)));
    } else {
        print_missing(&to.coverage);
        printf("%" PRId64 " passed, %" PRId64 " failed, %" PRId64
               " not covered, %" PRId64 " unknown\n",
               n.passed, n.failed, n.missing, n.unknown);
    }
    return ok ? CLI_OK : CLI_NO;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;

    if ((o->out != NULL) == (o->verify != NULL))
        return cli_refuse("model vectors takes either --output FOLDER or "
                          "--verify DUMP");
    if (o->out != NULL && cli_given(cli, "angles"))
        return cli_refuse("--angles belongs to --verify");
    return o->out != NULL ? write_files(cli) : verify(cli);
}

const struct cli_command cli_model_vectors = {
    .name = "model vectors",
    .summary = "golden values to test other implementations with",
    .usage = "-o FOLDER [--only PATTERN]\n"
             "--verify DUMP [--only PATTERN]\n"
             "       [--angles exact|rounded]",
    .doc =
        "-o writes true values of angles, rotated queries and keys, scores, "
        "gradients,\nbiases, slopes, buckets and tables: every scaling of rope "
        "in every convention\nof channels, the dialects of ALiBi, T5, "
        "sinusoids, M-RoPE and grids, up to\nposition 2^31 - 1.  vectors.json "
        "lists the cases with spec, inputs, formula and\ntolerance "
        "(docs/guide/vectors); the bytes are the same on every run."
        "\n\n--verify judges the tensors that an implementation computed from "
        "those inputs,\nnamed as their cases: 'rope/half/yarn-4-32768/f32/q'.  "
        "Of a case that fails it\nprints the first entry, the largest error, "
        "and which other convention the values\nmatch, if one of those it "
        "knows.  Exit 1 if a case fails, a tensor is no case,\nor none "
        "passes; cases that the dump lacks are listed as not covered.",
    .examples = "locant model vectors -o golden\n"
                "locant model vectors -o golden --only 'rope/*/yarn*'\n"
                "locant model vectors --verify mine.safetensors\n"
                "locant model vectors --verify mine --only '*/f32/*' "
                "--angles rounded",
    CLI_OPTIONS,
    .run = run
};
