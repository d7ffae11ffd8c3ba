/*
 * test_encoding_values.c - encodings as values: specs, lengths left out,
 * layers, ids, and tables resized to nothing.
 */
#include "locant/resize.h"
#include "testing.h"
#include <string.h>

/* 'n' times "1e7", which prints as "10000000". */
static void append_list(char *text, const char *key, int n)
{
    strcat(text, key);
    for (int i = 0; i < n; i++)
        strcat(text, i > 0 ? ":1e7" : "1e7");
}

/* "Parsing it gives the same encoding again" (encoding.h), at any length. */
TEST(long_canonical_specs_can_be_parsed)
{
    static char text[8192];
    locant_encoding *e, *again = NULL;
    locant_status status;

    strcpy(text, "rope(scaling=longrope(original=4096,");
    append_list(text, "short=", 512);
    append_list(text, ",long=", 480);
    strcat(text, "))");
    if (locant_encoding_create(&e, text) != LOCANT_OK)
        return; /* refusing it at once is as good */
    status = locant_encoding_create(&again, locant_encoding_spec(e));
    locant_encoding_free(again);
    locant_encoding_free(e);
    CHECK_OK(status);
}

TEST(reach_leaves_the_sentence_alone)
{
    locant_encoding *e = test_create("learned(length=4)"), *bad;
    char before[512];

    CHECK(locant_encoding_create(&bad, "frob") == LOCANT_ERR_PARAM);
    strcpy(before, locant_last_error());
    CHECK(locant_encoding_length_limit(e) == 4);
    CHECK(strcmp(before, locant_last_error()) == 0);
    locant_encoding_free(e);
}

/* Under UBSan: NaN as an integer, and INT64_MIN - 1 in the sentence. */
TEST(reach_is_0_while_the_length_is_unknown)
{
    static const char *const specs[] = { "graph", "laplacian", "random-walk",
                                         "learned" };

    for (size_t n = 0; n < LEN(specs); n++) {
        OWNED(locant_encoding) *e = test_create(specs[n]);

        CHECK(locant_encoding_length_limit(e) == 0);
    }
}

/* A size that is unknown is 0, not that of another name. */
TEST(hops_have_no_size_without_a_length)
{
    OWNED(locant_encoding) *e = test_create("graph");
    const locant_sizes sizes = { .heads = 2 };
    locant_param_info info;

    CHECK(locant_encoding_param(&info, e, 0, &sizes));
    CHECK(info.shape[0] == 0 && info.shape[1] == 0);
}

/* Shape [2, 0]: a no-op, as core.h says. */
TEST(ids_of_no_tokens_are_written)
{
    OWNED(locant_encoding) *e = test_create("randomized+rope");

    CHECK_OK(locant_encoding_ids(VIEW(I64, NULL, 2, 0), e, 1, 1));
}

/* A sum of two encodings that name things refuses in their name. */
TEST(sums_are_named_in_sentences)
{
    int64_t at = 0;
    double b;
    locant_tensor pos = DENSE(I64, &at, 1);
    OWNED(locant_encoding) *e = test_create("sinusoidal+rope");

    REFUSES(UNSUPPORTED,
            locant_encoding_bias(VIEW(F64, &b, 1, 1, 1), e, &pos, &pos, NULL),
            "sinusoidal+rope adds nothing to scores; it has no score door");
}

TEST(layers_take_any_number)
{
    OWNED(locant_encoding) *e = test_create("layers(local=rope,global=none)");

    CHECK(locant_encoding_layer(NULL, e, INT64_MAX) != NULL);
}

/* One kind draws integers, the other reals: who fills the array? */
TEST(layers_place_tokens_in_one_way)
{
    double ids[4];
    locant_encoding *e;

    if (locant_encoding_create(
            &e, "layers(local=randomized+rope,global=cape)") != LOCANT_OK)
        return; /* as of the sum of both */
    CHECK(locant_encoding_traits(e) & LOCANT_TRAIT_REAL);
    (void)!locant_encoding_ids(VIEW(F64, ids, 1, 4), e, 1, 1);
    locant_encoding_free(e);
}

/* A grid of 0 rows but 5 columns, beside a prefix that is there. */
TEST(empty_grids_are_resized_to_empty_grids)
{
    double from[2] = { 1, 2 }, to[2] = { 0, 0 };
    locant_tensor table = DENSE(F64, from, 1, 2);
    locant_tensor out = DENSE(F64, to, 1, 2);
    locant_resize how = LOCANT_RESIZE_INIT;

    how.prefix = 1;
    how.columns = 5;
    CHECK_OK(locant_resize_2d(&out, &table, &how));
    CHECK(to[0] == 1 && to[1] == 2);
    CHECK_OK(locant_resize_2d_backward(&table, &out, &how));
    CHECK(from[0] == 2 && from[1] == 4);
    how.antialias = 1;
    how.columns = 0;
    how.rows = 5;
    CHECK_OK(locant_resize_2d(&out, &table, &how));
    CHECK(to[0] == 2 && to[1] == 4);
}

/* A table with cells resized to none, and the refusal of the way back. */
TEST(grids_that_end_or_begin_empty)
{
    double a[10], b[2] = { 7, 7 };
    locant_tensor full = DENSE(F64, a, 5, 2);
    locant_tensor none = DENSE(F64, b, 1, 2);
    locant_resize how = LOCANT_RESIZE_INIT;

    for (int i = 0; i < 10; i++)
        a[i] = i + 1;
    how.prefix = 1;
    how.columns = 3;
    CHECK_OK(locant_resize_2d(&none, &full, &how));
    CHECK(b[0] == 1 && b[1] == 2);
    CHECK_OK(locant_resize_2d_backward(&full, &none, &how));
    CHECK(a[0] == 2 && a[1] == 4);
    for (int i = 2; i < 10; i++)
        CHECK(a[i] == i + 1);
    CHECK_OK(locant_resize_1d(&none, &full, &how));
    how.columns = 0;
    REFUSES(SHAPE, locant_resize_2d(&full, &none, &how),
            "table has no rows to interpolate");
}
