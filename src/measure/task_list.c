/*
 * task_list.c - the sixteen tasks: definitions, sizes, budgets, test sets.
 *
 * Models have at least four heads where heads may matter: with four, ALiBi
 * reaches 18, 74, 295 and 1179 tokens, with two 74 and 1179, with one 1179. So
 * sorting has four heads too, although Huang et al. 2025, who did not compare
 * ALiBi, used one layer and two heads.
 */
#include "tasks.h"
#include <math.h>

/* clang-format off */
#define TESTS(...) (const locant_task_test[]){ __VA_ARGS__, { 0, NULL, 0 } }
#define AT(n)      { n, "", 0 }
#define EIGHT(n)   { n, "", 8 } /* pairs */
#define SIXTEEN    { 256, "pairs=16", 16 }
/* clang-format on */
#define TO_150  TESTS(AT(50), AT(100), AT(150))
#define TO_2048 TESTS(AT(128), AT(256), AT(512), AT(1024), AT(2048))

/* A row has as many tokens as its length; the length is at least 'least'. */
#define FROM(least) .scale = 1, .shortest = least, .longest = 1 << 20

/* Rows of T11: its eight pairs need at least 64 tokens. */
#define FROM_64 .scale = 1, .shortest = 64, .longest = 8192, .value = 8

/* Four heads of 16 channels. */
#define WIDTH_64 .width = 64, .heads = 4

/* Members that the variants of T13, of T11, and of T15 share. */
#define MODULO                                                                 \
    .definition = "[BOS] x x x ..: one symbol; at position t say t modulo m",  \
    .metric = "accuracy", .unit = "tokens", .place = "t", .items = 1,          \
    .tests = TESTS(AT(128), AT(256), AT(512))
#define RECALLED                                                               \
    .metric = "accuracy", .unit = "tokens", .place = "distance",               \
    .chance = 1. / 128, .vocab = 256, .length = 128, .layers = 2, WIDTH_64,    \
    .batch = 64, .steps = 4000, .learning_rate = 3e-3, .items = 1000,          \
    .tests = TESTS(EIGHT(128), EIGHT(256), EIGHT(512), EIGHT(1024), SIXTEEN)
#define GAPPED                                                                 \
    .definition = "T14, but the third symbol back is the one 'gap' back",      \
    .metric = "loss - floor", .unit = "tokens", .place = "t", .chance = NAN,   \
    .vocab = 16 + 1, .length = 128, .learning_rate = 3e-3, .items = 1000,      \
    .tests = TO_2048

/* clang-format off */
static const struct lct_task tasks[] = {
    {.info = {
        .id = "T1", .title = "delay-k",
        .definition = "[BOS] [D_k] x x x ..: 16 symbols, uniform; at x[t] say "
            "x[t-k].  k is 1, 2, 4, 8, 16, 32 or 64",
        .metric = "accuracy", .unit = "tokens", .place = "k",
        .chance = 1. / 16, .vocab = 16 + 7 + 1, .length = 128,
        .layers = 2, WIDTH_64, .batch = 64, .steps = 600,
        .learning_rate = 3e-3,
        .items = 1000, .tests = TO_2048},
     .make = lct_make_delay, FROM(4)},
    {.info = {
        .id = "T2", .title = "repeat, induction",
        .definition = "[BOS] s s: s of half the length, 64 symbols, uniform; "
            "say the second s from its third symbol on",
        .metric = "accuracy", .unit = "tokens", .place = "answer",
        .chance = 1. / 64, .vocab = 64 + 1, .length = 128,
        .layers = 3, WIDTH_64, .batch = 32, .steps = 2000,
        .learning_rate = 3e-3,
        .items = 1000, .tests = TO_2048},
     .make = lct_make_repeat, FROM(6),
     .param = 64},
    {.info = {
        .id = "T3", .title = "copy, unique symbols",
        .definition = "[BOS] s [SEP]: say s, drawn from 150 symbols without "
            "replacement",
        .metric = "exact match", .unit = "symbols", .place = "answer",
        .chance = 1. / 150, .vocab = 150 + 2, .length = 50, .upto = 1,
        .layers = 4, WIDTH_64, .batch = 64, .steps = 10000,
        .learning_rate = 1e-3, .items = 1000, .tests = TO_150},
     .make = lct_make_copy_unique, .scale = 2, .extra = 1, .shortest = 1,
     .longest = 150},
    {.info = {
        .id = "T4", .title = "copy, two symbols",
        .definition = "[BOS] s [SEP]: say s, two symbols, uniform",
        .metric = "exact match", .unit = "symbols", .place = "answer",
        .control = 1,
        .chance = .5, .vocab = 2 + 2, .length = 50, .upto = 1,
        .layers = 4, .width = 128, .heads = 4, .batch = 64, .steps = 10000,
        .learning_rate = 1e-3, .items = 1000, .tests = TESTS(AT(50), AT(100))},
     .make = lct_make_copy, .scale = 2, .extra = 1, .shortest = 1,
     .longest = 1 << 19, .param = 2},
    {.info = {
        .id = "T5", .title = "reverse",
        .definition = "[BOS] s [SEP]: say s from its end on, 32 symbols, "
            "uniform",
        .metric = "exact match", .unit = "symbols", .place = "answer",
        .chance = 1. / 32, .vocab = 32 + 2, .length = 40, .upto = 1,
        .layers = 3, WIDTH_64, .batch = 64, .steps = 10000,
        .learning_rate = 1e-3, .items = 1000, .tests = TESTS(AT(40), AT(80))},
     .make = lct_make_reverse, .scale = 2, .extra = 1, .shortest = 1,
     .longest = 1 << 19, .param = 32},
    {.info = {
        .id = "T6", .title = "sort",
        .definition = "[BOS] s [SEP]: say the numbers of s rising; s is drawn "
            "from 150 numbers without replacement (at length 150: all)",
        .metric = "exact match", .unit = "symbols", .place = "answer",
        .chance = 1. / 150, .vocab = 150 + 2, .length = 50, .upto = 1,
        .layers = 1, .width = 128, .heads = 4, .batch = 64, .steps = 10000,
        .learning_rate = 1e-4, .items = 1000, .tests = TO_150},
     .make = lct_make_sort, .scale = 2, .extra = 1, .shortest = 1,
     .longest = 150},
    {.info = {
        .id = "T7", .title = "majority of bits",
        .definition = "[BOS] bits [SEP]: say whether there are more ones than "
            "zeros",
        .metric = "accuracy", .unit = "bits",
        .chance = .5, .vocab = 2 + 2, .length = 50, .upto = 1,
        .layers = 1, .width = 16, .heads = 1, .batch = 64, .steps = 3000,
        .learning_rate = 3e-3, .items = 1000, .tests = TO_150},
     .make = lct_make_majority, .scale = 1, .extra = 2, .shortest = 1,
     .longest = 1 << 19},
    {.info = {
        .id = "T7.count", .title = "ones modulo 3",
        .definition = "[BOS] bits [SEP]: say the number of ones modulo 3",
        .metric = "accuracy", .unit = "bits",
        .chance = 1. / 3, .vocab = 3 + 2, .length = 50, .upto = 1,
        .layers = 1, .width = 16, .heads = 1, .batch = 64, .steps = 3000,
        .learning_rate = 3e-3, .items = 1000, .tests = TO_150},
     .make = lct_make_count, .scale = 1, .extra = 2, .shortest = 1,
     .longest = 1 << 19, .param = 3},
    {.info = {
        .id = "T8", .title = "parity",
        .definition = "[BOS] bits [SEP]: say the number of ones modulo 2",
        .metric = "accuracy", .unit = "bits", .control = 1,
        .chance = .5, .vocab = 2 + 2, .length = 40, .upto = 1,
        .layers = 3, WIDTH_64, .batch = 64, .steps = 3000,
        .learning_rate = 1e-3, .items = 1000, .tests = TESTS(AT(40), AT(80))},
     .make = lct_make_count, .scale = 1, .extra = 2, .shortest = 1,
     .longest = 1 << 19, .param = 2},
    {.info = {
        .id = "T9", .title = "flip-flop",
        .definition = "[BOS] then pairs of an instruction (write, read, "
            "ignore) and a bit; after read, say the bit last written.  80% are "
            "ignored in training",
        .metric = "read error", .unit = "tokens", .place = "pairs back",
        .chance = .5, .vocab = 5 + 1, .length = 256,
        .layers = 2, WIDTH_64, .batch = 16, .steps = 3000,
        .learning_rate = 3e-3,
        .items = 1000, .tests = TESTS({256, "", 80}, {256, "ignored=98", 98},
                       {256, "ignored=10", 10}, {512, "", 80},
                       {1024, "", 80}, {2048, "", 80})},
     .make = lct_make_flip_flop, FROM(4),
     .value = 80},
    {.info = {
        .id = "T10", .title = "selective copy",
        .definition = "[BOS] 16 symbols among noise [SEP]: say the symbols in "
            "order; 16 symbols, uniform, at uniform places",
        .metric = "exact match", .unit = "symbols and noise", .place = "answer",
        .chance = 1. / 16, .vocab = 16 + 1 + 2, .length = 128,
        .layers = 2, WIDTH_64, .batch = 32, .steps = 5000,
        .learning_rate = 3e-3,
        .items = 1000, .tests = TESTS(AT(128), AT(256), AT(512), AT(1024))},
     .make = lct_make_selective, .scale = 1, .extra = LCT_SELECTED + 1,
     .shortest = LCT_SELECTED, .longest = 1 << 19},
    {.info = {
        .id = "T11", .title = "associative recall",
        .definition = "[BOS] 8 pairs key value; then each key once more among "
            "fillers, at gap g with weight g^-.99: say its value", RECALLED},
     .make = lct_make_recall, FROM_64, .param = 1},
    {.info = {
        .id = "T11.flat", .title = "associative recall, all gaps alike",
        .definition = "T11 with all gaps equally likely", RECALLED},
     .make = lct_make_recall, FROM_64, .param = 100},
    {.info = {
        .id = "T12", .title = "passkey",
        .definition = "a sentence of 40 bytes over and over, #KEY=dddd# "
            "somewhere in it, then KEY=: say the digits",
        .metric = "exact match", .unit = "bytes", .place = "depth, per cent",
        .chance = .1, .vocab = 256, .length = 128, .fine_tune = 1,
        .layers = 3, WIDTH_64, .batch = 8, .steps = 600,
        .learning_rate = 1e-3,
        .items = 1000, .tests = TO_2048},
     .make = lct_make_needle, FROM(18)},
#define MODULAR(m)                                                            \
    {.info = {.id = "T13." #m, .title = "position modulo " #m, MODULO,        \
              .chance = 1. / m, .vocab = m + 2, .length = 128, .layers = 2,   \
              WIDTH_64, .batch = 8, .steps = 300, .learning_rate = 3e-3},     \
     .make = lct_make_modular, FROM(2), .param = m}
    MODULAR(2), MODULAR(3), MODULAR(4), MODULAR(8), MODULAR(16),
    {.info = {
        .id = "T14", .title = "local Markov source",
        .definition = "[BOS] x x x ..: 16 symbols drawn given the last three "
            "(256 contexts, Dirichlet .3); say the next",
        .metric = "loss - floor", .unit = "tokens", .place = "t",
        .chance = NAN, .vocab = 16 + 1, .length = 128,
        .layers = 2, WIDTH_64, .batch = 64, .steps = 500,
        .learning_rate = 3e-3,
        .items = 1000, .tests = TO_2048},
     .make = lct_make_markov, FROM(4),
     .param = 3, .floor = lct_markov_floor},
#define LONG_GAP(name, gap)                                                   \
    {.info = {.id = name, .title = "Markov source, gap of " #gap, GAPPED,     \
              .layers = 3, WIDTH_64, .batch = 64, .steps = 1000},             \
     .make = lct_make_markov, FROM(gap + 1), .param = gap,                     \
     .floor = lct_markov_floor}
    LONG_GAP("T15", 37), LONG_GAP("T15.100", 100),
    {.info = {
        .id = "T16", .title = "addition",
        .definition = "[BOS] a_s d a_(s-1) d .. + .. =: say the sum the same "
            "way, digits from the units on, each after its index; s is drawn",
        .metric = "exact match", .unit = "digits", .place = "answer",
        .control = 1,
        .chance = .1, .vocab = 10 + 40 + 3, .length = 10, .upto = 1,
        .layers = 4, .width = 128, .heads = 4, .batch = 64, .steps = 5000,
        .learning_rate = 1e-3, .items = 1000,
        .tests = TESTS(AT(10), AT(15), AT(20))},
     .make = lct_make_addition, .scale = 6, .extra = 4, .shortest = 1,
     .longest = 39},
};
/* clang-format on */

const struct lct_task *lct_task_at(int i)
{
    const int n = sizeof tasks / sizeof tasks[0];

    return i >= 0 && i < n ? &tasks[i] : NULL;
}
