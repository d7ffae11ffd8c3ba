/*
 * cmd_graph.c - locant graph: position arrays of graph nodes, for encodings
 * that take them as parameters.
 */
#include <stdio.h>

#include "cli.h"
#include "locant/graph.h"

struct options {
    int64_t nodes, laplacian, walks;
    int hops, kind, keep_trivial;
    double space_dim;
    const char *values, *out;
};

static const struct cli_option options[] = {
    OPT_INTEGER("nodes", nodes, "N", 1, INT64_C(1) << 40,
                "nodes 0 .. N-1; if left out, up to the largest in EDGES"),
    OPT_INTEGER("laplacian", laplacian, "K", 1, 1 << 20,
                "K eigenvectors: float64 [N, K]"),
    OPT_CHOICE("kind", kind, "symmetric|combinatorial|random-walk",
               "which Laplacian", .fallback = "symmetric"),
    OPT_FLAG("keep-trivial", keep_trivial, "keep the first eigenvector"),
    OPT_FILE("values", values, "FILE.npy",
             "write the eigenvalues, float64 [K]"),
    OPT_INTEGER("walks", walks, "K", 1, 1 << 20,
                "probabilities of return after 1 .. K steps: float64 [N, K]"),
    OPT_REAL("space-dim", space_dim, "S",
             "multiply the probability of step k by k^(S/2)"),
    OPT_FLAG("hops", hops,
             "shortest paths: int64 [N, N], -1 where there is none"),
    OPT_OUTPUT(out, "OUT.npy", "the array"),
    OPT_END
};

/* The input of the three computations. */
struct job {
    const struct cli *cli;
    const struct options *o;
    locant_graph *graph;
    const locant_graph_info *info;
};

/* Write the array and report it.  JSON also has facts about the graph, and the
   members of 'more', which is released and may be NULL. */
static int write_array(const struct job *job, const locant_tensor *t,
                       json_t *more)
{
    const locant_graph_info *i = job->info;
    json_t *all;
    int status;

    if (!job->cli->json)
        return cli_write(job->cli, job->o->out, t);
    status = cli_status_input(locant_npy_write(job->o->out, t));
    if (status != CLI_OK) {
        json_decref(more);
        return status;
    }
    all = json_pack("{s:s, s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:I}", "output",
                    job->o->out, "dtype", locant_dtype_name(t->dtype), "shape",
                    cli_shape(t), "nodes", (json_int_t)i->nodes, "edges",
                    (json_int_t)i->edges, "repeated", (json_int_t)i->repeated,
                    "self_loops", (json_int_t)i->self_loops, "isolated",
                    (json_int_t)i->isolated, "components",
                    (json_int_t)i->components);
    if (more != NULL)
        json_object_update(all, more);
    json_decref(more);
    return cli_json(all);
}

/* Linux grants more memory than there is, and kills the process later. */
static int check_memory(int64_t nodes, double bytes)
{
    if (bytes <= cli_memory())
        return CLI_OK;
    return cli_fail(CLI_INPUT,
                    "%lld nodes would take %.3g GiB; this machine has %.3g GiB",
                    (long long)nodes, bytes / 0x1p30, cli_memory() / 0x1p30);
}

/* --------------------------------------------------------------- laplacian */

struct spectrum {
    locant_tensor values, vectors, degenerate;
};

static int solve(struct spectrum *s, const struct job *job)
{
    const int64_t shape[] = { job->info->nodes, job->o->laplacian };
    const double N = (double)job->info->nodes;

    /* the dense matrix and LAPACK's workspace */
    CLI_TRY(check_memory(job->info->nodes, 24 * N * N));
    CLI_TRY(cli_new(&s->values, LOCANT_F64, 1, shape + 1));
    CLI_TRY(cli_new(&s->vectors, LOCANT_F64, 2, shape));
    CLI_TRY(cli_new(&s->degenerate, LOCANT_I32, 1, shape + 1));
    return cli_status(locant_graph_laplacian(
        &s->values, &s->vectors, &s->degenerate, job->graph,
        (locant_laplacian)job->o->kind, !job->o->keep_trivial));
}

/* How many columns the graph can fill. */
static int64_t count_columns(const struct job *job)
{
    int64_t most = job->info->nodes - !job->o->keep_trivial;

    return most < job->o->laplacian ? most : job->o->laplacian;
}

static json_t *spectrum_json(const struct spectrum *s, const struct job *job)
{
    json_t *values = json_array(), *marks = json_array();

    for (int64_t k = 0; k < count_columns(job); k++) {
        json_array_append_new(values, cli_real(((double *)s->values.data)[k]));
        json_array_append_new(marks,
                              json_integer(((int32_t *)s->degenerate.data)[k]));
    }
    return json_pack("{s:o, s:o}", "eigenvalues", values, "degenerate", marks);
}

static void print_spectrum(const struct spectrum *s, const struct job *job)
{
    const double *values = s->values.data;
    const int32_t *marks = s->degenerate.data;
    int64_t n = count_columns(job);

    printf("column  eigenvalue    eigenspace\n");
    for (int64_t k = 0; k < n; k++) {
        /* an eigenvalue 0 is rounded differently on each machine */
        printf("%6lld  %-12.10f", (long long)k,
               values[k] < 1e-12 ? 0 : values[k]);
        if (marks[k] != 0)
            printf("  %d%s", marks[k] < 0 ? -marks[k] : marks[k],
                   marks[k] < 0 ? ", cut off" : "");
        putchar('\n');
    }
    if (n < job->o->laplacian)
        printf("columns %lld to %lld are 0: the graph has no more "
               "eigenvectors\n",
               (long long)n, (long long)job->o->laplacian - 1);
}

static int run_laplacian(const struct job *job)
{
    struct spectrum s;

    CLI_TRY(solve(&s, job));
    if (job->o->values != NULL)
        CLI_TRY(cli_status_input(locant_npy_write(job->o->values, &s.values)));
    CLI_TRY(write_array(job, &s.vectors,
                        job->cli->json ? spectrum_json(&s, job) : NULL));
    if (!job->cli->json)
        print_spectrum(&s, job);
    return CLI_OK;
}

/* ---------------------------------------------------------- walks and hops */

static int run_walks_or_hops(const struct job *job)
{
    const struct options *o = job->o;
    const int64_t N = job->info->nodes, shape[] = { N, o->hops ? N : o->walks };
    locant_tensor out;

    CLI_TRY(cli_new(&out, o->hops ? LOCANT_I64 : LOCANT_F64, 2, shape));
    CLI_TRY(cli_status(
        o->hops ? locant_graph_hops(&out, job->graph)
                : locant_graph_random_walk(&out, job->graph, o->space_dim)));
    return write_array(job, &out, NULL);
}

/* ------------------------------------------------------------------- input */

/* One more than the largest node number. */
static int64_t count_nodes(const locant_tensor *t)
{
    int64_t most = 0;

    for (int64_t k = 0; k < 2 * t->shape[0]; k++) {
        int64_t i = t->dtype == LOCANT_I64 ? ((const int64_t *)t->data)[k]
                                           : ((const int32_t *)t->data)[k];

        most = i > most ? i : most;
    }
    return most < INT64_MAX ? most + 1 : most;
}

static void free_graph(void *graph)
{
    locant_graph_free(graph);
}

static int make_graph(struct job *job, const char *path, const locant_tensor *t)
{
    int64_t nodes = job->o->nodes;
    locant_status s;

    if (nodes == 0 && t->shape[0] == 0)
        return cli_refuse("%s: has no edges; give the number of nodes with "
                          "--nodes",
                          path);
    if (nodes == 0)
        nodes = count_nodes(t);
    /* an id, a distance and a queue slot for each node */
    CLI_TRY(check_memory(nodes, 24 * (double)nodes));
    s = locant_graph_create(&job->graph, t, nodes);
    if (s == LOCANT_ERR_PARAM) /* an edge names a node that does not exist */
        return cli_fail(CLI_INPUT, "%s: %s", path, cli_message());
    CLI_TRY(cli_status_input(s));
    job->info = locant_graph_info_of(job->graph);
    return cli_at_end(free_graph, job->graph);
}

static int open_graph(struct job *job, const char *path)
{
    locant_tensor t;

    CLI_TRY(cli_read(&t, NULL, path));
    if (t.rank != 2 || t.shape[1] != 2 ||
        (t.dtype != LOCANT_I64 && t.dtype != LOCANT_I32))
        return cli_fail(CLI_INPUT,
                        "%s: has dtype %s and shape %s, expected i64 or i32 "
                        "[E, 2]",
                        path, locant_dtype_name(t.dtype), cli_shape_text(&t));
    return make_graph(job, path, &t);
}

static int check_options(const struct cli *cli)
{
    const struct options *o = cli->options;

    if ((o->laplacian > 0) + (o->walks > 0) + o->hops != 1)
        return cli_refuse("graph: expected one of --laplacian K, --walks K and "
                          "--hops");
    if (o->laplacian == 0 &&
        (cli_given(cli, "kind") || o->keep_trivial || o->values != NULL))
        return cli_refuse("--kind, --keep-trivial and --values need "
                          "--laplacian");
    if (o->walks == 0 && cli_given(cli, "space-dim"))
        return cli_refuse("--space-dim needs --walks");
    return CLI_OK;
}

static int run(const struct cli *cli)
{
    struct job job = { .cli = cli, .o = cli->options };

    CLI_TRY(check_options(cli));
    CLI_TRY(open_graph(&job, cli->words[0]));
    if (job.info->self_loops > 0)
        fprintf(stderr, "note: %lld self-loop%s ignored\n",
                (long long)job.info->self_loops,
                job.info->self_loops == 1 ? " is" : "s are");
    return job.o->laplacian > 0 ? run_laplacian(&job) : run_walks_or_hops(&job);
}

/* clang-format off */
const struct cli_command cli_graph = {
    .name = "graph", .summary = "positions of the nodes of a graph",
    .usage = "EDGES.npy [--nodes N] --laplacian K [--kind KIND]\n"
             "      [--keep-trivial] -o OUT.npy\n"
             "EDGES.npy [--nodes N] --walks K [--space-dim S] -o OUT.npy\n"
             "EDGES.npy [--nodes N] --hops -o OUT.npy",
    .doc = "Reads edges (i, j) of an undirected graph: i64 or i32 [E, 2].  "
           "Edges listed\ntwice or in both directions count once; self-loops "
           "are ignored.  Prints\neigenvalues; any rotation of the columns of "
           "one eigenspace is as valid.\nEigenvectors take 24 N^2 bytes, and "
           "192 MB of address space for OpenBLAS.",
    .examples = "locant graph E.npy --laplacian 8 -o V.npy\n"
                "locant graph E.npy --walks 16 -o W.npy\n"
                "locant graph E.npy --hops -o H.npy",
    CLI_OPTIONS,
    .min_words = 1, .max_words = 1, .computes = 1, .run = run
};
/* clang-format on */
