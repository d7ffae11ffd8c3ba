/* cmd_bench.c - locant bench: speed, compared with the peak of this machine. */
#include "bench/bench.h"
#include "bench_ranks.h"

struct options {
    struct bench_request typed;
    int quick, list, csv;
    struct cli_ranks ranks;
};

static const struct cli_option options[] = {
    OPT_FLAG("quick", quick, "shorter runs, every kernel once: 45 s"),
    OPT_TEXT("only", typed.only, "TEXT",
             "only the table TEXT, or rows whose name contains TEXT"),
    OPT_TEXT("tokens", typed.tokens, "LIST", "sizes instead of the table's own",
             .letter = 'n'),
    OPT_TEXT("dims", typed.dims, "LIST", "channels of a head", .letter = 'd'),
    OPT_TEXT("threads", typed.threads, "LIST",
             "run each row with each of these numbers of threads",
             .letter = 't'),
    OPT_TEXT("encoding", typed.spec, "SPEC",
             "encoding to time, instead of the table's", .letter = 'e'),
    OPT_TEXT("isa", typed.isa, "NAMES",
             "run each row with each of these instruction sets"),
    OPT_FLAG("list", list, "name the rows, time nothing"),
    OPT_CHOICE("output", typed.format, "markdown|json|csv|sql",
               "format of the result; sqlite3 reads sql", .letter = 'o',
               .fallback = "markdown"),
    OPT_FLAG("csv", csv, "the same as -o csv"),
    OPT_TEXT("append", typed.append, "DIR",
             "also write the results into a file there"),
    OPT_RANKS(ranks, "time messages of the processes that mpirun started"),
    OPT_END
};

static int run(const struct cli *cli)
{
    const struct options *o = cli->options;
    struct bench_request request = o->typed;
    struct bench_options options_read;
    const locant_group *group;
    char why[512];

    CLI_TRY(cli_ranks_open(&group, cli, &o->ranks));
    if (group != NULL)
        return bench_ranks_print(cli, group, o->quick != 0);
    if ((cli->json != 0) + (o->csv != 0) + cli_given(cli, "output") > 1)
        return cli_refuse("bench: --json, --csv and -o each choose the format; "
                          "give only one");
    if (cli->json || o->csv)
        request.format = cli->json ? FORMAT_JSON : FORMAT_CSV;
    request.quick = o->quick;
    request.list = o->list;
    if (!bench_options_read(&options_read, &request, why, sizeof why))
        return cli_refuse("%s", why);
    if (options_read.append != NULL && !options_read.list)
        CLI_TRY(cli_check_folder(options_read.append));
    return bench_run(&options_read, stdout);
}

const struct cli_command cli_bench = {
    .name = "bench",
    .summary = "speed, compared with the peak of this machine",
    .usage = "[--quick] [--only TEXT] [-n LIST] [-d LIST] [-t LIST]\n"
             "  [-e SPEC] [--isa NAMES] [-o markdown|json|csv|sql] "
             "[--append DIR]\n  [--ranks mpi]",
    .doc =
        "Checks and times every operation and every kernel, and prints its "
        "share of a\npeak of this machine: streaming in place, reading, or "
        "fused multiply-adds; for\nattention in bfloat16, bfloat16 dot "
        "products where the instruction set has\nthem.  The peak is "
        "measured before and after each row, on the same threads.\n\nLIST "
        "is numbers and ranges between commas: 512, 1,2, 512-8192*2, "
        "64-256+64.\n-n, -d and -e run only the rows that have such a size "
        "or take an encoding.\nNAMES are instruction sets between commas: "
        "avx512,avx2.  Without --isa, kernels\nand angles run with each "
        "that the CPU has, other rows with the best.\nExit 1 if a result "
        "was wrong.\n\nWith --ranks mpi the processes that mpirun or srun has "
        "started time what\ntraining sends: one exchange, the sum of "
        "gradients (against MPI_Allreduce),\ngathered keys and values.  "
        "From this and the speed of a rank follows how\nefficient training "
        "of several sizes would be on these hosts.",
    .examples = "locant bench --quick\n"
                "locant bench --only forward -n 512-8192*2 -t 1,2\n"
                "locant bench --only decode --isa avx512,avx2\n"
                "locant bench --only rotate -e \"rope(scaling=yarn(factor=4,"
                "original=4096))\"\n"
                "locant bench --quick -o sql | sqlite3 bench.db\n"
                "mpirun -n 4 locant bench --ranks mpi",
    CLI_OPTIONS,
    .run = run
};
