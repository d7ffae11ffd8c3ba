/*
 * statistics_bootstrap.c - confidence intervals of a mean over seeds and
 * blocks.
 *
 * Random numbers come from Philox, so a page can be repeated to the digit.
 */
#include "../core/error.h"
#include "statistics.h"
#include <math.h>
#include <stdlib.h>

enum { RESAMPLES = 2000, TASKS = 20 }; /* tasks run in parallel */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Quantile of sorted values, linear between order statistics. */
static double quantile(const double *sorted, size_t n, double q)
{
    double place = q * (double)(n - 1);
    size_t i = (size_t)place;

    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (place - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* Draw 'many' numbers as locant_random_below(r, n) does, but compute each
   block of the generator once: drawing takes most of the time of a page. */
static void draw_many(size_t *out, size_t many, locant_random *r, uint64_t n)
{
    const uint64_t reject = -n % n;
    const uint32_t key[2] = { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) };
    uint32_t word[4];

    for (size_t i = 0; i < many; r->index += 2) {
        const uint64_t block = r->index / 4;
        const uint32_t counter[4] = { (uint32_t)block, (uint32_t)(block >> 32),
                                      (uint32_t)r->stream,
                                      (uint32_t)(r->stream >> 32) };
        const unsigned at = (unsigned)(r->index % 4);
        uint64_t x;

        if (at == 0 || i == 0)
            locant_philox(word, counter, key);
        x = (uint64_t)word[at] << 32 | word[at + 1];
        if (x >= reject)
            out[i++] = (size_t)(x % n);
    }
}

/*
 * The mean of one resample. All seeds share one draw of blocks because all are
 * tested on the same blocks; with a draw for each seed, the noise of blocks
 * would come out too small. Blocks are drawn CHUNK at a time, and each time the
 * draw of seeds is repeated from a copy of its generator.
 */
static double resampled_mean(const double *loss, size_t seeds, size_t blocks,
                             const locant_random *of_seeds)
{
    enum { CHUNK = 256 };
    locant_random of_blocks = { .seed = of_seeds->seed,
                                .stream = of_seeds->stream + 1 };
    size_t drawn[CHUNK];
    double sum = 0;

    for (size_t done = 0; done < blocks; done += CHUNK) {
        size_t n = blocks - done < CHUNK ? blocks - done : CHUNK;
        locant_random r = *of_seeds;

        draw_many(drawn, n, &of_blocks, blocks);
        for (size_t s = 0; s < seeds; s++) {
            const double *row =
                loss + (size_t)locant_random_below(&r, seeds) * blocks;

            for (size_t b = 0; b < n; b++)
                sum += row[drawn[b]];
        }
    }
    return sum / ((double)seeds * (double)blocks);
}

/* Standard error of the mean of n means. Mean i is that of 'inner' values,
   which begin at loss[i * step] and are 'stride' apart. */
static double standard_error(const double *loss, size_t n, size_t step,
                             size_t inner, size_t stride)
{
    double mean = 0, squares = 0;

    /* Welford's update: accurate also if the mean is large compared with the
       deviation */
    for (size_t i = 0; i < n; i++) {
        double own = 0, off;

        for (size_t k = 0; k < inner; k++)
            own += loss[i * step + k * stride];
        own /= (double)inner;
        off = own - mean;
        mean += off / (double)(i + 1);
        squares += off * (own - mean);
    }
    return n < 2 ? NAN : sqrt(squares / (double)(n - 1) / (double)n);
}

/* The resamples, each a stream of its own, on any number of threads. */
struct job {
    const double *loss;
    size_t seeds, blocks;
    uint64_t seed;
    double *means; /* [RESAMPLES] */
};

static void resample_some(void *context, size_t task, int slot)
{
    const struct job *j = context;
    const size_t some = RESAMPLES / TASKS;

    (void)slot;
    for (size_t i = task * some; i < (task + 1) * some; i++) {
        /* Two streams per resample: "boot" in ASCII, then its number. */
        locant_random random = { .seed = j->seed,
                                 .stream =
                                     ((uint64_t)0x626f6f74 << 32) + 2 * i };

        j->means[i] = resampled_mean(j->loss, j->seeds, j->blocks, &random);
    }
}

static void resample(locant_interval *out, const double *loss, size_t seeds,
                     size_t blocks, double level, uint64_t seed)
{
    double means[RESAMPLES];
    struct job job = { loss, seeds, blocks, seed, means };

    locant_parallel_for(TASKS, resample_some, &job);
    qsort(means, RESAMPLES, sizeof means[0], ascending);
    out->low = quantile(means, RESAMPLES, (1 - level) / 2);
    out->high = quantile(means, RESAMPLES, (1 + level) / 2);
}

locant_status locant_bootstrap(locant_interval *out, const double *loss,
                               size_t seeds, size_t blocks, double level,
                               uint64_t seed)
{
    double sum = 0;

    if (out == NULL || (loss == NULL && seeds > 0 && blocks > 0))
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", __func__,
                           out ? "loss" : "out");
    LCT_TRY(lct_check_level(__func__, level));
    *out = (locant_interval){ NAN, NAN, NAN, NAN, NAN };
    for (size_t i = 0; i < seeds * blocks; i++)
        sum += loss[i];
    if (seeds == 0 || blocks == 0 || !isfinite(sum))
        return LOCANT_OK;
    out->mean = sum / (double)(seeds * blocks);
    out->seed_error = standard_error(loss, seeds, blocks, blocks, 1);
    out->data_error = standard_error(loss, blocks, 1, seeds, blocks);
    resample(out, loss, seeds, blocks, level, seed);
    return LOCANT_OK;
}
