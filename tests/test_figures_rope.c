/*
 * test_figures_rope.c - the figures of theory show the numbers of theory: each
 * taken by name, of a rope with heads of 32 channels.
 */
/* needs: lab */
#include "testing.h"

#include "measure/rope_theory.h"
#include "locant/figure.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 129, LINES = 5 };

/* What a figure held, copied. */
struct shown {
    int taken;
    size_t lines, n[LINES], marks;
    char label[LINES][48];
    double x[LINES][POINTS], y[LINES][POINTS], band[LINES];
    double mark[3];
};

static locant_status take(const locant_figure *f, const char *alt,
                          const char *caption, void *context)
{
    struct shown *s = context;

    CHECK(alt[0] && strstr(caption, "arXiv:"));
    CHECK(f->n_series <= LINES && f->n_marks <= 3);
    s->taken++;
    s->lines = f->n_series;
    s->marks = f->n_marks;
    for (size_t i = 0; i < f->n_series; i++) {
        const locant_series *l = &f->series[i];

        CHECK(l->n <= POINTS);
        CHECK(l->label == NULL || l->label_zh != NULL);
        s->n[i] = l->n;
        snprintf(s->label[i], sizeof s->label[i], "%s",
                 l->label ? l->label : "");
        memcpy(s->x[i], l->x, l->n * sizeof *l->x);
        memcpy(s->y[i], l->y, l->n * sizeof *l->y);
        s->band[i] = l->high ? l->high[0] - l->y[0] : 0;
    }
    for (size_t i = 0; i < f->n_marks; i++)
        s->mark[i] = f->marks[i].x;
    return LOCANT_OK;
}

static struct shown show(const char *name, const char *spec)
{
    locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    struct shown s = { .taken = 0 };
    locant_encoding *e;

    view.width = 128;
    view.heads = 4;
    view.length = 2048;
    e = test_create(spec);
    CHECK_OK(locant_figure_of_encoding(name, e, &view, take, &s));
    CHECK(s.taken == 1);
    locant_encoding_free(e);
    return s;
}

static void near_to(double got, double want, double most)
{
    if (!(fabs(got - want) <= most))
        FAIL("got %.9g, want %.9g within %g\n", got, want, most);
}

/*
 * Angles come rounded to float, 2^-24 of themselves; at distance 2048 that
 * moves each of 16 unit vectors by at most 2048 2^-24 = 1.2e-4.
 */
TEST(scores_and_bounds)
{
    const struct shown e = show("expected", "rope"),
                       su = show("su-bound", "rope");

    CHECK(e.lines == 4 && e.x[0][8] == 128 && e.y[0][0] == 1);
    for (int i = 0; i < POINTS; i++)
        CHECK(e.y[1][i] == 0 && e.y[2][i] == e.y[0][i]);
    CHECK(e.band[0] == 0);
    near_to(e.band[1], 1 / sqrt(32), 1e-15);
    near_to(e.band[2], 2 * sqrt(16) / 32, 1e-15);
    assert_string_equal(e.label[3], "key chosen for distance 128");
    for (int i = 0; i < POINTS; i++)
        CHECK(i == 8 ? e.y[3][i] == 1 : e.y[3][i] < .8);
    CHECK(su.lines == 1);
    near_to(su.y[0][0], 8.5, 1e-12);
    near_to(su.y[0][8], 3.42, .005 + 16 * 1.2e-4);
    near_to(su.y[0][64], 1.82, .005 + 16 * 1.2e-4);
    near_to(su.y[0][128], 2.38, .005 + 16 * 1.2e-4);
}

TEST(bounds_between_positions)
{
    const struct shown s = show("pi-bounds", "rope");

    CHECK(s.lines == 3 && s.x[0][32] == .5);
    near_to(s.y[0][32], .1086, .0001);
    near_to(s.y[2][32], .1799, .0001);
    for (int i = 1; i < 64; i++)
        CHECK(s.y[0][i] < s.y[2][i] && s.y[2][i] < s.y[1][i]);
}

/* How many pairs turn, as the figure says. */
static const char *find_turning(const char *spec)
{
    static char number[48];
    const struct shown s = show("turns", spec);

    snprintf(number, sizeof number, "%s", s.label[s.lines - 1]);
    CHECK(strstr(number, " of 16 pairs complete a turn"));
    number[strcspn(number, " ")] = '\0';
    return number;
}

/* Pairs 0; 1 to 5; 6 to 15: beta 32 and alpha 1 at 128, as in the ramps. */
TEST(wavelengths_by_what_yarn_does)
{
    const struct shown s = show("turns", "rope");

    CHECK(s.lines == 4 && s.n[0] == 1 && s.n[1] == 5 && s.n[2] == 10);
    assert_string_equal(s.label[3], "6 of 16 pairs complete a turn");
    CHECK(s.n[3] == 2 && s.y[3][0] == 5.5 && s.y[3][1] == 5.5);
    assert_string_equal(find_turning("rope(base=128)"), "10");
    assert_string_equal(find_turning("rope(base=500)"), "8");
    CHECK(s.y[1][0] == 1 && s.y[2][9] == 15);
    near_to(s.x[0][0], 6.283185, 1e-5);
    CHECK(s.marks == 3 && s.mark[0] == 4 && s.mark[1] == 128 &&
          s.mark[2] == 512);
}

TEST(sums_of_cosines)
{
    const struct shown s = show("base-bound", "rope");
    double least[3] = { 99, 99, 99 };

    CHECK(s.lines == 5 && s.n[0] == 129);
    assert_string_equal(s.label[3], "fitted base 114");
    assert_string_equal(s.label[0], "base 10000");
    assert_string_equal(s.label[1], "smallest base 1031");
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 128; m++)
            least[k] = fmin(least[k], s.y[k][m]);
    CHECK(s.y[0][0] == 16 && least[1] >= 0 && least[2] < 0);
    assert_string_equal(show("base-bound", "rope(base=128)").label[0],
                        "base 128");
    assert_string_equal(show("base-bound", "rope(base=500000)").label[0],
                        "base 500000");
}

/* Bounds in the base are for angles that have one. */
TEST(no_base_no_bound)
{
    locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    struct shown s = { .taken = 0 };
    locant_encoding *e;

    view.width = 128;
    e = test_create("rope(scaling=yarn(factor=4,original=128))");
    CHECK(locant_figure_of_encoding("pi-bounds", e, &view, take, &s) ==
          LOCANT_ERR_PARAM);
    CHECK_OK(locant_figure_of_encoding("su-bound", e, &view, take, &s));
    CHECK(s.taken == 1);
    locant_encoding_free(e);
}
