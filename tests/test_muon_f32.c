/* test_muon_f32.c - the optimiser Muon in float, on every instruction set */
/* needs: lab */
#include "muon_case.h"

/* those of the lab's models; odd ones */
static const int64_t sizes[][2] = { { 64, 64 }, { 64, 256 }, { 256, 64 },
                                    { 64, 16 }, { 1, 7 },    { 37, 70 },
                                    { 70, 37 } };

/*
 * The bound of muon_case.h takes every rounding of a sum at its worst.  They
 * are as good as independent, so n of them add up as sqrt(n): the bound has
 * sqrt(n s) in place of n s.  It is 2 % of the norm of a step, and the error of
 * one multiplication left out is of the order of that norm.
 */
static void check(int64_t in, int64_t out)
{
    const double u = 0x1p-24, n = (double)(in * out);
    const struct lct_muon o = { 1, .95, .1 };
    FREED_BY(muon_drop) struct muon_case c;
    const double shape = sqrt(fmax(1, (double)out / (double)in));
    double bound = 0;

    muon_make(&c, in, out);
    for (int step = 0; step < MUON_STEPS; step++) {
        muon_draw(&c, 1e-2);
        muon_step(&c, &o);
        bound += shape * 40000 * sqrt(n) * u + 10 * sqrt(n) * u;
        if (!(muon_difference(&c) <= bound))
            FAIL("%dx%d on %s, step %d: off by %g, at most %g", (int)in,
                 (int)out, locant_isa(), step, muon_difference(&c), bound);
    }
}

TEST(matches_the_oracle_on_every_instruction_set)
{
    const char *isa;
    int available;

    for (int k = 0; (isa = locant_isa_at(k, &available)) != NULL; k++) {
        if (!available)
            continue;
        CHECK_OK(locant_set_isa(isa));
        for (size_t i = 0; i < LEN(sizes); i++)
            check(sizes[i][0], sizes[i][1]);
    }
    CHECK_OK(locant_set_isa(NULL));
}
