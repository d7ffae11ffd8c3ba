/*
 * scale.c - a skeleton of training over MPI, to be run in a simulator
 *
 * It sends the messages of 'locant train --ranks mpi' by the library's own code
 * (train/ranks.h, group/group.h, src/mpi), between ranks of SimGrid's SMPI. It
 * computes nothing but the additions of gradients: for the rest it tells the
 * simulator how many floating-point operations they would be.
 * scripts/bench-scale compiles it and runs it for each net.
 *
 * A case of many bytes sends one byte for each FOLD of them, over a net that is
 * slower by the same factor: times and latencies are those of all bytes, and 32
 * ranks fit in the memory of one machine.
 *
 * usage: smpirun .. scale NET FOLD    NET: 25gbe or 200g
 * prints, for each case of that FOLD and each number of ranks,
 * case;net;ranks;simulated efficiency;the model's
 */
#include "group/group.h"
#include "train/ranks.h"
#include <locant/mpi.h>
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 32 };

static const double FLOPS = 3e12, /* per second and host, as in net-*.xml */
    PATIENCE = 1e6;               /* seconds: longer than any simulated wait */

/* One sequence of which every rank has a part, or a batch of many. */
enum split { DATA_PARALLEL, SEQUENCE_PARALLEL };

struct load {
    const char *name;
    enum split split;
    bool weak;  /* rows or tokens are those of one rank */
    int fold;   /* bytes that one byte stands for */
    int leaves; /* of the batch; 0: one for each rank */
    double params, width, layers, rows, tokens;
};

/* The rows of docs/SCALE.md. */
/* clang-format off */
static const struct load loads[] = {
    { "S 0.18M, 16 x 128", DATA_PARALLEL, false, 1, 16,
      .18e6, 64, 3, 16, 128 },
    { "M 0.86M, 16 x 128", DATA_PARALLEL, false, 1, 16,
      .86e6, 128, 4, 16, 128 },
    { "L 5M, 32 x 256", DATA_PARALLEL, false, 16, 32,
      5e6, 256, 6, 32, 256 },
    { "GPT-2 124M, 64 x 1024", DATA_PARALLEL, false, 256, 32,
      124e6, 768, 12, 64, 1024 },
    { "GPT-2, 2 x 1024 per rank", DATA_PARALLEL, true, 256, 0,
      124e6, 768, 12, 2, 1024 },
    { "GPT-2, 1 x 8k", SEQUENCE_PARALLEL, false, 256, 0,
      124e6, 768, 12, 1, 8192 },
    { "GPT-2, 1 x 32k", SEQUENCE_PARALLEL, false, 256, 0,
      124e6, 768, 12, 1, 32768 },
    { "GPT-2, 1 x 128k", SEQUENCE_PARALLEL, false, 256, 0,
      124e6, 768, 12, 1, 131072 },
    { "GPT-2, 4k per rank", SEQUENCE_PARALLEL, true, 256, 0,
      124e6, 768, 12, 1, 4096 },
};
/* clang-format on */

/* As in net-<name>.xml. */
static const struct net {
    const char *name;
    double bandwidth, latency; /* bytes per second; seconds from host to host */
} nets[] = { { "25gbe", 3.1e9, 30e-6 }, { "200g", 24e9, 2e-6 } };

/* A load on so many ranks. */
struct job {
    const struct load *load;
    int ranks;
    double rows, tokens;
};

static struct job job_of(const struct load *load, int ranks)
{
    struct job j = { load, ranks, load->rows, load->tokens };

    if (load->weak && load->split == DATA_PARALLEL)
        j.rows *= ranks;
    if (load->weak && load->split == SEQUENCE_PARALLEL)
        j.tokens *= ranks;
    return j;
}

/* Of a step: 6 for each parameter and token, and causal attention, forward 2
   and backward 5 for each two tokens and channel. */
static double flops_of(const struct job *j)
{
    const struct load *l = j->load;

    return j->rows * (6 * l->params * j->tokens +
                      7 * j->tokens * j->tokens * l->width * l->layers);
}

/* Bytes of the keys and values of a layer. */
static double keys_of(const struct job *j)
{
    return 8 * j->tokens * j->load->width;
}

/*
 * Efficiency by formula: nothing overlaps, every rank sends (P-1)/P of the
 * gradients twice and of each layer's keys and values three times (gathered
 * forward and backward, then their gradients), and each of these takes P - 1
 * latencies.
 */
static double forecast(const struct job *j, const struct net *net)
{
    const double others = j->ranks - 1, part = others / j->ranks;
    const double ideal = flops_of(j) / j->ranks / FLOPS;
    double bytes = 2 * 4 * j->load->params, phases = 2;

    if (j->load->split == SEQUENCE_PARALLEL) {
        bytes += 3 * keys_of(j) * j->load->layers;
        phases += 3 * j->load->layers;
    }
    return ideal / (ideal + part * bytes / net->bandwidth +
                    phases * others * net->latency);
}

/* SMPI says MPI_THREAD_SINGLE, which liblocant_mpi refuses. Here no rank starts
   a thread, so this function replaces SMPI's. */
int MPI_Query_thread(int *level)
{
    *level = MPI_THREAD_FUNNELED;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------- a step */

static void must(locant_status status)
{
    if (status == LOCANT_OK)
        return;
    fprintf(stderr, "scale: %s\n", locant_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

struct worker {
    const struct job *job;
    struct lct_ranks ranks;
    real *grads;
    size_t begin[MOST_RANKS + 1]; /* bytes of keys and values of each rank */
    char *keys, *room;
};

/* Layers of a sequence send the same messages; one of them is simulated, with
   its part of the parameters. */
static double layers_left_out(const struct load *l)
{
    return l->split == SEQUENCE_PARALLEL ? l->layers : 1;
}

static void compute(const struct worker *w, double part)
{
    const struct job *j = w->job;

    smpi_execute_flops(part * flops_of(j) / j->ranks /
                       layers_left_out(j->load));
}

/* The gradients of all ranks' keys and values to the ranks that own them. */
static void send_to_owners(struct worker *w)
{
    locant_piece send[MOST_RANKS], receive[MOST_RANKS];
    const locant_group *g = w->ranks.group;
    const size_t own = w->begin[g->rank + 1] - w->begin[g->rank];
    size_t n = 0;

    for (int i = 1; i < g->size; i++, n++) {
        const int peer = (g->rank + i) % g->size;

        send[n] = (locant_piece){ peer, w->keys + w->begin[peer],
                                  w->begin[peer + 1] - w->begin[peer] };
        receive[n] = (locant_piece){ peer, w->room + n * own, own };
    }
    must(g->exchange(send, n, receive, n, g->context));
}

static void attend(struct worker *w)
{
    must(lct_group_gather(w->keys, w->begin, w->ranks.group));
    compute(w, 2. / 6);
    must(lct_group_gather(w->keys, w->begin, w->ranks.group));
    compute(w, 4. / 6);
    send_to_owners(w);
}

static void step(struct worker *w)
{
    bool stop;

    if (w->job->load->split == SEQUENCE_PARALLEL)
        attend(w);
    else
        compute(w, 1);
    must(lct_ranks_tell(&w->ranks, LOCANT_OK, false, &stop));
    must(lct_ranks_add_gradients(&w->ranks, w->grads));
}

/* ------------------------------------------------------------------ a case */

static void *reserve(size_t bytes)
{
    void *memory = locant_alloc(bytes);

    must(memory != NULL
             ? LOCANT_OK
             : locant_fail(LOCANT_ERR_NOMEM, "no memory for %zu bytes", bytes));
    return memory;
}

static void prepare(struct worker *w, const struct job *j,
                    const locant_group *group)
{
    const struct load *l = j->load;
    const size_t n = (size_t)(l->params / layers_left_out(l) / l->fold);
    const size_t floats = (size_t)(keys_of(j) / l->fold) / sizeof(float);
    const size_t bytes = floats / (size_t)j->ranks * sizeof(float);
    locant_train_options o = LOCANT_TRAIN_INIT;

    *w = (struct worker){ .job = j };
    o.group = group;
    o.leaves = l->leaves > 0 ? l->leaves : j->ranks;
    o.batch = o.leaves;
    must(lct_ranks_check(&o));
    must(lct_ranks_create(&w->ranks, &o));
    must(lct_ranks_reserve(&w->ranks, n));
    w->grads = reserve(n * sizeof *w->grads);
    if (l->split == DATA_PARALLEL)
        return;
    for (int rank = 0; rank <= j->ranks; rank++)
        w->begin[rank] = (size_t)rank * bytes;
    w->keys = reserve(w->begin[j->ranks]);
    w->room = reserve(w->begin[j->ranks]);
}

static void release(struct worker *w)
{
    locant_release(w->grads);
    locant_release(w->keys);
    locant_release(w->room);
    lct_ranks_free(&w->ranks);
}

/* Seconds of a step, from the first rank's begin to the last one's end. */
static double time_step(const struct job *j, MPI_Comm comm)
{
    double begin, end, first, last;
    locant_group *group;
    struct worker w;

    must(locant_mpi_group(&group, &comm, PATIENCE));
    prepare(&w, j, group);
    MPI_Barrier(comm);
    begin = MPI_Wtime();
    step(&w);
    end = MPI_Wtime();
    MPI_Allreduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
    release(&w);
    locant_mpi_free(group);
    return (last - first) * layers_left_out(j->load);
}

/* Ranks beyond those of the job wait. */
static void run(const struct load *load, int ranks, const struct net *net)
{
    const struct job j = job_of(load, ranks);
    double seconds = 0;
    MPI_Comm comm;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, &comm);
    if (rank < ranks)
        seconds = time_step(&j, comm);
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("%s;%s;%d;%.3f;%.3f\n", load->name, net->name, ranks,
               flops_of(&j) / ranks / FLOPS / seconds, forecast(&j, net));
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct net *find_net(const char *name)
{
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        if (strcmp(nets[i].name, name) == 0)
            return &nets[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct net *net = argc == 3 ? find_net(argv[1]) : NULL;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (net == NULL || size != MOST_RANKS)
        must(locant_fail(LOCANT_ERR_PARAM,
                         "%d ranks, expected %d, and as arguments a net (25gbe,"
                         " 200g) and a fold",
                         size, MOST_RANKS));
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        for (int ranks = 2; ranks <= MOST_RANKS; ranks *= 2)
            if (loads[i].fold == atoi(argv[2]) &&
                (loads[i].leaves == 0 || ranks <= loads[i].leaves))
                run(&loads[i], ranks, net);
    MPI_Finalize();
    return 0;
}
