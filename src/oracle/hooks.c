/*
 * hooks.c - encodings without a door, which change scores by hooks:
 *   temperature: Llama 4 (HF models/llama4), 1 + scale ln(1 + floor((p + 1) /
 *     floor)); Ministral, 1 + scale ln(1 + floor(p / floor)); log-n (Su 2023,
 *     kexue.fm/archives/9708), max(1, ln(p + 1) / ln(length));
 *   window (Beltagy et al. 2020, arXiv:2004.05150v2): keys with |p_i - p_j| <
 *     size;
 *   chunked (transformers 5, chunked_overlay() of masking_utils.py): keys of
 *     the query's chunk of 'size' positions;
 *   longlora (Chen et al. 2024, arXiv:2309.12307v3, section 3.2): keys of the
 *     query's group of G tokens; in the second half of the heads, groups are
 *     shifted by G / 2.
 */
#include "content.h"

static const struct oracle_spec temperature_specs[] = {
    { .text = "temperature(kind=llama4,floor=4)", .high = 100 },
    { .text = "temperature(kind=llama4,scale=0.3,floor=2)", .high = 100 },
    { .text = "temperature(kind=ministral,floor=3)", .high = 100 },
    { .text = "temperature(kind=logn,length=4)", .high = 100 },
    { 0 }
};

static cx temperature(const struct oracle_call *call, int64_t b, int64_t h,
                      int64_t i, int64_t j)
{
    double p = (double)call->q_pos[b * call->T + i], tau;
    double scale = oracle_number(call->spec, "scale", 0.1);
    double step = oracle_number(call->spec, "floor", 8192);

    if (oracle_word(call->spec, "kind", "logn", 0))
        tau = fmax(1, log(p + 1) / log(oracle_number(call->spec, "length", 2)));
    else if (oracle_word(call->spec, "kind", "ministral", 0))
        tau = 1 + scale * log(1 + floor(p / step));
    else
        tau = 1 + scale * log(1 + floor((p + 1) / step));
    return tau * call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

const struct oracle temperature_oracle = {
    .name = "temperature",
    .specs = temperature_specs,
    .score = temperature,
};

static const struct oracle_spec window_specs[] = { { .text = "window(size=3)" },
                                                   { .text = "window" },
                                                   { .text = "window(size=1)" },
                                                   { 0 } };

static cx window(const struct oracle_call *call, int64_t b, int64_t h,
                 int64_t i, int64_t j)
{
    if (fabs((double)past(call, b, i, j)) >=
        oracle_number(call->spec, "size", 256))
        return -INFINITY;
    return call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

const struct oracle window_oracle = {
    .name = "window",
    .specs = window_specs,
    .score = window,
};

static const struct oracle_spec chunked_specs[] = {
    { .text = "chunked(size=4)", .high = 100 },
    { .text = "chunked", .high = 100 },
    { .text = "chunked(size=1)", .high = 100 },
    { 0 }
};

static cx chunked(const struct oracle_call *call, int64_t b, int64_t h,
                  int64_t i, int64_t j)
{
    const double size = oracle_number(call->spec, "size", 8192);

    if (floor((double)call->q_pos[b * call->T + i] / size) !=
        floor((double)call->k_pos[b * call->S + j] / size))
        return -INFINITY;
    return call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

const struct oracle chunked_oracle = {
    .name = "chunked",
    .specs = chunked_specs,
    .score = chunked,
};

static const struct oracle_spec longlora_specs[] = {
    { .text = "longlora(group=4)", .high = 100 },
    { .text = "longlora", .high = 100 },
    { .text = "longlora(group=2)", .high = 100 },
    { 0 }
};

static cx longlora(const struct oracle_call *call, int64_t b, int64_t h,
                   int64_t i, int64_t j)
{
    double group = oracle_number(call->spec, "group", 64);
    double shift = 2 * h >= call->H ? floor(group / 2) : 0;
    double p_i = (double)call->q_pos[b * call->T + i];
    double p_j = (double)call->k_pos[b * call->S + j];

    if (floor((p_i + shift) / group) != floor((p_j + shift) / group))
        return -INFINITY;
    return call->scale *
           product(query_of(call, b, h, i), key_of(call, b, h, j), call->D);
}

const struct oracle longlora_oracle = {
    .name = "longlora",
    .specs = longlora_specs,
    .score = longlora,
};
