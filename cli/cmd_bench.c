/* cmd_bench.c - locant bench: speed compared with the peak of this machine. */
#include "bench/bench.h"
#include "cli.h"

struct options {
    struct bench_request typed;
    int quick, list, csv;
};

#define TEXT(name, letter, member, value, doc)                               \
    { name, letter, CLI_TEXT, offsetof(struct options, typed.member), value, \
      NULL, 0, 0, 0, doc }

static const struct cli_option options[] = {
    { "quick", 0, CLI_FLAG, offsetof(struct options, quick), NULL, NULL, 0, 0,
      0, "less of everything, every kernel once: 45 s" },
    TEXT("only", 0, only, "TEXT", "rows with this in their name, or a table"),
    TEXT("tokens", 'n', tokens, "LIST", "sizes in place of the table's own"),
    TEXT("dims", 'd', dims, "LIST", "channels of a head"),
    TEXT("threads", 't', threads, "LIST", "each row with each of these"),
    TEXT("encoding", 'e', spec, "SPEC", "in place of the table's encodings"),
    TEXT("isa", 0, isa, "NAME", "instruction set to use, and no other"),
    { "list", 0, CLI_FLAG, offsetof(struct options, list), NULL, NULL, 0, 0, 0,
      "name the rows, time nothing" },
    { "output", 'o', CLI_CHOICE, offsetof(struct options, typed.format),
      "markdown|json|csv|sql", "markdown", 0, 0, 0,
      "form of the result; sql is what sqlite3 reads" },
    { "csv", 0, CLI_FLAG, offsetof(struct options, csv), NULL, NULL, 0, 0, 0,
      "the same as -o csv" },
    TEXT("append", 0, append, "DIR", "also write the run into a file there"),
    { NULL, 0, CLI_FLAG, 0, NULL, NULL, 0, 0, 0, NULL }
};

static int run(const struct cli *cli)
{
    const struct options *o     = cli->options;
    struct bench_request  typed = o->typed;
    struct bench_options  read;
    char                  why[512];
    int                   status;

    if ((cli->json != 0) + (o->csv != 0) + cli_given(cli, "output") > 1)
        return cli_fail(CLI_USAGE, "bench: --json, --csv and -o each say the "
                        "form of the result: give one");
    if (cli->json || o->csv)
        typed.format = cli->json ? FORMAT_JSON : FORMAT_CSV;
    typed.quick = o->quick;
    typed.list  = o->list;
    if (!bench_options_read(&read, &typed, why, sizeof why))
        return cli_fail(CLI_USAGE, "%s", why);
    if (read.append != NULL && !read.list &&
        (status = cli_check_folder(read.append)) != CLI_OK)
        return status;
    return bench_run(&read, stdout);
}

const struct cli_command cli_bench = {
    .name = "bench", .summary = "speed compared with the peak of this machine",
    .usage = "[--quick] [--only TEXT] [-n LIST] [-d LIST] [-t LIST]\n"
             "  [-e SPEC] [--isa NAME] [-o markdown|json|csv|sql] "
             "[--append DIR]",
    .doc = "Time every operation and every kernel, each checked first, and "
           "say which part\nof the machine's peak it reaches: of streaming in "
           "place, reading, or fused\nmultiply-adds, measured around each row "
           "on the same threads.\nAttention in bfloat16: of dot "
           "products, where the instruction set has them.\n\n"
           "LIST is numbers and ranges between commas: 512, 1,2, 512-8192*2, "
           "64-256+64.\nWith -n, -d or -e only rows that have such a size or "
           "take such an encoding run.\nExit 1 if a result was wrong.",
    .examples = "locant bench --quick\n"
                "locant bench --only forward -n 512-8192*2 -t 1,2\n"
                "locant bench --only rotate -e \"rope(scaling=yarn(factor=4,"
                "original=4096))\"\n"
                "locant bench --quick -o sql | sqlite3 bench.db",
    .options = options, .options_size = sizeof(struct options), .run = run
};
