/* identify_weights.c - which permutation of channels lies between the same
 * weights of two files */
#include "identify_rotation.h"
#include "convert_rows.h"
#include <math.h>
#include <string.h>

/* Rows of two files, and a guess of the order. */
struct weights {
    const double *a, *b;
    int64_t rows, columns;
};

/* Row i of b equals row j of a, up to a quantisation. */
static bool same(const struct weights *w, int64_t i, int64_t j)
{
    const double *b = w->b + i * w->columns, *a = w->a + j * w->columns;
    double apart = 0, size = 0;

    for (int64_t c = 0; c < w->columns; c++) {
        apart += (a[c] - b[c]) * (a[c] - b[c]);
        size += a[c] * a[c] + b[c] * b[c];
    }
    return apart <= 0.03 * size;
}

/* Is b in the order of the layout, where a is in the other one? */
static bool ordered(const struct weights *w, int64_t head,
                    const struct lct_layout *l)
{
    const struct lct_convert_rows heads = { .parts = 1,
                                            .rotated = 1,
                                            .width = head,
                                            .first = l->first,
                                            .dims = l->width };

    for (int64_t i = 0; i < w->rows; i++) {
        const int64_t to = lct_convert_rows_source(&heads, i, true);

        if (!(l->interleaved ? same(w, i, to) : same(w, to, i)))
            return false;
    }
    return true;
}

static void add(locant_identity *out, int *found, int64_t head,
                const struct lct_layout *l)
{
    const char *way =
        l->interleaved ? "half to interleaved" : "interleaved to half";
    char beside[256] = "";

    LCT_APPEND(beside, "%lld %schannels of heads of %lld", (long long)l->width,
               l->width == head ? ""
               : l->first > 0   ? "trailing "
                                : "leading ",
               (long long)head);
    lct_identify_remains(out, "%s: %s", way, beside);
    if ((*found)++ > 0)
        return;
    LCT_APPEND(out->spec, "%s", way);
    LCT_APPEND(out->beside, "%s", beside);
}

/* All layouts of one head width.  A width of 2 changes nothing. */
static void try_head(locant_identity *out, int *found, const struct weights *w,
                     int64_t head)
{
    for (int64_t width = 4; width <= head; width += 2)
        for (int i = 0; i < (width == head ? 2 : 4); i++) {
            struct lct_layout l = { i % 2 == 0, i < 2 ? 0 : head - width,
                                    width };

            if (ordered(w, head, &l))
                add(out, found, head, &l);
        }
}

static bool all_same(const struct weights *w)
{
    for (int64_t i = 0; i < w->rows; i++)
        if (!same(w, i, i))
            return false;
    return true;
}

static void identify(locant_identity *out, const struct weights *w,
                     int64_t head_dim)
{
    int found = 0;

    for (int64_t head = 4; head <= w->rows; head++)
        if (w->rows % head == 0 && (head_dim == 0 || head == head_dim))
            try_head(out, &found, w, head);
    if (all_same(w)) {
        lct_identify_remains(out, "same");
        out->spec[0] = out->beside[0] = 0;
        LCT_APPEND(out->spec, "same");
        found++;
    }
    lct_identify_verdict(out, found);
    if (found > 1)
        LCT_APPEND(out->note, "Equal rows, or a width of 4, whose order is its "
                              "own inverse, leave a choice.");
    if (found == 0)
        LCT_APPEND(out->note,
                   "The rows of the second are not those of the first "
                   "in the order of another pairing.");
}

locant_status locant_identify_weights(locant_identity *out,
                                      const locant_tensor *a,
                                      const locant_tensor *b, int64_t head_dim)
{
    const char *fn = "locant_identify_weights";
    double *of_a = NULL, *of_b = NULL;
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_TRY(lct_identify_check(fn, "a", a));
    LCT_TRY(lct_identify_same(fn, "b", b, "a", a));
    lct_identity_begin(out);
    if (head_dim < 0 || (head_dim > 0 && a->shape[0] % head_dim != 0))
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: head_dim is %lld, expected a divisor of the "
                           "%lld rows, or 0",
                           fn, (long long)head_dim, (long long)a->shape[0]);
    s = lct_identify_read(&of_a, fn, "a", a, false);
    if (s == LOCANT_OK)
        s = lct_identify_read(&of_b, fn, "b", b, false);
    if (s == LOCANT_OK) {
        struct weights w = { of_a, of_b, a->shape[0],
                             (int64_t)lct_identify_elements(a) / a->shape[0] };

        identify(out, &w, head_dim);
    }
    locant_release(of_a);
    locant_release(of_b);
    return s;
}
