/* oracle.c - read specs; positions and scores for all oracles. */
#include "oracle.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct oracle *oracle_of(const char *name)
{
    for (int i = 0; oracle_all[i] != NULL; i++)
        if (strcmp(oracle_all[i]->name, name) == 0)
            return oracle_all[i];
    return NULL;
}

/* ------------------------------------------------------------------- specs */

/* x rounded up to a multiple of m, at least m. */
static int64_t multiple(int64_t x, int64_t m)
{
    return m <= 1 ? x : x < m ? m : (x + m - 1) / m * m;
}

int oracle_choose(struct oracle_call *call, int64_t *low, int64_t *high,
                  const struct oracle *o, int i)
{
    const struct oracle_spec *s = o->specs;

    for (; i > 0 && s->text != NULL; i--)
        s++;
    if (s->text == NULL)
        return 0;
    call->spec = s->text;
    call->D =
        s->D > 0 ? s->D : multiple(call->D, s->step > 0 ? s->step : o->D_step);
    call->W = multiple(call->W, s->step > 0 ? s->step : o->W_step);
    *low = s->high > 0 ? s->low : -100;
    *high = s->high > 0 ? s->high : 100;
    return 1;
}

/* Where the value of a key starts, at any depth of the spec; NULL: none. */
static const char *value_of(const char *spec, const char *key)
{
    size_t n = strlen(key);

    for (const char *at = spec; (at = strstr(at, key)) != NULL; at++)
        if (at > spec && (at[-1] == '(' || at[-1] == ',') && at[n] == '=')
            return at + n + 1;
    return NULL;
}

double oracle_number(const char *spec, const char *key, double fallback)
{
    const char *value = value_of(spec, key);

    return value != NULL ? strtod(value, NULL) : fallback;
}

int oracle_word(const char *spec, const char *key, const char *word,
                int fallback)
{
    const char *value = value_of(spec, key);
    size_t n = strlen(word);

    if (value == NULL)
        return fallback;
    return strncmp(value, word, n) == 0 && strchr(",()", value[n]) != NULL;
}

int oracle_numbers(double *out, int size, const char *spec, const char *key)
{
    const char *value = value_of(spec, key);
    char *end;

    if (value != NULL)
        for (int n = 0; n < size; n++) {
            out[n] = strtod(value, &end);
            if (*end != ':')
                return n + 1;
            value = end + 1;
        }
    return 0;
}

/* --------------------------------------------------------------- positions */

int64_t oracle_position(const struct oracle_call *call, int key, int64_t b,
                        int64_t t)
{
    return key ? call->k_pos[b * call->S + t] : call->q_pos[b * call->T + t];
}

double oracle_coord(const struct oracle_call *call, int key, int64_t b,
                    int64_t t, int axis, double fallback)
{
    const double *coords = key ? call->k_coords : call->q_coords;
    int64_t tokens = key ? call->S : call->T;

    return coords != NULL ? coords[(b * tokens + t) * call->axes + axis]
                          : fallback;
}

int64_t oracle_length(const struct oracle_call *call, int64_t b)
{
    int all = oracle_word(call->spec, "length", "call", 0);
    int64_t longest = 0, first = all ? 0 : b, end = all ? call->B : b + 1;

    if (call->q_pos != NULL)
        for (int64_t i = first * call->T; i < end * call->T; i++)
            longest = call->q_pos[i] > longest ? call->q_pos[i] : longest;
    if (call->k_pos != NULL)
        for (int64_t j = first * call->S; j < end * call->S; j++)
            longest = call->k_pos[j] > longest ? call->k_pos[j] : longest;
    return longest + 1;
}

/* ------------------------------------------------------------------ scores */

int oracle_visible(const struct oracle_call *call, int64_t b, int64_t i,
                   int64_t j)
{
    int64_t n = call->q_pos[b * call->T + i] - call->k_pos[b * call->S + j];

    /* Jiang et al. 2023, arXiv:2310.06825, section 2, on both sides */
    if (call->window > 0 && (n >= call->window || -n >= call->window))
        return 0;
    return !call->causal || n >= 0;
}

cx oracle_product(const struct oracle_call *call, const struct oracle *o,
                  int64_t b, int64_t h, int64_t i, int64_t j)
{
    int64_t g = h / (call->H / call->G);
    const cx *q = call->q + ((b * call->H + h) * call->T + i) * call->D;
    const cx *k = call->k + ((b * call->G + g) * call->S + j) * call->D;
    int64_t width = o->rotated_width != NULL ? o->rotated_width(call) : 0;
    cx sum = 0;

    if (width == 0)
        width = call->D;
    for (int64_t d = 0; d < width; d++)
        sum += o->rotated != NULL ? o->rotated(call, 0, b, h, i, q, d) *
                                        o->rotated(call, 1, b, g, j, k, d)
                                  : q[d] * k[d];
    return (o->factor != NULL ? o->factor(call->spec) : 1) * call->scale * sum;
}

cx oracle_score(const struct oracle_call *call, const struct oracle *o,
                int64_t b, int64_t h, int64_t i, int64_t j)
{
    cx score;

    if (o->score != NULL)
        return o->score(call, b, h, i, j);
    score = oracle_product(call, o, b, h, i, j);
    return o->bias != NULL ? score + o->bias(call, b, h, i, j) : score;
}
