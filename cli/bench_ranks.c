/* bench_ranks.c - see bench_ranks.h */
#include "bench_ranks.h"
#include "bench/bench_ranks.h"
#include "mpi.h"
#include <math.h>
#include <stdio.h>

static const char *mpi_name(void)
{
    const char *why;

    return cli_mpi_name(&why);
}

/* ------------------------------------------------------------------- text */

static void print_messages(const struct bench_ranks *b)
{
    printf("%d ranks of %s, %d thread%s each; times are of the slowest rank, "
           "in\nthe fastest of some rounds\n\n",
           b->size, mpi_name(), b->threads, b->threads == 1 ? "" : "s");
    printf("latency    %9.2f us       8 bytes to a neighbour and from one, all "
           "at once\n"
           "bandwidth  %9.2f GB/s     the same with %zu bytes\n"
           "speed      %9.2f GFLOP/s  a step of training, all at once\n",
           1e6 * b->latency, 1e-9 * b->bandwidth, b->large, 1e-9 * b->flops);
}

static void print_sums(const struct bench_ranks *b)
{
    printf("\n%10s  %12s  %13s  %5s\n", "gradients", "sum of leaves",
           "MPI_Allreduce", "ratio");
    for (int i = 0; i < b->sums; i++)
        printf("%8zu B  %10.3f ms  %10.3f ms  %5.2f\n", b->sum[i].bytes,
               1e3 * b->sum[i].tree, 1e3 * b->sum[i].allreduce,
               b->sum[i].tree / b->sum[i].allreduce);
    printf("\nkeys and values gathered\n");
    for (int i = 0; i < b->gathers; i++)
        printf("%8zu B  %10.3f ms\n", b->gather[i].bytes,
               1e3 * b->gather[i].seconds);
}

static void print_efficiencies(const struct bench_ranks *b)
{
    printf("\nefficiency by the model of docs/SCALE.md, with these speeds\n"
           "%-26s",
           "ranks");
    for (int c = 0; c < b->counts; c++)
        printf("%6d", b->ranks[c]);
    for (int l = 0; l < BENCH_LOADS; l++) {
        printf("\n%-26s", b->load[l].name);
        for (int c = 0; c < b->counts; c++)
            if (isnan(b->load[l].efficiency[c]))
                printf("%6s", "");
            else
                printf("%6.3f", b->load[l].efficiency[c]);
    }
    printf("\n");
}

/* ------------------------------------------------------------------- JSON */

static json_t *sums(const struct bench_ranks *b)
{
    json_t *list = json_array();

    for (int i = 0; i < b->sums; i++)
        json_array_append_new(
            list,
            json_pack("{s:I, s:o, s:o}", "bytes", (json_int_t)b->sum[i].bytes,
                      "tree_seconds", cli_real(b->sum[i].tree),
                      "allreduce_seconds", cli_real(b->sum[i].allreduce)));
    return list;
}

static json_t *gathers(const struct bench_ranks *b)
{
    json_t *list = json_array();

    for (int i = 0; i < b->gathers; i++)
        json_array_append_new(list, json_pack("{s:I, s:o}", "bytes",
                                              (json_int_t)b->gather[i].bytes,
                                              "seconds",
                                              cli_real(b->gather[i].seconds)));
    return list;
}

static json_t *efficiencies(const struct bench_ranks *b)
{
    json_t *list = json_array();

    for (int l = 0; l < BENCH_LOADS; l++)
        for (int c = 0; c < b->counts; c++)
            if (!isnan(b->load[l].efficiency[c]))
                json_array_append_new(
                    list, json_pack("{s:s, s:i, s:o}", "load", b->load[l].name,
                                    "ranks", b->ranks[c], "efficiency",
                                    cli_real(b->load[l].efficiency[c])));
    return list;
}

static int print_json(const struct bench_ranks *b)
{
    return cli_json(json_pack(
        "{s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "mpi", mpi_name(),
        "ranks", b->size, "threads", b->threads, "latency_seconds",
        cli_real(b->latency), "bytes_per_second", cli_real(b->bandwidth),
        "flops_per_second", cli_real(b->flops), "sums", sums(b), "gathers",
        gathers(b), "efficiencies", efficiencies(b)));
}

/* -------------------------------------------------------------------- all */

static int refuse_rows(const struct cli *cli)
{
    static const char *const options[] = { "only",     "tokens", "dims",
                                           "encoding", "isa",    "threads",
                                           "list",     "output", "csv",
                                           "append" };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (cli_given(cli, options[i]))
            return cli_refuse("bench: --%s is for rows, --ranks mpi times "
                              "messages",
                              options[i]);
    return CLI_OK;
}

/* The exit status of a bench with a wrong result is 1. */
static int end(const locant_group *group, locant_status status)
{
    return status == LOCANT_ERR_FORMAT ? cli_fail(CLI_NO, "%s", cli_message())
                                       : cli_ranks_status(group, status);
}

int bench_ranks_print(const struct cli *cli, const locant_group *group,
                      bool quick)
{
    struct bench_ranks b;

    CLI_TRY(cli_ranks_agree(group, refuse_rows(cli)));
    cli_ranks_poll();
    CLI_TRY(end(group, bench_ranks(&b, group, cli_ranks_allreduce, quick)));
    if (group->rank > 0)
        return CLI_OK;
    if (cli->json)
        return print_json(&b);
    print_messages(&b);
    print_sums(&b);
    print_efficiencies(&b);
    return CLI_OK;
}
