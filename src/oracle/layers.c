/*
 * layers.c - hybrids of layers (Gemma 3, arXiv:2503.19786v1, section 2;
 * Llama 4): layer l uses 'global' where (l + 1) mod period = 0, else 'local';
 * or, with a map, as Gemma 4 does, the last layer as well.
 * Parameters are those of local, then those of global.
 *
 * Also randomized (Ruoss et al. 2023, arXiv:2305.16843v1) and PoSE (Zhu et al.
 * 2024, arXiv:2309.10400v3), which draw ids for training: scores depend on the
 * ids of the call only.
 */
#include "content.h"
#include <string.h>

static const struct oracle_spec layers_specs[] = {
    { .text = "layers(local=alibi,global=none)" },
    { .text = "layers(local=none,global=alibi,period=2)" },
    { .text = "layers(local=alibi(learned=yes),global=kerple,period=3)" },
    { .text = "layers(local=none,global=alibi(learned=yes),period=2)" },
    { .text = "layers(map=every(3,at=1,global,else=local):last(1,global),"
              "global=alibi,count=8)" },
    { 0 }
};

static const struct oracle_spec randomized_specs[] = {
    { .text = "randomized(length=60)", .high = 59 },
    { .text = "randomized(length=60)+alibi", .high = 59 },
    { 0 }
};

static const struct oracle_spec pose_specs[] = {
    { .text = "pose(length=60)", .high = 59 },
    { .text = "pose(length=60,chunks=3)+alibi", .high = 59 },
    { 0 }
};

/* Logarithms of slopes; KERPLE's p and a. */
static void range(double *low, double *high, const char *spec, int k)
{
    (void)spec;
    *low = k == 0 ? -4 : 0.1;
    *high = k == 0 ? 0.5 : 1;
}

static cx plain(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j)
{
    static const struct oracle none = { .name = "none" };

    return oracle_product(call, &none, b, h, i, j);
}

static cx alibi(const struct oracle_call *call, int64_t b, int64_t h, int64_t i,
                int64_t j, const cx *slope)
{
    cx m = slope != NULL ? cexp(slope[h]) : alibi_slope(8, h, call->H);

    return -m * (double)past(call, b, i, j);
}

static cx kerple(const struct oracle_call *call, int64_t b, int64_t h,
                 int64_t i, int64_t j)
{
    double n = (double)past(call, b, i, j);

    return -call->param[1][h] * clog(1 + call->param[2][h] * fabs(n));
}

static cx layer_score(const struct oracle_call *call, int64_t b, int64_t h,
                      int64_t i, int64_t j)
{
    int period = (int)oracle_number(call->spec, "period", 4);
    int global = strstr(call->spec, "map=") != NULL /* the one above */
                     ? call->layer % 3 == 1 || call->layer == 7
                     : (call->layer + 1) % period == 0;
    cx score = plain(call, b, h, i, j);

    if (strstr(call->spec, "kerple") != NULL)
        return score + (global ? kerple(call, b, h, i, j)
                               : alibi(call, b, h, i, j, call->param[0]));
    if (global != oracle_word(call->spec, "global", "alibi", 0))
        return score;
    return score + alibi(call, b, h, i, j,
                         strstr(call->spec, "learned") ? call->param[0] : NULL);
}

static cx ids_score(const struct oracle_call *call, int64_t b, int64_t h,
                    int64_t i, int64_t j)
{
    cx score = plain(call, b, h, i, j);

    if (strstr(call->spec, "alibi") == NULL)
        return score;
    return score + alibi(call, b, h, i, j, NULL);
}

const struct oracle layers_oracle = {
    .name = "layers",
    .specs = layers_specs,
    .range = range,
    .score = layer_score,
};
const struct oracle randomized_oracle = {
    .name = "randomized",
    .specs = randomized_specs,
    .score = ids_score,
};
const struct oracle pose_oracle = {
    .name = "pose",
    .specs = pose_specs,
    .score = ids_score,
};
