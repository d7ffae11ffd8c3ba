/*
 * positions.c - see positions.h.  Each by the words of its source: attention
 * masks and packing of Hugging Face transformers; Wang et al. 2024,
 * arXiv:2409.12191v2 (M-RoPE); Xiao et al. 2023, arXiv:2309.17453v4; Chen et
 * al. 2023, arXiv:2309.12307v3; Jin et al. 2024, arXiv:2401.01325v3; Su 2023,
 * bojone/rerope.
 */
#include "positions.h"
#include <math.h>
#include <string.h>

int64_t oracle_mask_id(const int *mask, int64_t s, int64_t first, int64_t pad)
{
    int64_t ones = 0;

    if (!mask[s])
        return pad;
    for (int64_t i = 0; i <= s; i++)
        ones += mask[i];
    return first + ones - 1;
}

void oracle_document(int64_t *document, int64_t *position,
                     const int64_t *lengths, int64_t n, int64_t t)
{
    int64_t at = 0;

    *document = -1;
    *position = 0;
    for (int64_t d = 0; d < n; d++)
        for (int64_t s = 0; s < lengths[d]; s++, at++)
            if (at == t) {
                *document = d;
                *position = s;
            }
}

int64_t oracle_patches(int64_t (*out)[3], int64_t frames, int64_t rows,
                       int64_t cols, int64_t merge)
{
    int64_t n = 0;

    for (int64_t t = 0; t < frames; t++)
        for (int64_t top = 0; top < rows; top += merge)
            for (int64_t left = 0; left < cols; left += merge)
                for (int64_t k = 0; k < merge * merge; k++, n++) {
                    out[n][0] = t;
                    out[n][1] = top + k / merge;
                    out[n][2] = left + k % merge;
                }
    return n;
}

/* ------------------------------------------------------------------ M-RoPE */

static int64_t largest(const struct oracle_mrope *m)
{
    int64_t most = -1;

    for (int64_t i = 0; i < m->n; i++)
        for (int a = 0; a < 3; a++)
            if (m->id[i][a] > most)
                most = m->id[i][a];
    return most;
}

static int64_t start_of(const struct oracle_mrope *m)
{
    return m->by_grid ? m->start : largest(m) + 1;
}

static void push(struct oracle_mrope *m, int64_t t, int64_t h, int64_t w)
{
    m->id[m->n][0] = t;
    m->id[m->n][1] = h;
    m->id[m->n++][2] = w;
}

void oracle_mrope_text(struct oracle_mrope *m, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t s = start_of(m);

        push(m, s, s, s);
        m->start = s + 1;
    }
}

void oracle_mrope_vision(struct oracle_mrope *m, int64_t frames, int64_t rows,
                         int64_t cols, double interval)
{
    int64_t s = start_of(m);

    for (int64_t k = 0; k < frames * rows * cols; k++)
        push(m, s + (int64_t)floor((double)(k / (rows * cols)) * interval),
             s + k / cols % rows, s + k % cols);
    m->start = s + (rows > cols ? rows : cols);
}

int64_t oracle_mrope_delta(const struct oracle_mrope *m)
{
    return largest(m) + 1 - m->n;
}

/* ------------------------------------------------------------------ caches */

void oracle_cache_fill(struct oracle_cache *c, int64_t seen, int64_t sinks,
                       int64_t recent)
{
    c->n = 0;
    for (int64_t t = 0; t < seen; t++) {
        c->token[c->n++] = t;
        if (c->n > sinks + recent) {
            c->n--;
            memmove(c->token + sinks, c->token + sinks + 1,
                    (size_t)(c->n - sinks) * sizeof(*c->token));
        }
    }
}

int64_t oracle_cache_find(const struct oracle_cache *c, int64_t token)
{
    for (int64_t i = 0; i < c->n; i++)
        if (c->token[i] == token)
            return i;
    return -1;
}

void oracle_longlora_roll(int64_t *out, int64_t tokens, int64_t group)
{
    /* Place x of the rolled row holds the token half a group further on. */
    for (int64_t x = 0; x < tokens; x++) {
        int64_t token = x + group / 2;

        if (token >= tokens)
            token -= tokens;
        out[token] = x / group;
    }
}

void oracle_longlora_cut(int64_t *out, int64_t tokens, int64_t group)
{
    int64_t g = 0, boundary = group / 2;

    for (int64_t t = 0; t < tokens; t++) {
        if (t == boundary) {
            g++;
            boundary += group;
        }
        out[t] = g;
    }
}

/* --------------------------------------------------------------- distances */

long double oracle_rerope(int64_t w, int64_t i, int64_t j)
{
    long double q = i, k = j;

    if (i - j >= w) { /* q turned by w, k not turned */
        q = w;
        k = 0;
    }
    return q - k;
}

long double oracle_leaky(int64_t w, double factor, int64_t i, int64_t j)
{
    long double q = i, k = j;

    if (i - j >= w) {
        q = (long double)i / factor + w - w / (long double)factor;
        k = (long double)j / factor;
    }
    return q - k;
}

long double oracle_selfextend(int64_t w, int64_t group, int64_t i, int64_t j)
{
    long double G = group, q = i, k = j;

    if (i - j >= w) {
        q = floorl(i / G) + w - floorl(w / G);
        k = floorl(j / G);
    }
    return q - k;
}

long double oracle_temperature(int kind, double scale, int64_t length,
                               int64_t p)
{
    long double L = length, x = (long double)p + 1;

    if (kind == ORACLE_LLAMA4)
        return 1 + scale * logl(floorl(x / L) + 1);
    if (kind == ORACLE_MINISTRAL)
        return 1 + scale * logl(1 + floorl(p / L));
    if (kind == ORACLE_LOGN)
        return fmaxl(1, logl(x) / logl(L));
    return 1 + scale * logl(fmaxl(1, x / L));
}
