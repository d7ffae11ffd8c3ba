/* loads.h - the rows of docs/SCALE.md, and what the model forecasts of them */
#ifndef LOADS_H
#define LOADS_H
#include <stdbool.h>

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

/* Of a rank and its net: operations and bytes per second, seconds from rank to
   rank. */
struct speeds {
    double flops, bandwidth, latency;
};

/* A load on so many ranks. */
struct job {
    const struct load *load;
    int ranks;
    double rows, tokens;
};

static inline struct job job_of(const struct load *load, int ranks)
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
static inline double flops_of(const struct job *j)
{
    const struct load *l = j->load;

    return j->rows * (6 * l->params * j->tokens +
                      7 * j->tokens * j->tokens * l->width * l->layers);
}

/* Bytes of the keys and values of a layer. */
static inline double keys_of(const struct job *j)
{
    return 8 * j->tokens * j->load->width;
}

/*
 * Efficiency by formula: nothing overlaps, every rank sends (P-1)/P of the
 * gradients twice and of each layer's keys and values three times (gathered
 * forward and backward, then their gradients), and each of these takes P - 1
 * latencies.
 */
static inline double forecast(const struct job *j, const struct speeds *s)
{
    const double others = j->ranks - 1, part = others / j->ranks;
    const double ideal = flops_of(j) / j->ranks / s->flops;
    double bytes = 2 * 4 * j->load->params, phases = 2;

    if (j->load->split == SEQUENCE_PARALLEL) {
        bytes += 3 * keys_of(j) * j->load->layers;
        phases += 3 * j->load->layers;
    }
    return ideal /
           (ideal + part * bytes / s->bandwidth + phases * others * s->latency);
}
#endif
