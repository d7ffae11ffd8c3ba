/* cmd_eval.c - locant eval RUN: losses of a finished run at every length. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "job.h"
#include "ranks.h"
#include "task.h"

struct options {
    const char *dir;
    int64_t blocks;
    const char *as;
    int policy;
    struct cli_ranks ranks;
    struct cli_corpus corpus;
    struct cli_task_eval task;
};

static const struct cli_option options[] = {
    OPT_TEXT("as", as, "SPEC",
             "evaluate the trained parameters with this encoding"),
    OPT_CHOICE("policy", policy, "none|clamp|wrap|resample",
               "which rows to use beyond the end of a learned table",
               .fallback = "none"),
    OPT_INTEGER("blocks", blocks, "N", 1, 1 << 20,
                "blocks of the test text, 64 scored tokens each",
                .fallback = "96"),
    OPT_DIR(dir),
    OPT_MANY("text", corpus.text, "PATH...",
             "files and folders that hold the run's text now"),
    OPT_FLAG("generated", corpus.generated, "read generated C-like text"),
    OPT_INTEGER("items", task.items, "N", 1, 1 << 20,
                "runs on a task: items of each test set (1000)"),
    OPT_LIST("length", task.lengths, "N",
             "runs on a task: lengths instead of the task's"),
    OPT_INTEGER("test-seed", task.test_seed, "N", 0, INT64_MAX,
                "runs on a task: seed of the test sets", .fallback = "1"),
    OPT_RANKS(ranks,
              "share the windows out among the processes that mpirun started"),
    OPT_END
};

/* Whether the run is evaluated as trained, by all protocols. */
static int is_as_trained(const struct options *o)
{
    return o->as == NULL && o->policy == LOCANT_POLICY_NONE;
}

static json_t *reals(const double *x, int n)
{
    json_t *list = json_array();

    for (int i = 0; i < n; i++)
        json_array_append_new(list, cli_real(x[i]));
    return list;
}

static json_t *by_length(const locant_evaluation *v, const double *loss)
{
    json_t *losses = json_object();

    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        json_object_set_new(losses, cli_text("%" PRId64, v->length[i]),
                            cli_real(loss[i]));
    return losses;
}

static int print_json(int64_t id, const locant_evaluation *v,
                      const struct options *o)
{
    if (!is_as_trained(o))
        return cli_json(json_pack("{s:I, s:s?, s:s, s:I, s:o, s:o}", "run",
                                  (json_int_t)id, "as", o->as, "policy",
                                  locant_eval_policy_name(o->policy), "blocks",
                                  (json_int_t)v->blocks, "same_targets",
                                  by_length(v, v->same_targets), "by_position",
                                  reals(v->by_position, LOCANT_EVAL_BUCKETS)));
    return cli_json(json_pack(
        "{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "run",
        (json_int_t)id, "blocks", (json_int_t)v->blocks, "same_targets",
        by_length(v, v->same_targets), "non_overlapping",
        by_length(v, v->non_overlapping), "by_position",
        reals(v->by_position, LOCANT_EVAL_BUCKETS), "own_window",
        cli_real(v->own_window), "valid", cli_real(v->valid), "shuffled",
        cli_real(v->shuffled), "replaced", cli_real(v->replaced), "truncated",
        cli_real(v->truncated), "causality", cli_real(v->causality),
        "tokens_per_second", cli_real(v->tokens_per_second)));
}

static void print_loss(const char *what, double loss)
{
    printf("%-34s %s\n", what,
           isfinite(loss) ? cli_text("%8.4f", loss) : "undefined");
}

static void print_lengths(const char *protocol, const locant_evaluation *v,
                          const double *loss)
{
    for (int i = 0; i < LOCANT_EVAL_LENGTHS; i++)
        print_loss(cli_text("%s %" PRId64, protocol, v->length[i]), loss[i]);
}

static void print_text(int64_t id, const locant_evaluation *v,
                       const struct options *o)
{
    printf("run %" PRId64 ", nats per byte, %" PRId64 " blocks", id, v->blocks);
    if (o->as != NULL)
        printf(", as %s", o->as);
    printf("\n\n");
    print_lengths("same targets, context", v, v->same_targets);
    if (!is_as_trained(o))
        return;
    print_lengths("all targets, windows of", v, v->non_overlapping);
    print_loss("own window of 128", v->own_window);
    print_loss("gain of context, G(2048)",
               v->own_window - v->same_targets[LOCANT_EVAL_LENGTHS - 1]);
    print_loss("validation", v->valid);
    print_loss("context shuffled", v->shuffled);
    print_loss("context replaced", v->replaced);
    print_loss("context of the last 8 bytes", v->truncated);
}

/* Open the C headers of this machine if they are the text of a run, which the
   store did not keep. */
static int open_headers(locant_corpus **corpus, locant_store *store, int64_t id)
{
    const struct cli_corpus headers = { .generated = 0 };
    locant_run_info run;

    CLI_TRY(cli_status(locant_store_run(&run, store, id)));
    CLI_TRY(cli_corpus_open(corpus, &headers, NULL));
    if (strcmp(locant_corpus_info_of(*corpus)->sha256, run.corpus_sha256) == 0)
        return CLI_OK;
    return cli_fail(CLI_INPUT,
                    "run %" PRId64 ": the store keeps only the SHA-256 of its "
                    "text, %.12s.., and the C headers of this machine differ: "
                    "give the text by --text",
                    id, run.corpus_sha256);
}

/* Open the text that the options give or, without them, the text of the run. */
static int open_corpus(locant_corpus **corpus, locant_store *store, int64_t id,
                       const struct cli_corpus *chosen)
{
    locant_status s;

    if (chosen->text.n > 0 || chosen->generated)
        return cli_corpus_open(corpus, chosen, NULL);
    s = locant_store_corpus(corpus, store, id);
    if (s == LOCANT_ERR_UNSUPPORTED)
        return open_headers(corpus, store, id);
    CLI_TRY(cli_status_input(s));
    return cli_corpus_free_at_end(*corpus);
}

/* Refuse options that do nothing for this kind of run. */
static int check_options(const struct cli *cli, int on_task)
{
    static const char *const for_text[] = { "blocks", "text",   "generated",
                                            "as",     "policy", "ranks",
                                            NULL };
    static const char *const for_task[] = { "items", "length", "test-seed",
                                            NULL };

    for (const char *const *name = on_task ? for_text : for_task; *name; name++)
        if (cli_given(cli, *name))
            return cli_refuse("--%s is for runs on %s, but run %s is on %s",
                              *name, on_task ? "text" : "a task", cli->words[0],
                              on_task ? "a task" : "text");
    return CLI_OK;
}

/* What an evaluation of a text needs; only rank 0 has a store. */
struct job {
    int64_t id;
    locant_store *store;
    const locant_task_info *task; /* NULL: the run is on text */
    locant_corpus *corpus;
    const locant_group *group; /* NULL: one process */
};

static int is_other_rank(const struct job *job)
{
    return job->group != NULL && job->group->rank > 0;
}

static int prepare(struct job *job, const struct cli *cli)
{
    const struct options *o = cli->options;

    if (is_other_rank(job)) {
        CLI_TRY(cli_run_id(&job->id, cli->command->name, cli->words[0]));
        return cli_corpus_open(&job->corpus, &o->corpus, NULL);
    }
    CLI_TRY(cli_open_run(&job->store, &job->id, cli, o->dir));
    CLI_TRY(cli_status(locant_task_of(&job->task, job->store, job->id)));
    CLI_TRY(check_options(cli, job->task != NULL));
    return job->task != NULL
               ? CLI_OK
               : open_corpus(&job->corpus, job->store, job->id, &o->corpus);
}

static int status_of(const struct job *job, locant_status status)
{
    if (job->group != NULL && status == LOCANT_ERR_INTERRUPTED)
        return cli_fail(CLI_RESUMABLE, "stopped; nothing was recorded, and the "
                                       "same command begins again");
    return cli_ranks_status(job->group, status);
}

static int evaluate_text(const struct cli *cli, const struct job *job)
{
    const struct options *o = cli->options;
    locant_eval_options eval = LOCANT_EVAL_INIT;
    locant_evaluation v;

    eval.blocks = o->blocks;
    eval.encoding = o->as;
    eval.policy = (enum locant_eval_policy)o->policy;
    eval.group = job->group;
    CLI_TRY(status_of(
        job, locant_evaluate_as(&v, job->store, job->id, job->corpus, &eval)));
    if (is_other_rank(job))
        return CLI_OK;
    if (cli->json)
        return print_json(job->id, &v, o);
    print_text(job->id, &v, o);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct job job = { .group = NULL };

    CLI_TRY(cli_ranks_open(&job.group, cli, &o->ranks));
    if (job.group != NULL)
        cli_ranks_poll();
    CLI_TRY(cli_ranks_agree(job.group, prepare(&job, cli)));
    if (job.task == NULL)
        return evaluate_text(cli, &job);
    cli_catch_signals();
    return cli_eval_task(cli, job.store, job.id, &o->task);
}

/* clang-format off */
const struct cli_command cli_eval = {
    .name = "eval", .summary = "losses of a finished run at every length",
    .usage = "RUN [--blocks N] [--dir DIR] [--text PATH... | --generated]\n"
             "  [--as SPEC] [--policy clamp|wrap|resample] [--ranks mpi]\n"
             "RUN [--items N] [--length N]...",
    .doc = "Scores the same targets after 128, 256, .. 2048 tokens of context, "
           "and in a\nsliding window of 128 tokens.  'undefined' means: beyond "
           "the end of a learned\ntable.  The text is the one the run was "
           "trained on: the store keeps it, or it\nis read again from where "
           "it was; --text says where it is now.\n\n--as evaluates the same "
           "parameters with another spec that has them, such as\n"
           "'temperature(kind=logn)+t5' for a run of t5.  Beyond the end of a "
           "learned table\n--policy uses its last row (clamp), its rows from "
           "the first on (wrap), or its\nrows interpolated over the window "
           "(resample).\n\nWith --ranks mpi the processes that mpirun or srun "
           "has started share the windows\nout, to the bits of one process.  "
           "Process 0 has the store and prints; all need\nthe same build and "
           "--isa, and all read the text: give --text or --generated as\nin "
           "training, or neither for the C headers.  If one is killed, all "
           "end, and\nnothing is recorded.\n\nFor a run on a task, prints the "
           "right answers on its fixed test sets, by greedy\ndecoding.",
    .examples = "locant eval 3\nlocant eval 3 --json --dir lab\n"
                "locant eval 3 --as 'temperature(kind=logn)+rope'\n"
                "mpirun -n 4 locant eval 3 --ranks mpi",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
