/*
 * test_figure_terms.c - the four terms of Transformer-XL's scores: each has the
 * form that section 3.3 gives it, and with what stands beside them they add up
 * to the score, which is computed apart from them.
 */
/* needs: lab */
#include "testing.h"

#include "locant/figure.h"
#include <math.h>
#include <string.h>

enum { N = 16, STEP = N + 1, SIDE = 3 * STEP - 1 };

struct shown {
    int taken;
    double cells[SIDE * SIDE];
};

static locant_status take(const locant_figure *f, const char *alt,
                          const char *caption, void *context)
{
    struct shown *s = context;

    CHECK(alt[0] && strstr(caption, "arXiv:1901.02860"));
    CHECK(strcmp(f->name, "terms") == 0 && f->title_zh && f->x_label_zh);
    CHECK(f->rows == SIDE && f->cols == SIDE && f->diverging);
    memcpy(s->cells, f->cells, sizeof s->cells);
    s->taken++;
    return LOCANT_OK;
}

static locant_status draw(struct shown *s, const char *spec, int head)
{
    locant_figure_view view = LOCANT_FIGURE_VIEW_INIT;
    locant_encoding *e;
    locant_status status;

    s->taken = 0;
    view.head = head;
    e = test_create(spec);
    status = locant_figure_of_encoding("terms", e, &view, take, s);
    locant_encoding_free(e);
    return status;
}

/* Query i and key j in the map of that place. */
static double at(const struct shown *s, int down, int across, int i, int j)
{
    return s->cells[(down * STEP + i) * SIDE + across * STEP + j];
}

static void near_to(double got, double want)
{
    if (!(fabs(got - want) <= 1e-9))
        FAIL("got %.12g, want %.12g\n", got, want);
}

TEST(terms_have_their_forms)
{
    static struct shown s;

    CHECK_OK(draw(&s, "transformer-xl", 2));
    CHECK(s.taken == 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if (j > i) {
                CHECK(isnan(at(&s, 0, 0, i, j)) && isnan(at(&s, 2, 2, i, j)));
                continue;
            }
            near_to(at(&s, 1, 0, i, j), at(&s, 1, 0, j, j)); /* of the key */
            near_to(at(&s, 1, 1, i, j), at(&s, 1, 1, i - j, 0));
            for (int k = 0; k < 2; k++) {
                near_to(at(&s, k, 0, i, j) + at(&s, k, 1, i, j),
                        at(&s, k, 2, i, j));
                near_to(at(&s, 0, k, i, j) + at(&s, 1, k, i, j),
                        at(&s, 2, k, i, j));
            }
            near_to(at(&s, 2, 0, i, j) + at(&s, 2, 1, i, j),
                    at(&s, 2, 2, i, j));
        }
    CHECK(fabs(at(&s, 0, 1, 9, 3) - at(&s, 0, 1, 8, 2)) > 1e-3);
    CHECK(at(&s, 1, 1, 1, 0) != 0 && at(&s, 1, 0, 1, 0) != 0);
}

TEST(heads_and_bases_differ)
{
    static struct shown one, two, slow;

    CHECK_OK(draw(&one, "transformer-xl", 1));
    CHECK_OK(draw(&two, "transformer-xl", 2));
    CHECK_OK(draw(&slow, "transformer-xl(base=100)", 1));
    CHECK(at(&one, 0, 0, 5, 2) != at(&two, 0, 0, 5, 2));
    CHECK(at(&one, 0, 0, 5, 2) == at(&slow, 0, 0, 5, 2));
    CHECK(at(&one, 1, 1, 5, 2) != at(&slow, 1, 1, 5, 2));
}

TEST(others_have_none)
{
    static struct shown s;

    CHECK_REFUSED(draw(&s, "shaw", 1), LOCANT_ERR_PARAM,
                  "locant_figure_of_encoding: 'terms' is not a figure of "
                  "shaw: it is of encodings whose scores are four "
                  "terms: transformer-xl");
    CHECK(s.taken == 0);
}
