/*
 * eigenspace.c - choose what an eigenvalue problem leaves open: the sign of
 * each eigenvector, and the basis of an eigenspace of more dimensions.
 */
#include "graph.h"
#include <math.h>

/* Magnitudes this close, relative to the largest, count as equal. */
static const double TIE = 1e-9;

void lct_eigenvector_sign(double *v, int64_t n)
{
    double largest = 0;
    int64_t i = 0;

    for (int64_t k = 0; k < n; k++)
        largest = fmax(largest, fabs(v[k]));
    while (i < n && fabs(v[i]) < (1 - TIE) * largest)
        i++;
    if (i == n || v[i] >= 0)
        return;
    for (int64_t k = 0; k < n; k++)
        v[k] = 0 - v[k]; /* never -0 */
}

/* Squared length of the node's projection on rows from .. to - 1. */
static double square_at(const struct lct_spectrum *s, int64_t from, int64_t to,
                        int64_t node)
{
    double sum = 0;

    for (int64_t r = from; r < to; r++)
        sum += s->vectors[r * s->N + node] * s->vectors[r * s->N + node];
    return sum;
}

/*
 * The first node whose squared length is at least 0.37 of the mean.  There is
 * one, since one is at least the mean.  No node of a symmetric graph has 0.37
 * of the mean exactly, so rounding does not decide.
 */
static int64_t find_pivot(const struct lct_spectrum *s, int64_t from,
                          int64_t to)
{
    double least = 0.37 * (double)(to - from) / (double)s->N;
    int64_t node = 0;

    while (node < s->N - 1 && square_at(s, from, to, node) < least)
        node++;
    return node;
}

/*
 * Apply the Householder reflection to rows from .. to - 1 after which only the
 * first row is not 0 at 'node'.  This row is then the normalised projection of
 * the node's unit vector.
 */
static void reflect(struct lct_spectrum *s, int64_t from, int64_t to,
                    int64_t node)
{
    int64_t N = s->N;
    double *rows = s->vectors, head = rows[from * N + node];
    double length = sqrt(square_at(s, from, to, node));
    double pivot = head + (head < 0 ? -length : length);
    double scale = 1 / (length * (length + fabs(head)));

    for (int64_t k = 0; k < N; k++) {
        double dot = pivot * rows[from * N + k];

        if (k == node) /* holds the vector of the reflection */
            continue;
        for (int64_t r = from + 1; r < to; r++)
            dot += rows[r * N + node] * rows[r * N + k];
        rows[from * N + k] -= scale * dot * pivot;
        for (int64_t r = from + 1; r < to; r++)
            rows[r * N + k] -= scale * dot * rows[r * N + node];
    }
    rows[from * N + node] = head < 0 ? length : -length;
    for (int64_t r = from + 1; r < to; r++)
        rows[r * N + node] = 0;
}

void lct_eigenspace_fix(struct lct_spectrum *s, int64_t from, int64_t to)
{
    for (; from < to - 1; from++)
        reflect(s, from, to, find_pivot(s, from, to));
}
