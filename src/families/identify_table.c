/* identify_table.c - which sinusoids a table of positions holds */
#include "identify_rotation.h"
#include "identify_rule.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rows of the table that are not padding: row i is position i. */
static locant_status read_rows(struct lct_rows *r, locant_identity *out,
                               const locant_tensor *table)
{
    int64_t L = table->shape[0], kept = 0;
    double *row;

    r->dim = table->shape[1];
    LCT_TRY(lct_identify_read(&r->y, "locant_identify_table", "table", table,
                              false));
    r->position = locant_alloc((size_t)L * sizeof(double));
    if (r->position == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for %lld rows",
                           (long long)L);
    r->rounding = lct_identify_stored(
        out, &r->smallest, r->y, lct_identify_elements(table), table->dtype);
    for (int64_t i = 0; i < L; i++) {
        bool zero = true;

        row = r->y + i * r->dim;
        for (int64_t c = 0; c < r->dim; c++)
            zero &= row[c] == 0;
        if (zero)
            continue;
        memmove(r->y + kept * r->dim, row, (size_t)r->dim * sizeof(double));
        r->position[kept++] = (double)i;
    }
    r->n = kept;
    if (kept < L)
        LCT_APPEND(out->note, "%lld rows are zero.  ", (long long)(L - kept));
    return kept > 0 ? lct_rows_order(r) : LOCANT_OK;
}

/* Fit all pairs of (cosine, sine), whose order in the table is 'sines_first';
 * *fits becomes false if one of them does not turn forwards. */
static locant_status fit(bool *fits, struct lct_turn *turns,
                         const struct lct_rows *r, const struct lct_layout *l,
                         bool sines_first, const double *offset)
{
    LCT_TRY(lct_identify_fit(fits, turns, r, l, sines_first, offset));
    for (int64_t c = 0; c < l->width / 2 && *fits; c++)
        *fits = turns[c].f > -LCT_SIGMAS * turns[c].f_error;
    return LOCANT_OK;
}

/* A reading of the frequencies: base^(-c / (pairs - less)). */
struct reading {
    double base;
    int digits;
};

static struct reading read_powers(const struct lct_spectrum *s, int64_t less)
{
    struct lct_range b =
        lct_base_range(s, 1, s->pairs, 1, 2 * (s->pairs - less));
    struct reading out = { NAN, 99 };

    if (fabs(s->f[0] - 1) <= s->error[0] && s->pairs > less)
        out.base = lct_range_simplest(&b, &out.digits);
    return out;
}

static void name(locant_identity *out, const struct lct_spectrum *s,
                 bool sines_first)
{
    struct reading plain = read_powers(s, 0), inclusive = read_powers(s, 1);
    bool ends = inclusive.digits < plain.digits;
    bool split = !s->layout.interleaved;
    double base = ends ? inclusive.base : plain.base;
    char spec[256] = "sinusoidal(base=";

    if (isnan(base)) {
        LCT_APPEND(out->note, "Every pair is a sine and a cosine, but their "
                              "frequencies are no powers of one base.");
        LCT_APPEND(out->closest, "sinusoidal%s", split ? "(form=split)" : "");
        return;
    }
    LCT_APPEND(spec, "%.15g%s%s", base, split || ends ? ",form=split" : "",
               ends ? ",spacing=inclusive" : "");
    if (out->offset > 0)
        LCT_APPEND(spec, ",start=%.0f", out->offset);
    LCT_APPEND(spec, ")");
    if (!sines_first)
        LCT_APPEND(out->beside, "cosines first");
    if (ends && !split)
        LCT_APPEND(out->beside, "%sinterleaved", sines_first ? "" : "; ");
    if (out->offset < 0)
        LCT_APPEND(out->beside, "%spositions %+.0f",
                   out->beside[0] != 0 ? "; " : "", out->offset);
    if (s->gain != 1) {
        LCT_APPEND(out->note, "All rows are multiplied by %.6g.", s->gain);
        LCT_APPEND(out->closest, "%s", spec);
        return;
    }
    out->verdict = LOCANT_IDENTIFIED;
    LCT_APPEND(out->spec, "%s", spec);
}

static locant_status decide(locant_identity *out, struct lct_spectrum *s,
                            struct lct_turn *turns, const struct lct_rows *r,
                            bool sines_first)
{
    enum lct_offset offset = lct_identify_offset(&out->offset, turns, s->pairs);
    bool fits;

    if (offset != LCT_OFFSET_FOUND) {
        LCT_APPEND(out->note, "The angles of the first row are those of %s.",
                   offset == LCT_OFFSET_NONE ? "no whole position"
                                             : "several positions");
        out->verdict =
            offset == LCT_OFFSET_NONE ? LOCANT_NONE_OF_THESE : LOCANT_UNDECIDED;
        return LOCANT_OK;
    }
    LCT_TRY(fit(&fits, turns, r, &s->layout, sines_first, &out->offset));
    if (fits && lct_identify_spectrum(out, s, turns, r))
        name(out, s, sines_first);
    lct_identify_canonical(out->spec, sizeof(out->spec));
    lct_identify_canonical(out->closest, sizeof(out->closest));
    return LOCANT_OK;
}

static locant_status try_forms(locant_identity *out, struct lct_spectrum *s,
                               struct lct_turn *turns, const struct lct_rows *r)
{
    for (int i = 0; i < 4; i++) {
        bool sines_first = i < 2, fits;

        s->layout.interleaved = i % 2 == 0;
        LCT_TRY(fit(&fits, turns, r, &s->layout, sines_first, NULL));
        if (fits)
            return decide(out, s, turns, r, sines_first);
    }
    LCT_APPEND(out->note, "The columns are no sines and cosines of the row.");
    return LOCANT_OK;
}

static locant_status identify(locant_identity *out, struct lct_rows *r,
                              const locant_tensor *table)
{
    size_t pairs = (size_t)table->shape[1] / 2;
    struct lct_spectrum s = { .pairs = (int64_t)pairs,
                              .layout = { .width = table->shape[1] },
                              .head_dim = table->shape[1] };
    struct lct_turn *turns = NULL;
    locant_status status;

    LCT_TRY(read_rows(r, out, table));
    if (r->n == 0)
        return LOCANT_OK;
    if (lct_identify_few(r)) {
        out->verdict = LOCANT_UNDECIDED;
        LCT_APPEND(out->note, "The rows are too few or too far apart.");
        return LOCANT_OK;
    }
    turns = locant_alloc(pairs * sizeof(*turns));
    s.f = locant_alloc(2 * pairs * sizeof(double));
    s.error = s.f != NULL ? s.f + pairs : NULL;
    status = turns && s.f ? try_forms(out, &s, turns, r)
                          : locant_fail(LOCANT_ERR_NOMEM,
                                        "no memory for %zu pairs", pairs);
    locant_release(turns);
    locant_release(s.f);
    return status;
}

locant_status locant_identify_table(locant_identity *out,
                                    const locant_tensor *table)
{
    const char *fn = "locant_identify_table";
    struct lct_rows r = { 0 };
    locant_status s;

    LCT_NOT_NULL(fn, out);
    LCT_TRY(lct_identify_check(fn, "table", table));
    lct_identity_begin(out);
    if (table->rank != 2 || table->shape[1] < 4 || table->shape[1] % 2 != 0)
        return locant_fail(LOCANT_ERR_SHAPE,
                           "%s: table has rank %d and %lld columns, expected "
                           "[L, D] with D even and at least 4",
                           fn, table->rank,
                           (long long)table->shape[table->rank - 1]);
    s = identify(out, &r, table);
    lct_rows_free(&r);
    return s;
}
