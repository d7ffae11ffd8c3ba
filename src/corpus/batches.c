/*
 * batches.c - which tokens are trained on, and which are tested on.
 *
 * Both depend on a seed alone, so every encoding sees the same batches and the
 * same targets, and a resumed run sees those it would have seen.
 */
#include "corpus.h"
#include <assert.h>

/* Block ends of one file lie on a grid of this step, the number of P1 targets
   of a block, so that no two blocks share a target. */
enum { GRID = 64 };

/* Streams of one seed must differ. Their high bytes are "blocks", "batch" and
   "segment" in ASCII. */
static const uint64_t STREAM_BLOCKS = (uint64_t)0x626c6f636b73 << 16;
static const uint64_t STREAM_BATCH = (uint64_t)0x6261746368 << 24;
static const uint64_t STREAM_SEGMENT = (uint64_t)0x7365676d656e74 << 8;

/* The number of places for block ends in file f; 0 if it is too short. */
static size_t count_ends(const struct lct_split *s, size_t f)
{
    size_t text = s->start[f + 1] - s->start[f] - 1;

    return text < LCT_TEST_FILE_MIN ? 0 : (text - LCT_TEST_FILE_MIN) / GRID + 1;
}

/* Sort key of file f in the order that 'seed' gives. */
static uint64_t order_key(uint64_t seed, size_t f)
{
    locant_random r = { seed, STREAM_BLOCKS, 2 * (uint64_t)f };
    uint64_t high = locant_random_word(&r);

    return high << 32 | locant_random_word(&r);
}

/*
 * The file after 'last', in the order that 'seed' gives, that has more than
 * 'round' block ends; s->files if there is none. Pass last = s->files to get
 * the first. Searching instead of sorting needs no memory; a test split has
 * some hundred files.
 */
static size_t next_file(const struct lct_split *s, uint64_t seed, size_t round,
                        size_t last)
{
    uint64_t after = last < s->files ? order_key(seed, last) : 0, best = 0;
    size_t found = s->files;

    for (size_t f = 0; f < s->files; f++) {
        uint64_t key;

        if (count_ends(s, f) <= round)
            continue;
        key = order_key(seed, f);
        if (last < s->files && (key < after || (key == after && f <= last)))
            continue;
        if (found == s->files || key < best) {
            found = f;
            best = key;
        }
    }
    return found;
}

/* The block end of file f in this round, another in each round. */
static size_t pick_end(const struct lct_split *s, uint64_t seed, size_t f,
                       size_t round)
{
    /* order_key() draws from STREAM_BLOCKS itself. */
    locant_random r = { .seed = seed, .stream = STREAM_BLOCKS + 1 + f };
    size_t text = s->start[f + 1] - s->start[f] - 1;
    size_t slack = (text - LCT_TEST_FILE_MIN) % GRID + 1, n = 0;
    size_t phase = (size_t)locant_random_below(&r, slack);
    size_t picked[LCT_BLOCKS_PER_FILE];

    while (n <= round) {
        bool known = false;

        picked[n] = (size_t)locant_random_below(&r, count_ends(s, f));
        for (size_t i = 0; i < n; i++)
            known = known || picked[i] == picked[n];
        n += !known;
    }
    return s->start[f] + 1 + LCT_TEST_FILE_MIN + phase + picked[round] * GRID;
}

size_t lct_choose_blocks(size_t *ends, size_t want, const struct lct_split *s,
                         uint64_t seed)
{
    size_t n = 0;

    /* One block of every file comes before a second one of any file. */
    for (size_t round = 0; round < LCT_BLOCKS_PER_FILE; round++)
        for (size_t f = next_file(s, seed, round, s->files);
             f < s->files && n < want; f = next_file(s, seed, round, f))
            ends[n++] = pick_end(s, seed, f, round);
    return n;
}

void lct_batch_starts(size_t *starts, int64_t batch, int64_t length,
                      const struct lct_split *train, uint64_t seed,
                      int64_t step)
{
    locant_random r = { .seed = seed, .stream = STREAM_BATCH + (uint64_t)step };
    size_t size = train->size;

    assert(length >= 0 && (size_t)length < size);
    for (int64_t b = 0; b < batch; b++)
        starts[b] =
            (size_t)locant_random_below(&r, (uint64_t)(size - (size_t)length));
}

void lct_segment_starts(size_t *starts, int64_t batch, int64_t length,
                        const struct lct_split *train, uint64_t seed,
                        int64_t step)
{
    locant_random r = { .seed = seed, .stream = STREAM_SEGMENT };
    uint64_t places = train->size - (size_t)length;
    uint64_t first = locant_random_below(&r, places);

    /* no product overflows: batch and length are below 2^20, step below 2^40 */
    for (int64_t b = 0; b < batch; b++)
        starts[b] = (size_t)((first + places / (uint64_t)batch * (uint64_t)b +
                              (uint64_t)step * (uint64_t)length) %
                             places);
}
