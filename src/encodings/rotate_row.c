/* rotate_row.c - rotate rows, and the cosines and sines of positions */
#include "rotate.h"

/* The part of r that follows 'pairs' pairs. */
static void skip_band(struct lct_rope *r, size_t pairs)
{
    size_t bytes = 2 * pairs * (r->kind == LCT_STORED_F32 ? 4 : 2);

    r->out = (char *)r->out + bytes;
    r->x = (const char *)r->x + bytes;
    r->cosines += pairs;
    r->sines += pairs;
}

/* The pair lies in the first band that is not over. */
void lct_rotate_channels(int64_t out[2], const struct lct_schedule *s,
                         int64_t c)
{
    int64_t start = s->first, half = s->pairs;

    for (int b = 0; b < s->bands; b++) {
        half = s->band[b];
        if (c < half)
            break;
        c -= half;
        start += 2 * half;
    }
    out[0] = start + (s->pairing == LCT_INTERLEAVED ? 2 * c : c);
    out[1] = out[0] + (s->pairing == LCT_INTERLEAVED ? 1 : half);
}

void lct_rotate_bands(const struct lct_rope *r, const struct lct_schedule *s,
                      const struct lct_kernels *k)
{
    struct lct_rope band = *r;

    if (s->bands == 0)
        k->rope(r);
    for (int i = 0; i < s->bands; i++) {
        band.pairs = (size_t)s->band[i];
        if (band.pairs > 0)
            k->rope(&band);
        skip_band(&band, band.pairs);
    }
}

void lct_rotate_tile(const struct lct_rotated_rows *r,
                     const struct lct_schedule *s, const struct lct_kernels *k)
{
    const ptrdiff_t size = sizeof(float);
    const struct lct_rope rope = { .out = r->out + s->first,
                                   .x = r->x + s->first,
                                   .out_row = r->out_row * size,
                                   .x_row = r->x_row * size,
                                   .cosines = r->cosines,
                                   .sines = r->sines,
                                   .table_row = (size_t)s->pairs,
                                   .rows = (size_t)r->rows,
                                   .heads = 1,
                                   .pairs = (size_t)s->pairs,
                                   .kind = LCT_STORED_F32,
                                   .interleaved = s->pairing == LCT_INTERLEAVED,
                                   .sign = r->sign };

    lct_rotate_bands(&rope, s, k);
}

static void rotate_pair(double *a, double *b, double cosine, double sine)
{
    double x = *a, y = *b;

    *a = x * cosine - y * sine;
    *b = x * sine + y * cosine;
}

/* 'pairs' pairs that lie in one band. */
static void rotate_band_f64(double *row, int64_t pairs,
                            enum lct_pairing pairing, struct lct_table by,
                            double sign)
{
    const double *cosines = by.cosines, *sines = by.sines;
    const float *narrow_cos = by.cosines, *narrow_sin = by.sines;

    for (int64_t c = 0; c < pairs; c++) {
        double *a = row + (pairing == LCT_HALF ? c : 2 * c);
        double *b = row + (pairing == LCT_HALF ? c + pairs : 2 * c + 1);

        if (by.wide)
            rotate_pair(a, b, cosines[c], sines[c] * sign);
        else
            rotate_pair(a, b, narrow_cos[c], narrow_sin[c] * sign);
    }
}

void lct_rotate_row_f64(double *row, const struct lct_schedule *s,
                        struct lct_table by, double sign)
{
    row += s->first;
    if (s->bands == 0)
        rotate_band_f64(row, s->pairs, s->pairing, by, sign);
    for (int i = 0; i < s->bands; i++) {
        rotate_band_f64(row, s->band[i], s->pairing, by, sign);
        row += 2 * s->band[i];
        by = lct_table_at(by, (size_t)s->band[i]);
    }
}

enum { CHUNK = 512 };

void lct_rotate_angles(struct lct_table out, const struct lct_schedule *s,
                       const locant_encoding *e, const int64_t *pos,
                       const double *coords, size_t n)
{
    double local[CHUNK * LCT_MOST_AXES];

    if (coords != NULL || s->axes == 1) {
        lct_schedule_fill(out, s, coords == NULL ? pos : NULL, coords, n);
        return;
    }
    for (size_t t = 0; t < n; t += CHUNK) {
        size_t rows = n - t < CHUNK ? n - t : CHUNK;

        for (size_t i = 0; i < rows; i++)
            e->row->positions.coordinates(local + i * (size_t)s->axes, e,
                                          pos[t + i]);
        lct_schedule_fill(lct_table_at(out, t * (size_t)s->pairs), s, NULL,
                          local, rows);
    }
}

void lct_places_angles(struct lct_table out, const void *places, size_t first,
                       size_t n)
{
    const struct lct_places *p = places;
    size_t pairs = (size_t)p->s->pairs, end = first + n;

    for (size_t rows; first < end; first += rows) {
        const struct lct_schedule *s = p->by == NULL ? p->s : p->by[first];

        for (rows = p->by == NULL ? n : 1;
             first + rows < end && p->by[first + rows] == s; rows++)
            ;
        lct_rotate_angles(
            out, s, p->e, p->pos == NULL ? NULL : p->pos + first,
            p->coords == NULL ? NULL : p->coords + first * (size_t)s->axes,
            rows);
        out = lct_table_at(out, rows * pairs);
    }
}

void lct_rotate_angle(double *cos_out, double *sin_out, struct lct_phase f,
                      const struct lct_point *at)
{
    struct lct_reduced x = at->coords != NULL
                               ? lct_reduce_real(f, at->coords[0])
                               : lct_reduce(f, at->pos);

    lct_reduced_cos_sin(cos_out, sin_out, &x, 1);
}
