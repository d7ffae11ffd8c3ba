/* test_positions.c - ids of padded and packed rows, patches, M-RoPE */
#include "testing.h"
#include "oracle/positions.h"
#include <math.h>
#include <string.h>

enum { MOST = 64 };

/* Guarded I64 of these values; NULL: left at zero. */
static locant_tensor ids(int rank, const int64_t *shape, const int64_t *values)
{
    locant_tensor t = test_tensor(LOCANT_I64, rank, shape);
    size_t n = 1;

    for (int i = 0; i < rank; i++)
        n *= (size_t)shape[i];
    if (values != NULL)
        memcpy(t.data, values, n * sizeof(*values));
    return t;
}

static locant_tensor row_of(int64_t n, const int64_t *values)
{
    return ids(2, (const int64_t[]){ 1, n }, values);
}

static int64_t at(const locant_tensor *t, int64_t i)
{
    return ((const int64_t *)t->data)[i];
}

static void expect(const locant_tensor *got, const int64_t *want, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (at(got, i) != want[i])
            FAIL("element %lld: got %lld, want %lld", (long long)i,
                 (long long)at(got, i), (long long)want[i]);
}

/* ----------------------------------------------------------------- padding */

static void check_form(const int64_t *in, int64_t n, int by_mask, int64_t first,
                       int64_t pad, const int64_t *want)
{
    locant_tensor x = row_of(n, in), out = row_of(n, NULL);

    test_guarded_readonly(x.data, (size_t)n * sizeof(int64_t));
    if (by_mask)
        CHECK_OK(locant_positions_from_mask(&out, &x, first, pad));
    else
        CHECK_OK(locant_positions_from_tokens(&out, &x, pad, first, pad));
    expect(&out, want, n);
    test_tensor_free(&x);
    test_tensor_free(&out);
}

/* encodings.md section 2, index examples. */
TEST(forms_match_their_models)
{
    static const int64_t mask[] = { 0, 0, 1, 1, 1 };
    static const int64_t tokens[] = { 0, 5, 6, 2, 1, 1 };

    check_form(mask, 5, 1, 0, 1, (const int64_t[]){ 1, 1, 0, 1, 2 });
    check_form(mask, 5, 1, 0, 0, (const int64_t[]){ 0, 0, 0, 1, 2 });
    check_form(mask, 5, 1, 2, 1, (const int64_t[]){ 1, 1, 2, 3, 4 });
    check_form(tokens, 6, 0, 2, 1, (const int64_t[]){ 2, 3, 4, 5, 1, 1 });
}

/* Any mask, of both dtypes, in rows with a gap between them. */
TEST(masks_are_counted)
{
    for (int round = 0; round < 300; round++) {
        int64_t B = test_range(0, 4), S = test_range(0, MOST);
        int64_t first = test_range(-5, 5), pad = test_range(-5, 5);
        const int64_t shape[] = { B, S + 3 };
        locant_dtype dtype = test_range(0, 1) ? LOCANT_I32 : LOCANT_I64;
        OWNED(locant_tensor) mask = test_tensor(dtype, 2, shape);
        locant_tensor out = ids(2, shape, NULL);
        int one[4][MOST + 3];

        for (int64_t b = 0; b < B; b++)
            for (int64_t s = 0; s < S + 3; s++) {
                int64_t i = b * (S + 3) + s;

                one[b][s] = (int)test_range(0, 1);
                if (dtype == LOCANT_I32)
                    ((int32_t *)mask.data)[i] = one[b][s];
                else
                    ((int64_t *)mask.data)[i] = one[b][s];
                ((int64_t *)out.data)[i] = 77;
            }
        mask.shape[1] = out.shape[1] = S;
        CHECK_OK(locant_positions_from_mask(&out, &mask, first, pad));
        for (int64_t b = 0; b < B; b++)
            for (int64_t s = 0; s < S + 3; s++) {
                int64_t got = at(&out, b * (S + 3) + s);

                CHECK(got ==
                      (s < S ? oracle_mask_id(one[b], s, first, pad) : 77));
            }
        mask.shape[1] = out.shape[1] = S + 3;
        test_tensor_free(&out);
    }
}

/* The ids of a row do not depend on where its pads stand. */
TEST(pads_do_not_move_tokens)
{
    for (int64_t left = 0; left <= 7; left++) {
        locant_tensor x = row_of(12, NULL), out = row_of(12, NULL);

        for (int64_t s = 0; s < 12; s++)
            ((int64_t *)x.data)[s] = s >= left && s < left + 5;
        CHECK_OK(locant_positions_from_mask(&out, &x, 0, 0));
        for (int64_t s = 0; s < 5; s++)
            CHECK(at(&out, left + s) == s);
        test_tensor_free(&x);
        test_tensor_free(&out);
    }
}

TEST(masks_refuse_bad_arguments)
{
    static const int64_t bad[] = { 0, 1, 5 };
    locant_tensor x = row_of(3, bad), out = row_of(3, bad), view;

    REFUSES(PARAM, locant_positions_from_mask(&out, &x, 0, 0),
            "mask[0, 2] is 5, expected 0 or 1");
    REFUSES(PARAM, locant_positions_from_mask(&out, &x, INT64_MAX - 2, 0),
            "first is 9223372036854775805, expected at most 2^63 - 1 - 3, "
            "the number of positions");
    REFUSES(NULL, locant_positions_from_mask(&out, NULL, 0, 0), "mask is NULL");
    REFUSES(ALIAS, locant_positions_from_mask(&x, &x, 0, 0),
            "an output overlaps an input");
    view = out;
    view.shape[1] = 2;
    REFUSES(SHAPE, locant_positions_from_tokens(&view, &x, 1, 0, 0),
            "tokens has size 3 in dimension 1, expected 2");
    view = out;
    view.dtype = LOCANT_I32;
    REFUSES(DTYPE, locant_positions_from_mask(&view, &x, 0, 0),
            "out is i32, expected i64");
    expect(&out, bad, 3);
    test_tensor_free(&x);
    test_tensor_free(&out);
}

/* ----------------------------------------------------------------- packing */

static void verify(const locant_tensor *p, const locant_tensor *d,
                   const int64_t *lengths, int64_t n, int64_t T)
{
    for (int64_t t = 0; t < T; t++) {
        int64_t document, position;

        oracle_document(&document, &position, lengths, n, t);
        CHECK(at(p, t) == position);
        CHECK(at(d, t) == document);
    }
}

static void check_documents(const int64_t *lengths, int64_t n, int64_t T)
{
    int64_t offsets[MOST + 1] = { 0 };
    locant_tensor given = ids(1, &n, lengths), starts;
    locant_tensor p = ids(1, &T, NULL), d = ids(1, &T, NULL);

    for (int64_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + lengths[i];
    starts = ids(1, (const int64_t[]){ n + 1 }, offsets);
    CHECK_OK(locant_positions_from_lengths(&p, &d, &given));
    verify(&p, &d, lengths, n, T);
    memset(p.data, -1, (size_t)T * sizeof(int64_t));
    memset(d.data, -2, (size_t)T * sizeof(int64_t));
    CHECK_OK(locant_positions_from_lengths(&p, NULL, &given));
    CHECK_OK(locant_positions_from_offsets(NULL, &d, &starts));
    verify(&p, &d, lengths, n, T);
    memset(p.data, -1, (size_t)T * sizeof(int64_t));
    memset(d.data, -2, (size_t)T * sizeof(int64_t));
    CHECK_OK(locant_positions_from_offsets(&p, NULL, &starts));
    CHECK_OK(locant_positions_from_lengths(NULL, &d, &given));
    verify(&p, &d, lengths, n, T);
    test_tensor_free(&starts);
    test_tensor_free(&given);
    test_tensor_free(&p);
    test_tensor_free(&d);
}

TEST(documents_restart)
{
    check_documents(NULL, 0, 0);
    check_documents(NULL, 0, 3);
    check_documents((const int64_t[]){ 0, 0 }, 2, 0);
    for (int round = 0; round < 200; round++) {
        int64_t lengths[MOST], n = test_range(0, 8), T = 0;

        for (int64_t d = 0; d < n; d++)
            T += lengths[d] = test_range(0, 5);
        check_documents(lengths, n, T + test_range(0, 3));
    }
}

TEST(documents_refuse_bad_arguments)
{
    static const int64_t kept[] = { 7, 7, 7, 7 };
    const int64_t four = 4, two = 2, none = 0;
    locant_tensor p = ids(1, &four, kept);
    locant_tensor x = ids(1, &two, (const int64_t[]){ 2, 3 });
    locant_tensor empty = ids(1, &none, NULL);

    REFUSES(PARAM, locant_positions_from_lengths(&p, NULL, &x),
            "lengths[0] to lengths[1] need more than the 4 tokens of the row");
    REFUSES(NULL, locant_positions_from_lengths(NULL, NULL, &x),
            "positions and documents are NULL, expected at least one");
    REFUSES(PARAM, locant_positions_from_offsets(&p, NULL, &x),
            "offsets[0] is 2, expected 0");
    REFUSES(SHAPE, locant_positions_from_offsets(&p, NULL, &empty),
            "offsets has size 0 in dimension 0, expected at least 1");
    ((int64_t *)x.data)[0] = 0;
    ((int64_t *)x.data)[1] = INT64_MAX;
    REFUSES(PARAM, locant_positions_from_offsets(&p, NULL, &x),
            "offsets[1] is 9223372036854775807, expected 0 to 4");
    ((int64_t *)x.data)[1] = -3;
    REFUSES(PARAM, locant_positions_from_offsets(&p, NULL, &x),
            "offsets[1] is -3, expected 0 to 4");
    ((int64_t *)x.data)[1] = INT64_MAX;
    ((int64_t *)x.data)[0] = 1;
    REFUSES(PARAM, locant_positions_from_lengths(&p, NULL, &x),
            "lengths[0] to lengths[1] need more than the 4 tokens of the row");
    ((int64_t *)x.data)[1] = -1;
    REFUSES(PARAM, locant_positions_from_lengths(&p, NULL, &x),
            "lengths[1] is -1, expected at least 0");
    expect(&p, kept, 4);
    test_tensor_free(&empty);
    test_tensor_free(&x);
    test_tensor_free(&p);
}

static void check_packing(const int64_t *p, int64_t n, int want,
                          const int64_t *documents)
{
    locant_tensor x = row_of(n, p), d = row_of(n, NULL);
    int packed = 2;

    CHECK_OK(locant_positions_packing(&d, &packed, &x));
    CHECK(packed == want);
    expect(&d, documents, n);
    packed = 2;
    CHECK_OK(locant_positions_packing(NULL, &packed, &x));
    CHECK(packed == want);
    test_tensor_free(&x);
    test_tensor_free(&d);
}

/* The example of transformers' own comment, one row, left padding, extremes. */
TEST(packing_is_found_as_transformers_does)
{
    static const int64_t top[] = { INT64_MAX, INT64_MIN };
    locant_tensor x = row_of(1, NULL);

    check_packing((const int64_t[]){ 0, 1, 0, 1, 2, 0 }, 6, 1,
                  (const int64_t[]){ 0, 0, 1, 1, 1, 2 });
    check_packing((const int64_t[]){ 7, 8, 9 }, 3, 0,
                  (const int64_t[]){ 0, 0, 0 });
    check_packing((const int64_t[]){ 1, 1, 0, 1, 2 }, 5, 1,
                  (const int64_t[]){ 0, 1, 2, 2, 2 });
    check_packing(top, 2, 1, (const int64_t[]){ 0, 1 });
    check_packing(NULL, 0, 0, NULL);
    REFUSES(NULL, locant_positions_packing(NULL, NULL, &x), "packed is NULL");
    test_tensor_free(&x);
}

/* One packed row makes the batch packed, wherever it stands. */
TEST(packing_is_of_the_batch)
{
    static const int64_t two[] = { 0, 1, 0, 0, 1, 2 }; /* 0 1 | 0, 0 1 2 */
    locant_tensor x = ids(2, (const int64_t[]){ 2, 3 }, two);
    locant_tensor d = ids(2, (const int64_t[]){ 2, 3 }, NULL);
    int packed = 0;

    CHECK_OK(locant_positions_packing(&d, &packed, &x));
    CHECK(packed == 1);
    expect(&d, (const int64_t[]){ 0, 0, 1, 0, 0, 0 }, 6);
    test_tensor_free(&x);
    test_tensor_free(&d);
}

/* Packed rows are found again, but for documents of no token. */
TEST(packing_undoes_lengths)
{
    for (int round = 0; round < 100; round++) {
        int64_t lengths[MOST], n = test_range(1, 8), T = 0;
        locant_tensor given, p, d, found;
        int packed;

        for (int64_t i = 0; i < n; i++)
            T += lengths[i] = test_range(1, 5);
        given = ids(1, &n, lengths);
        p = row_of(T, NULL);
        d = ids(1, &T, NULL);
        found = row_of(T, NULL);
        p.rank = 1;
        p.shape[0] = T;
        p.stride[0] = 1;
        CHECK_OK(locant_positions_from_lengths(&p, &d, &given));
        p = locant_dense(p.data, LOCANT_I64, 2, found.shape);
        CHECK_OK(locant_positions_packing(&found, &packed, &p));
        CHECK(packed == (n > 1));
        expect(&found, d.data, T);
        test_tensor_free(&given);
        test_tensor_free(&p);
        test_tensor_free(&d);
        test_tensor_free(&found);
    }
}
