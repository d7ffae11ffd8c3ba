/*
 * window_rope.c - rotary scores at an effective distance d(i, j):
 *   ReRoPE (Su 2023, kexue.fm/archives/9708): n below the window, then window;
 *     leaky: window + (n - window) / k;
 *   SelfExtend (Jin et al. 2024, arXiv:2401.01325v3, section 3): beyond the
 *     window, floor(p_i / G) + w - floor(w / G) - floor(p_j / G);
 *   StreamingLLM (Xiao et al. 2024, arXiv:2309.17453v4, section 3.2): positions
 *     within a cache of the first 'sinks' tokens and the last 'window' keys.
 *   dual chunk (An et al. 2024, arXiv:2402.17463v2, section 3, and the
 *     authors' code): with s = chunk - local, p_i - p_j in the same s tokens,
 *     in the next ones min(p_i mod s + s, chunk) - p_j mod s, else
 *     min(2 s - 1, chunk) - p_j mod s; added to rope.
 * The score is s Re sum_c q_c conj(k_c) exp(i d theta_c), pairs (c, c + D/2).
 */
#include "content.h"
#include <string.h>

static cx rope_score(const struct oracle_call *call, int64_t b, int64_t h,
                     int64_t i, int64_t j, double distance)
{
    double base = oracle_number(call->spec, "base", 10000);
    int interleaved = oracle_word(call->spec, "pairing", "interleaved", 0);
    const cx *q = query_of(call, b, h, i), *k = key_of(call, b, h, j);
    cx sum = 0;

    for (int64_t c = 0; c < call->D / 2; c++) {
        double a = distance * pow(base, -2.0 * (double)c / (double)call->D);
        int64_t x = interleaved ? 2 * c : c,
                y = interleaved ? 2 * c + 1 : c + call->D / 2;

        /* Re of (q_x + i q_y)(k_x - i k_y) e^(ia), products not conjugated */
        sum += (q[x] * k[x] + q[y] * k[y]) * cos(a) -
               (q[y] * k[x] - q[x] * k[y]) * sin(a);
    }
    return call->scale * sum;
}

static const struct oracle_spec rerope_specs[] = {
    { .text = "rerope(window=3)" },
    { .text = "rerope" },
    { .text = "rerope(window=4,leak=2)" },
    { .text = "rerope(window=2,base=100,pairing=interleaved)" },
    { 0 }
};

static cx rerope(const struct oracle_call *call, int64_t b, int64_t h,
                 int64_t i, int64_t j)
{
    double window = oracle_number(call->spec, "window", 512);
    double leak = oracle_number(call->spec, "leak", 0);
    double n = (double)past(call, b, i, j);

    if (n >= window)
        n = leak > 0 ? window + (n - window) / leak : window;
    return rope_score(call, b, h, i, j, n);
}

const struct oracle rerope_oracle = {
    .name = "rerope",
    .specs = rerope_specs,
    .D_step = 2,
    .score = rerope,
};

static const struct oracle_spec selfextend_specs[] = {
    { .text = "selfextend(group=2,window=4)", .high = 100 },
    { .text = "selfextend", .high = 100 },
    { .text = "selfextend(group=3,window=2,pairing=interleaved)", .high = 100 },
    { 0 }
};

static cx selfextend(const struct oracle_call *call, int64_t b, int64_t h,
                     int64_t i, int64_t j)
{
    double window = oracle_number(call->spec, "window", 512);
    double group = oracle_number(call->spec, "group", 8);
    double p_i = (double)call->q_pos[b * call->T + i];
    double p_j = (double)call->k_pos[b * call->S + j], n = p_i - p_j;

    if (n >= window)
        n = floor(p_i / group) + window - floor(window / group) -
            floor(p_j / group);
    return rope_score(call, b, h, i, j, n);
}

const struct oracle selfextend_oracle = {
    .name = "selfextend",
    .specs = selfextend_specs,
    .D_step = 2,
    .score = selfextend,
};

static const struct oracle_spec streaming_specs[] = {
    { .text = "streaming(sinks=2,window=3)", .high = 100 },
    { .text = "streaming", .high = 100 },
    { .text = "streaming(sinks=0,window=2,pairing=interleaved)", .high = 100 },
    { .text = "streaming(sinks=1,window=1)", .high = 100 },
    { 0 }
};

static cx streaming(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j)
{
    double sinks = oracle_number(call->spec, "sinks", 4);
    double window = oracle_number(call->spec, "window", 508);
    double p_i = (double)call->q_pos[b * call->T + i];
    double p_j = (double)call->k_pos[b * call->S + j], n = p_i - p_j;

    if (n >= window) {
        if (p_j >= sinks)
            return -INFINITY;
        /* the query is the last of sinks + window tokens in the cache */
        if (p_i > sinks + window - 1)
            n = sinks + window - 1 - p_j;
    }
    return rope_score(call, b, h, i, j, n);
}

const struct oracle streaming_oracle = {
    .name = "streaming",
    .specs = streaming_specs,
    .D_step = 2,
    .score = streaming,
};

static const struct oracle_spec dual_chunk_specs[] = {
    { .text = "dual-chunk" },
    { .text = "dual-chunk(chunk=6,local=2)+rope" },
    { .text =
          "dual-chunk(chunk=7,local=5)+rope(base=100,pairing=interleaved)" },
    { .text = "dual-chunk(chunk=50,local=10)+rope" },
    { 0 }
};

static cx dual_chunk(const struct oracle_call *call, int64_t b, int64_t h,
                     int64_t i, int64_t j)
{
    double chunk = oracle_number(call->spec, "chunk", 3072);
    double s = chunk - oracle_number(call->spec, "local", 512);
    double p_i = (double)call->q_pos[b * call->T + i];
    double p_j = (double)call->k_pos[b * call->S + j];
    double from = floor(p_i / s), to = floor(p_j / s);
    double in_i = p_i - from * s, in_j = p_j - to * s;

    if (strstr(call->spec, "rope") == NULL)
        return rope_score(call, b, h, i, j, 0); /* not rotated */
    if (from == to)
        return rope_score(call, b, h, i, j, p_i - p_j);
    if (from == to + 1)
        return rope_score(call, b, h, i, j, fmin(in_i + s, chunk) - in_j);
    return rope_score(call, b, h, i, j, fmin(2 * s - 1, chunk) - in_j);
}

const struct oracle dual_chunk_oracle = {
    .name = "dual-chunk",
    .specs = dual_chunk_specs,
    .D_step = 2,
    .score = dual_chunk,
};
