/* walk.c - distances by breadth-first search, and random walks */
#include "../core/size.h"
#include "graph.h"
#include <inttypes.h>
#include <math.h>

void lct_graph_hops_from(int64_t *hops, int64_t *queue, const locant_graph *g,
                         int64_t start)
{
    int64_t read = 0, written = 0;

    hops[start] = 0;
    queue[written++] = start;
    while (read < written) {
        int64_t i = queue[read++];

        for (int64_t e = g->first[i]; e < g->first[i + 1]; e++) {
            int64_t j = g->to[e];

            if (hops[j] < 0) {
                hops[j] = hops[i] + 1;
                queue[written++] = j;
            }
        }
    }
}

/*
 * The data of one call.  Task t takes the nodes t, t + tasks, ..; results do
 * not depend on the number of tasks.
 */
struct job {
    const locant_tensor *out;
    const locant_graph *g;
    double *scratch; /* [tasks, 2 nodes] */
    int64_t tasks;
    double space_dim;
};

static locant_status check(const char *fn, const locant_tensor *out,
                           locant_dtype dtype, int64_t columns,
                           const locant_graph *g)
{
    const locant_dtype only[2] = { dtype, dtype };
    int64_t dims[2] = { -1, columns };

    if (g == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: graph is NULL", fn);
    dims[0] = g->info.nodes;
    return lct_graph_check(fn, "out", out, only, 2, dims);
}

static locant_status run(const char *fn, struct job *job, locant_task task)
{
    size_t N = (size_t)job->g->info.nodes, bytes;
    size_t tasks = 2 * (size_t)locant_threads();

    tasks = tasks < N ? tasks : N;
    job->tasks = (int64_t)tasks;
    if (lct_mul(&bytes, N, 2 * sizeof(double)) && lct_mul(&bytes, bytes, tasks))
        job->scratch = locant_alloc(bytes);
    if (job->scratch == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "%s: no memory for %" PRId64 " nodes", fn,
                           job->g->info.nodes);
    locant_parallel_for(tasks, task, job);
    locant_release(job->scratch);
    return LOCANT_OK;
}

/* -------------------------------------------------------------------- hops */

static void hops_from(void *context, size_t task, int slot)
{
    const struct job *job = context;
    int64_t N = job->g->info.nodes;
    int64_t *queue = (int64_t *)(void *)(job->scratch + 2 * N * (int64_t)task);

    (void)slot;
    for (int64_t i = (int64_t)task; i < N; i += job->tasks) {
        int64_t *hops = (int64_t *)job->out->data + i * N;

        for (int64_t j = 0; j < N; j++)
            hops[j] = -1;
        lct_graph_hops_from(hops, queue, job->g, i);
    }
}

locant_status locant_graph_hops(locant_tensor *out, const locant_graph *graph)
{
    static const char fn[] = "locant_graph_hops";
    struct job job = { .out = out, .g = graph };

    LCT_TRY(check(fn, out, LOCANT_I64, graph ? graph->info.nodes : 0, graph));
    return run(fn, &job, hops_from);
}

/* ------------------------------------------------------------ random walks */

/* One step of the walk: p [N] becomes p D^-1 A; share [N] is scratch. */
static void step(double *p, double *share, const locant_graph *g)
{
    int64_t N = g->info.nodes;

    for (int64_t j = 0; j < N; j++) {
        int64_t degree = lct_degree(g, j);

        share[j] = degree > 0 ? p[j] / (double)degree : 0;
    }
    for (int64_t j = 0; j < N; j++) {
        double sum = 0;

        for (int64_t e = g->first[j]; e < g->first[j + 1]; e++)
            sum += share[g->to[e]];
        p[j] = sum;
    }
}

/* Write the probabilities of being back at node i after 1 .. K steps, scaled by
   space_dim; p and share [N] are scratch. */
static void walk_from(const struct job *job, int64_t i, double *p,
                      double *share)
{
    int64_t N = job->g->info.nodes, K = job->out->shape[1];
    double *out = (double *)job->out->data + i * K;

    for (int64_t j = 0; j < N; j++)
        p[j] = j == i;
    for (int64_t k = 1; k <= K; k++) {
        step(p, share, job->g);
        out[k - 1] = p[i];
        if (job->space_dim > 0)
            out[k - 1] *= pow((double)k, job->space_dim / 2);
    }
}

static void walk_task(void *context, size_t task, int slot)
{
    const struct job *job = context;
    int64_t N = job->g->info.nodes;
    double *p = job->scratch + 2 * N * (int64_t)task;

    (void)slot;
    for (int64_t i = (int64_t)task; i < N; i += job->tasks)
        walk_from(job, i, p, p + N);
}

locant_status locant_graph_random_walk(locant_tensor *out,
                                       const locant_graph *graph,
                                       double space_dim)
{
    static const char fn[] = "locant_graph_random_walk";
    struct job job = { .out = out, .g = graph, .space_dim = space_dim };

    LCT_TRY(check(fn, out, LOCANT_F64, -1, graph));
    if (!(space_dim >= 0 && isfinite(space_dim)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: space_dim is %g, expected a "
                           "finite number of at least 0",
                           fn, space_dim);
    if (!isfinite(pow((double)out->shape[1], space_dim / 2)))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: space_dim is %g, expected "
                           "one whose %" PRId64 "^(space_dim/2), the factor of "
                           "the last step, is finite",
                           fn, space_dim, out->shape[1]);
    if (out->shape[1] == 0)
        return LOCANT_OK;
    return run(fn, &job, walk_task);
}
