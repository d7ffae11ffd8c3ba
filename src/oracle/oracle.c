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

/* x raised to a multiple of m, at least m. */
static int64_t multiple(int64_t x, int64_t m)
{
    return m <= 1 ? x : x < m ? m : (x + m - 1) / m * m;
}

int oracle_choose(struct oracle_call *w, int64_t *low, int64_t *high,
                  const struct oracle *o, int i)
{
    const struct oracle_spec *s = o->specs;

    for (; i > 0 && s->text != NULL; i--)
        s++;
    if (s->text == NULL)
        return 0;
    w->spec = s->text;
    w->D = s->D > 0 ? s->D : multiple(w->D, s->step > 0 ? s->step : o->D_step);
    w->W = multiple(w->W, s->step > 0 ? s->step : o->W_step);
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

    for (int n = 0; value != NULL && n < size; n++) {
        out[n] = strtod(value, &end);
        if (*end != ':')
            return n + 1;
        value = end + 1;
    }
    return 0;
}

/* --------------------------------------------------------------- positions */

int64_t oracle_position(const struct oracle_call *w, int key, int64_t b,
                        int64_t t)
{
    return key ? w->k_pos[b * w->S + t] : w->q_pos[b * w->T + t];
}

double oracle_coord(const struct oracle_call *w, int key, int64_t b, int64_t t,
                    int axis, double fallback)
{
    const double *coords = key ? w->k_coords : w->q_coords;
    int64_t tokens = key ? w->S : w->T;

    return coords != NULL ? coords[(b * tokens + t) * w->axes + axis]
                          : fallback;
}

int64_t oracle_length(const struct oracle_call *w, int64_t b)
{
    int all = oracle_word(w->spec, "length", "call", 0);
    int64_t longest = 0, first = all ? 0 : b, end = all ? w->B : b + 1;

    for (int64_t i = first * w->T; w->q_pos != NULL && i < end * w->T; i++)
        longest = w->q_pos[i] > longest ? w->q_pos[i] : longest;
    for (int64_t j = first * w->S; w->k_pos != NULL && j < end * w->S; j++)
        longest = w->k_pos[j] > longest ? w->k_pos[j] : longest;
    return longest + 1;
}

/* ------------------------------------------------------------------ scores */

int oracle_visible(const struct oracle_call *w, int64_t b, int64_t i, int64_t j)
{
    int64_t n = w->q_pos[b * w->T + i] - w->k_pos[b * w->S + j];

    /* Jiang et al. 2023, arXiv:2310.06825, section 2, on both sides */
    if (w->window > 0 && (n >= w->window || -n >= w->window))
        return 0;
    return !w->causal || n >= 0;
}

cx oracle_product(const struct oracle_call *w, const struct oracle *o,
                  int64_t b, int64_t h, int64_t i, int64_t j)
{
    int64_t g = h / (w->H / w->G);
    const cx *q = w->q + ((b * w->H + h) * w->T + i) * w->D;
    const cx *k = w->k + ((b * w->G + g) * w->S + j) * w->D;
    int64_t width = o->rotated_width != NULL ? o->rotated_width(w) : 0;
    cx sum = 0;

    if (width == 0)
        width = w->D;
    for (int64_t d = 0; d < width; d++)
        sum += o->rotated != NULL ? o->rotated(w, 0, b, h, i, q, d) *
                                        o->rotated(w, 1, b, g, j, k, d)
                                  : q[d] * k[d];
    return (o->factor != NULL ? o->factor(w->spec) : 1) * w->scale * sum;
}

cx oracle_score(const struct oracle_call *w, const struct oracle *o, int64_t b,
                int64_t h, int64_t i, int64_t j)
{
    cx score;

    if (o->score != NULL)
        return o->score(w, b, h, i, j);
    score = oracle_product(w, o, b, h, i, j);
    return o->bias != NULL ? score + o->bias(w, b, h, i, j) : score;
}
