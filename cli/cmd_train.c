/* cmd_train.c - locant train: one run, new or continued. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "corpus.h"
#include "job.h"
#include "ranks.h"
#include "runs.h"
#include "task.h"

struct options {
    const char *encoding, *task, *dir, *vocabulary;
    int64_t seed, steps, layers, width, heads, kv_heads, ff;
    int64_t batch, length, memory, every, parent, leaves, gather;
    double lr, muon_lr;
    int optimizer;
    struct cli_ranks ranks;
    int rms_norm, constant, any_isa;
    struct cli_corpus corpus;
};

#define OPT_SIZE(name, member, default_, doc)                                  \
    OPT_INTEGER(name, member, "N", 1, INT64_C(1) << 30, doc,                   \
                .fallback = default_)

/* A step of AdamW or Muon is about as large as the rate: beyond this, none
   trains. */
static const double MAX_RATE = 1000;

static const struct cli_option options[] = {
    OPT_TEXT("encoding", encoding, "SPEC", "positional encoding of the model",
             .required = 1),
    OPT_TEXT("task", task, "TASK",
             "train on a task ('locant tasks') with its model and budget"),
    OPT_INTEGER("seed", seed, "N", 0, INT64_MAX,
                "seed of the initial weights and the batches", .fallback = "1"),
    OPT_SIZE("steps", steps, "600", "optimiser steps"),
    OPT_SIZE("layers", layers, "3", "layers"),
    OPT_SIZE("width", width, "64", "channels of the model"),
    OPT_SIZE("heads", heads, "4", "heads"),
    OPT_INTEGER("kv-heads", kv_heads, "N", 0, INT64_C(1) << 30,
                "key and value heads; 0: as heads"),
    OPT_SIZE("ff", ff, "256", "width of the feed-forward layer"),
    OPT_FLAG("rms-norm", rms_norm, "RMS norm instead of layer norm"),
    OPT_SIZE("batch", batch, "16", "sequences per step"),
    OPT_SIZE("length", length, "128", "tokens per sequence"),
    OPT_VOCABULARY(vocabulary),
    OPT_INTEGER("memory", memory, "N", 0, 1 << 20,
                "tokens each layer remembers of earlier segments"),
    OPT_INTEGER("parent", parent, "RUN", 1, INT64_MAX,
                "start from the parameters and sizes of this run"),
    OPT_REAL("lr", lr, "X", "peak learning rate of AdamW", .fallback = "0.003"),
    OPT_CHOICE("optimizer", optimizer, "adamw|muon",
               "AdamW for all; Muon for the matrices of the layers",
               .fallback = "adamw"),
    OPT_REAL("muon-lr", muon_lr, "X", "peak learning rate of those matrices",
             .fallback = "0.02"),
    OPT_INTEGER("leaves", leaves, "L", 0, 256,
                "parts of a batch whose gradients a tree adds; 0: one chain"),
    OPT_INTEGER("gather-limit", gather, "BYTES", 1, INT64_MAX,
                "most bytes of keys and values of a row held at once",
                .fallback = "2147483648"),
    OPT_RANKS(ranks,
              "share the run out among the processes that mpirun started"),
    OPT_FLAG("constant-rate", constant,
             "keep the rate constant: no warm-up, no decay"),
    OPT_INTEGER("checkpoint-every", every, "N", 1, INT64_C(1) << 30,
                "steps between checkpoints", .fallback = "100"),
    OPT_ANY_ISA(any_isa),
    OPT_DIR(dir),
    OPT_CORPUS(corpus),
    OPT_END
};

/* Whether the option's value is used instead of the task's. */
static int overrides_task(const struct cli *cli, const char *option)
{
    const struct options *o = cli->options;

    return o->task == NULL || cli_given(cli, option);
}

static void override(int64_t *to, const struct cli *cli, const char *option,
                     int64_t value)
{
    if (overrides_task(cli, option))
        *to = value;
}

/* Whether an option chooses the text. */
static int chooses_text(const struct cli_corpus *c)
{
    return c->text.n > 0 || c->generated || c->kept != NULL || c->fresh;
}

static int check_rate(const char *option, double rate)
{
    if (rate > 0 && rate <= MAX_RATE)
        return CLI_OK;
    return cli_refuse("%s '%g': should be above 0, at most %g", option, rate,
                      MAX_RATE);
}

static int set_muon_rate(locant_train_options *t, const struct cli *cli)
{
    const struct options *o = cli->options;

    t->muon_rate = o->muon_lr;
    if (cli_given(cli, "muon-lr") && t->optimizer != LOCANT_MUON)
        return cli_refuse("--muon-lr is for --optimizer muon");
    return check_rate("--muon-lr", t->muon_rate);
}

/* Model sizes come from the task unless options set them. */
static int set_options(locant_train_options *t, const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_task_info *task = NULL;

    *t = (locant_train_options)LOCANT_TRAIN_INIT;
    if (o->task != NULL) {
        CLI_TRY(cli_task_find(&task, "--task", o->task));
        CLI_TRY(cli_status(locant_task_options(t, o->task)));
    }
    override(&t->layers, cli, "layers", o->layers);
    override(&t->width, cli, "width", o->width);
    override(&t->heads, cli, "heads", o->heads);
    t->ff = 4 * t->width;
    override(&t->ff, cli, "ff", o->ff);
    override(&t->batch, cli, "batch", o->batch);
    override(&t->length, cli, "length", o->length);
    override(&t->steps, cli, "steps", o->steps);
    if (overrides_task(cli, "lr"))
        t->learning_rate = o->lr;
    CLI_TRY(cli_vocabulary(&t->vocabulary, o->vocabulary));
    t->encoding = o->encoding;
    t->seed = (uint64_t)o->seed;
    t->kv_heads = o->kv_heads;
    t->rms_norm = o->rms_norm;
    t->memory = o->memory;
    t->parent = o->parent;
    t->leaves = o->leaves;
    if (cli_given(cli, "gather-limit"))
        t->gather_limit = o->gather;
    t->constant_rate = o->constant;
    t->checkpoint_every = o->every;
    t->progress = cli_progress;
    CLI_TRY(check_rate("--lr", t->learning_rate));
    t->optimizer = (locant_optimizer)o->optimizer;
    CLI_TRY(set_muon_rate(t, cli));
    if (t->width % t->heads != 0)
        return cli_refuse("--width '%" PRId64 "': should be a multiple of "
                          "--heads %" PRId64,
                          t->width, t->heads);
    if (task && task->fine_tune && o->parent == 0)
        return cli_refuse("--task %s continues a run on text: --parent RUN is "
                          "missing",
                          o->task);
    if (task && chooses_text(&o->corpus))
        return cli_refuse("--task generates its own data; give --task or a "
                          "text");
    return CLI_OK;
}

/* Read the text, check the options and open the store, which rank 0 has. */
static int prepare(locant_train_options *t, locant_corpus **corpus,
                   locant_store **store, const struct cli *cli)
{
    const struct options *o = cli->options;
    const locant_group *group = t->group;
    locant_encoding *e;

    CLI_TRY(cli_encoding_create(&e, o->encoding));
    CLI_TRY(set_options(t, cli));
    t->group = group;
    cli_catch_signals();
    if (o->task == NULL)
        CLI_TRY(cli_corpus_open(corpus, &o->corpus, o->dir));
    if (o->parent != 0 && (group == NULL || group->rank == 0))
        CLI_TRY(cli_check_store(o->dir));
    /* Report bad options before a store is created. */
    CLI_TRY(cli_status(locant_train_check(*corpus, t)));
    if (group != NULL && group->rank > 0)
        return CLI_OK;
    CLI_TRY(cli_store_make(store, o->dir));
    locant_store_any_isa(*store, o->any_isa);
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    locant_train_options t = { .group = NULL };
    locant_corpus *corpus = NULL;
    locant_store *store = NULL;
    int64_t id;

    CLI_TRY(cli_ranks_open(&t.group, cli, &o->ranks));
    CLI_TRY(cli_ranks_agree(t.group, prepare(&t, &corpus, &store, cli)));
    CLI_TRY(cli_ranks_status(t.group, locant_train(&id, store, corpus, &t)));
    return store == NULL ? CLI_OK : runs_print_result(cli, NULL, store, id);
}

const struct cli_command cli_train = {
    .name = "train",
    .summary = "train one small model, or continue it",
    .usage = "--encoding SPEC [--task TASK] [--seed N] [--steps N]\n"
             "      [options]",
    .doc = "Trains a small Transformer and keeps it in the run store.  "
           "If the run was\nstopped (SIGINT: exit 75) or killed, the same "
           "command continues it from its\nlast checkpoint, to the same bits; "
           "if it is finished, the command returns at\nonce.\n\nThe bits "
           "depend on the instruction set.  For a store from another machine,"
           "\n--isa chooses the set used there; --any-isa continues under "
           "another.\n\nWith --task the data are those of a task, and so are "
           "sizes, steps and rate\nunless options set them.  'locant tasks' "
           "lists the tasks, 'locant eval' scores\nthe run.\n\nWith "
           "--optimizer muon the weights of attention and feed-forward are "
           "trained by\nMuon at the rate --muon-lr, all other parameters by "
           "AdamW at --lr.\n\n"
           "With --vocabulary 512 the model reads tokens "
           "of a byte-pair vocabulary trained\non the training part of the "
           "text: lengths count tokens, losses stay in nats per\nbyte.  By "
           "default every byte is a token.\n\nWith --parent "
           "training starts from another run's parameters.\n\n"
           "With --leaves L, a power of two that divides --batch, the "
           "gradients of L equal\nparts of the batch are added by a binary "
           "tree.  Such a sum can be shared out\namong processes to the same "
           "bits; the default, one chain of sums, cannot and\nhas other "
           "bits.  With more leaves than --batch, and a --length of whole 64\n"
           "tokens for each leaf, the tokens of a row are shared out, too: "
           "every process\nthen holds the keys and values of its row, at most "
           "--gather-limit bytes in a\nlayer; of longer rows those of one "
           "leaf at a time.\n\n"
           "With --ranks mpi the processes that mpirun or srun has "
           "started train one run\ntogether, to the bits of one process with "
           "the same --leaves (16, or the\nlargest power of two below that "
           "divides the batch).  Process 0 has the store;\nall need the same "
           "text, build and --isa.  If one is killed, all end, and the\nsame "
           "command goes on from the last checkpoint, with any number of "
           "processes.\n\n"
           "With --memory "
           "each row of the batch reads the text segment by segment and also\n"
           "attends to the last N tokens before its segment, as "
           "Transformer-XL does.\n'locant eval' then reads every window in "
           "segments of the trained length and\ncarries memory from one to "
           "the next; the validation text is read as one row of\nsegments.  "
           "An encoding that adds positions to the input cannot have memory.",
    .examples = "locant train --encoding rope --seed 1\n"
                "locant train --encoding alibi --steps 200 --generated "
                "--dir lab\n"
                "locant train --encoding rope --optimizer muon\n"
                "locant train --encoding rope --vocabulary 512 --generated\n"
                "locant train --encoding rope --leaves 16\n"
                "mpirun -n 4 locant train --encoding rope --ranks mpi\n"
                "mpirun -n 2 locant train --encoding t5 --batch 1 --leaves 2 "
                "--ranks mpi\n"
                "locant train --task T1 --encoding t5\n"
                "locant train --task T12 --encoding rope --parent 1\n"
                "locant train --encoding transformer-xl --memory 128",
    CLI_OPTIONS,
    .computes = 1,
    .run = run
};
