/*
 * rope_theory.h - what theory says of rotary positions, without training.
 *
 * f_j are the angles per position of the pairs of one head, fastest first; for
 * RoPE f_j = base^(-2j/dim) for 0 <= j < dim/2.
 */
#ifndef LCT_ROPE_THEORY_H
#define LCT_ROPE_THEORY_H
#include <stdbool.h>
#include <stdint.h>

/* The angles of one head of 'dim' channels; freq [dim/2]. */
void lct_rope_frequencies(double *freq, double base, int64_t dim);

/* ------------------------------------------------------------------- scores */

enum lct_rope_vectors {
    LCT_ROPE_ONES,        /* q = k = 1 */
    LCT_ROPE_INDEPENDENT, /* q, k ~ N(0, 1), independent */
    LCT_ROPE_SAME         /* q = k ~ N(0, 1) */
};

/*
 * Mean and standard deviation of <R(s) q, k> / dim.  With C = sum_j cos(s f_j):
 * ones 2C/dim and 0; independent 0 and dim^(-1/2), at every distance; the same
 * vector 2C/dim and 2 sqrt(sum_j cos^2(s f_j)) / dim.
 * Source: Su et al. 2021, arXiv:2104.09864, section 3.4.3, for the first;
 * Barbero et al. 2024, arXiv:2410.06205, proposition 3.2, for the second.
 */
struct lct_rope_score {
    double mean, deviation;
};
struct lct_rope_score lct_rope_expected(enum lct_rope_vectors kind,
                                        const double *freq, int64_t pairs,
                                        double s);

/*
 * (1/pairs) sum_{j=1..pairs} |S_j(s)|, S_j(s) = sum_{i<j} e^{i s f_i}: the
 * factor of max |h_{j+1} - h_j| in the bound of a score. It is not monotonic in
 * s. Source: Su et al. 2021, arXiv:2104.09864, eq. (37).
 */
double lct_rope_su_bound(const double *freq, int64_t pairs, double s);

/* ------------------------------------------------------------ interpolation */

/*
 * Bounds of a(s) = Re sum_j h_j e^{i s f_j} with max |h_j| = 1, base c:
 *
 * printed   dim (s - s1)(s2 - s) / (8 ln c): how far a(s) may be from the line
 *           through a(s1) and a(s2) by the theorem as printed
 * proved    (s - s1)(s2 - s) / 2 sum_j f_j^2: the same with the exact sum.
 *           The proof takes 1 - 4 ln c / dim as an upper bound of c^(-4/dim),
 *           but it is a lower one.  So the printed bound is too small by a
 *           factor of 1.15 at dim 128, 1.68 at dim 32 (c = 10000), and aligned
 *           h_j exceed it
 * beyond    2 sum_j |S_j(s)|: bound of |a(s)| beyond the trained distances
 *
 * Source: Chen et al. 2023, arXiv:2306.15595, theorem 2.1 and eq. (8).
 */
struct lct_pi_bounds {
    double printed, proved, beyond;
};
struct lct_pi_bounds lct_pi_bounds(double base, int64_t dim, double s,
                                   double s1, double s2);

/* ----------------------------------------------------------------- scalings */

/* A pair and its wavelengths under the scalings. YaRN keeps the share gamma of
   its frequency, and divides the rest by 'factor'. */
struct lct_rope_pair {
    double wavelength;      /* positions per rotation, 2 pi / f */
    double rotations;       /* r: rotations within the trained length */
    double gamma_rotations; /* linear in r from slow to fast: the paper */
    double gamma_index;     /* linear in the pair's index between the pairs of
                            'fast' and 'slow' rotations: the authors' code, and
                            ours */
    double pi, ntk, yarn_rotations, yarn_index; /* wavelengths; YaRN's with
                                                   either gamma */
};

/* What is scaled, and by how much. YaRN's beta and alpha, in rotations
   within the trained length, are 'fast' and 'slow'. */
struct lct_rope_setup {
    double base, factor, fast, slow;
    int64_t dim, length; /* channels of a head; trained length */
};

/*
 * out [dim/2].  PI f/factor (arXiv:2306.15595); NTK base factor^(dim/(dim-2));
 * YaRN gamma f + (1 - gamma) f/factor (arXiv:2309.00071, eq. 13, with the base
 * that was trained where eq. 17 prints b').
 */
void lct_rope_pairs(struct lct_rope_pair *out, const struct lct_rope_setup *p);

/* base factor^(dim/(dim-2)) */
double lct_ntk_base(double base, int64_t dim, double factor);

/* Number of pairs that make at least one rotation within 'length': half the
   critical dimension. */
int64_t lct_rope_rotating(const double *freq, int64_t pairs, int64_t length);

/* ------------------------------------------------------------ smallest base */

/*
 * The first base of 2, 2.1, 2.205, .. (5 % each) for which sum_j cos(m f_j) is
 * at least 0 for all 0 <= m < length; NAN if there is none up to 1e12. Larger
 * bases of the grid may fail again. Where the sum is negative, unrelated keys
 * score above equal ones. Source: Men et al. 2024, arXiv:2405.14591.
 */
double lct_smallest_base(int64_t dim, int64_t length);

/* The smallest base by a curve fitted to lengths 10^3 .. 10^6: 0.0424
   length^1.628. */
double lct_fitted_base(double length);

#endif
