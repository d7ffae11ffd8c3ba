/* needs: lab */
/* test_tensors.c - safetensors: hostile files, and what the format allows */
#define _GNU_SOURCE
#include "tensors_bytes.h"
#include "locant/files.h"
#include <time.h>

static void refused(locant_status status, const char *sentence)
{
    char want[512];
    /* an exact copy: one byte read too far is seen by AddressSanitizer */
    FREED_BY(free_memory) char *copy = malloc(size > 0 ? size : 1);
    locant_tensors *t = (locant_tensors *)want;

    if (size > 0)
        memcpy(copy, bytes, size);
    snprintf(want, sizeof want, "x: %s", sentence);
    CHECK_REFUSED(locant_tensors_parse(&t, copy, size, "x"), status, want);
    CHECK(t == NULL);
}

static locant_tensors *parsed(void)
{
    locant_tensors *t;

    CHECK_OK(locant_tensors_parse(&t, bytes, size, "x"));
    return t;
}

TEST(refuses_broken_frames)
{
    size = 0;
    refused(LOCANT_ERR_FORMAT, "truncated: 0 bytes, 8 needed for the header "
                               "length");
    raw("\0\0\0\0\0\0\0", 7);
    refused(LOCANT_ERR_FORMAT, "truncated: 7 bytes, 8 needed for the header "
                               "length");
    make("", 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 8]: the header is empty, '{' "
                               "expected");
    start(1000000);
    raw("{}", 2);
    refused(LOCANT_ERR_FORMAT, "truncated: the header has 1000000 bytes, 2 "
                               "remain");
    start(UINT64_MAX);
    refused(LOCANT_ERR_FORMAT, "header length: 18446744073709551615, at most "
                               "100000000 allowed");
    start((uint64_t)1 << 63);
    refused(LOCANT_ERR_FORMAT, "header length: 9223372036854775808, at most "
                               "100000000 allowed");
    start(100000001);
    refused(LOCANT_ERR_FORMAT, "header length: 100000001, at most 100000000 "
                               "allowed");
    start((uint64_t)2 << 56);
    raw("{}", 2);
    refused(LOCANT_ERR_FORMAT, "header length: 144115188075855872, at most "
                               "100000000 allowed; it looks big-endian");
}

struct bad {
    const char *header;
    size_t data;
    locant_status status;
    const char *sentence;
};

static void refuse_all(const struct bad *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        make(cases[i].header, cases[i].data);
        refused(cases[i].status, cases[i].sentence);
    }
}

TEST(refuses_bad_json)
{
    static const struct bad cases[] = {
        { "{\"a\":", 0, LOCANT_ERR_FORMAT,
          "header[byte 13]: the header ends inside of a value" },
        { "[]", 0, LOCANT_ERR_FORMAT,
          "header[byte 8]: an array, an object is required" },
        { " {}", 0, LOCANT_ERR_FORMAT,
          "header[byte 8]: the first byte is 0x20, '{' required" },
        { "{}{}", 0, LOCANT_ERR_FORMAT,
          "header[byte 10]: byte 0x7b after the object, only spaces may "
          "follow" },
        { "{}\n", 0, LOCANT_ERR_FORMAT,
          "header[byte 10]: byte 0x0a after the object, only spaces may "
          "follow" },
        { "\xef\xbb\xbf{}", 0, LOCANT_ERR_FORMAT,
          "header[byte 8]: a byte order mark, '{' expected" },
        { "{\"a\" 1}", 0, LOCANT_ERR_FORMAT,
          "header[byte 13]: found '1', ':' expected" },
        { "{\"a\":}", 0, LOCANT_ERR_FORMAT,
          "header[byte 13]: tensor 'a': found '}', '{' expected" },
        { "{a:1}", 0, LOCANT_ERR_FORMAT,
          "header[byte 9]: found 'a', a name in quotes expected" },
        { "{" A("F32", "[]", "[0,4]") ",}", 4, LOCANT_ERR_FORMAT,
          "header[byte 61]: found '}', a name in quotes expected" },
        { "{" A("F32", "[]", "[0,4]") " " B("F32", "[]", "[4,8]") "}", 8,
          LOCANT_ERR_FORMAT,
          "header[byte 61]: found '\"', ',' or '}' "
          "expected" },
    };

    refuse_all(cases, LEN(cases));
    make_n("{}\0\0", 4, 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 10]: byte 0x00 after the object, "
                               "only spaces may follow");
    make_n("{\0}", 3, 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 9]: found '\\x00', a name in "
                               "quotes expected");
}

/* The sentences in these are jansson's; file, place and status are ours. */
TEST(refuses_bad_strings)
{
    static const char *const headers[] = {
        "{\"a\xff\":{}}",
        "{\"\\ud800\":{}}",
        "{\"a\\u0000b\":{}}",
        "{\"a\tb\":{}}",
        "{\"\\x\":{}}",
        "{\"__metadata__\":{\"a\":\"\xc0\"}}",
        "{\"__metadata__\":{\"a\":\"\\u0000\"}}",
    };
    locant_tensors *t;

    for (size_t i = 0; i < LEN(headers); i++) {
        make(headers[i], 0);
        CHECK(locant_tensors_parse(&t, bytes, size, "x") == LOCANT_ERR_FORMAT);
        CHECK(strncmp(locant_last_error(), "x: header[byte ", 15) == 0);
    }
    make("{\"a\\u0000b\":{}}", 0);
    CHECK(locant_tensors_parse(&t, bytes, size, "x") == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "]: a string contains NUL") != NULL);
}

static const struct bad bad_members[] = {
    { "{" A("F32", "[]", "[0,4]") "," A("I32", "[]", "[0,4]") "}", 4,
      LOCANT_ERR_FORMAT, "header: tensor 'a' at bytes 9 and 61" },
    { "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[],"
      "\"data_offsets\":[0,4]}}",
      4, LOCANT_ERR_FORMAT,
      "header[byte 36]: tensor 'a': field 'dtype' a second time" },
    { "{\"__metadata__\":{},\"__metadata__\":{}}", 0, LOCANT_ERR_FORMAT,
      "header[byte 27]: '__metadata__' a second time" },
    { "{\"__metadata__\":{\"x\":\"1\",\"y\":\"\",\"x\":\"2\"}}", 0,
      LOCANT_ERR_FORMAT,
      "header[byte 9]: __metadata__: key 'x' a second time" },
    { "{\"__metadata__\":{\"x\":1}}", 0, LOCANT_ERR_FORMAT,
      "header[byte 29]: __metadata__: x: is an integer, a string "
      "required" },
    { "{\"__metadata__\":{\"x\":{}}}", 0, LOCANT_ERR_FORMAT,
      "header[byte 29]: __metadata__: x: is an object, a string "
      "required" },
    { "{\"__metadata__\":null}", 0, LOCANT_ERR_FORMAT,
      "header[byte 24]: __metadata__: an object is required" },
    { "{" A("F33", "[]", "[0,4]") "}", 4, LOCANT_ERR_UNSUPPORTED,
      "header: tensor 'a': dtype: 'F33'; known: F32 F64 F16 BF16 I32 "
      "I64" },
    { "{" A("f32", "[]", "[0,4]") "}", 4, LOCANT_ERR_UNSUPPORTED,
      "header: tensor 'a': dtype: 'f32', did you mean 'F32'?; known: F32 "
      "F64 F16 BF16 I32 I64" },
    { "{" A("BOOL", "[1]", "[0,1]") "}", 1, LOCANT_ERR_UNSUPPORTED,
      "header: tensor 'a': dtype: 'BOOL'; known: F32 F64 F16 BF16 I32 "
      "I64" },
    { "{" A("F4", "[3]", "[0,2]") "}", 2, LOCANT_ERR_UNSUPPORTED,
      "header: tensor 'a': dtype: 'F4'; known: F32 F64 F16 BF16 I32 "
      "I64" },
    { "{\"a\":{\"dtype\":7,\"shape\":[],\"data_offsets\":[0,4]}}", 4,
      LOCANT_ERR_FORMAT,
      "header[byte 22]: tensor 'a': dtype: is an "
      "integer, a string required" },
    { "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4,
      LOCANT_ERR_FORMAT, "header[byte 9]: tensor 'a': lacks 'shape'" },
    { "{\"a\":{}}", 0, LOCANT_ERR_FORMAT,
      "header[byte 9]: tensor 'a': lacks 'dtype'" },
    { "{\"a\":[]}", 0, LOCANT_ERR_FORMAT,
      "header[byte 13]: tensor 'a': found '[', '{' expected" },
    { "{\"\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", 4,
      LOCANT_ERR_FORMAT,
      "header[byte 9]: the name of a tensor has 0 "
      "bytes, 1 to 65535 allowed" },
};

TEST(refuses_bad_members)
{
    refuse_all(bad_members, LEN(bad_members));
}

TEST(refuses_bad_shapes)
{
#define SHAPE(shape, end) "{" A("F32", shape, "[0," end "]") "}"
    static const struct bad cases[] = {
        { SHAPE("[-2]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape[0]: -2, 0 to 2^63-1 allowed" },
        { SHAPE("[2.0]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape[0]: is no integer" },
        { SHAPE("[1,2e0]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape[1]: is no integer" },
        { SHAPE("[\"2\"]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape[0]: is no integer" },
        { SHAPE("{}", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape: is an object, an array "
          "required" },
        { SHAPE("2", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 36]: tensor 'a': shape: is an integer, an array "
          "required" },
        { SHAPE("[18446744073709551616]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 57]: tensor 'a': a number is too large, at most 2^63-1 "
          "is allowed" },
        { SHAPE("[4294967296,4294967296]", "0"), 0, LOCANT_ERR_FORMAT,
          "header[byte 9]: tensor 'a': the product of shape overflows" },
        { SHAPE("[4611686018427387906]", "8"), 8, LOCANT_ERR_FORMAT,
          "header[byte 9]: tensor 'a': the product of shape overflows" },
        { SHAPE("[0,4611686018427387904,4]", "0"), 0, LOCANT_ERR_FORMAT,
          "header[byte 9]: tensor 'a': the product of shape overflows" },
        { SHAPE("[4611686018427387904,4,0]", "0"), 0, LOCANT_ERR_FORMAT,
          "header[byte 9]: tensor 'a': the product of shape overflows" },
        { SHAPE("[2]", "4"), 4, LOCANT_ERR_FORMAT,
          "header[byte 9]: tensor 'a': its shape needs 8 bytes, data_offsets "
          "has 4" },
        { SHAPE("[1,1,1,1,1,1,1]", "4"), 4, LOCANT_ERR_UNSUPPORTED,
          "header[byte 36]: tensor 'a': shape: 7 dimensions, at most 6 are "
          "read" },
    };
    locant_tensors *t;

    refuse_all(cases, LEN(cases));
    make(SHAPE("[02]", "8"), 8);
    CHECK(locant_tensors_parse(&t, bytes, size, "x") == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "x: header[byte 3") != NULL);
}

TEST(refuses_bad_ranges)
{
    static const struct bad cases[] = {
        { "{" A("F32", "[2]", "[8,0]") "}", 8, LOCANT_ERR_FORMAT,
          "header[byte 55]: tensor 'a': data_offsets: [8,0], the first is "
          "above the second" },
        { "{" A("F32", "[2]", "[0,8]") "}", 4, LOCANT_ERR_FORMAT,
          "header[byte 55]: tensor 'a': data_offsets: ends at 8, the file "
          "holds 4 bytes of data" },
        { "{" A("F32", "[2]", "[-8,0]") "}", 8, LOCANT_ERR_FORMAT,
          "header[byte 55]: tensor 'a': data_offsets[0]: -8, 0 to 2^63-1 "
          "allowed" },
        { "{" A("F32", "[1]", "[0,4,8]") "}", 8, LOCANT_ERR_FORMAT,
          "header[byte 55]: tensor 'a': data_offsets: 3 entries, 2 "
          "required" },
        { "{" A("F32", "[1]", "{\"0\":4}") "}", 8, LOCANT_ERR_FORMAT,
          "header[byte 55]: tensor 'a': data_offsets: is an object, an array "
          "required" },
        { "{" A("F32", "[1]", "[4,8]") "}", 8, LOCANT_ERR_FORMAT,
          "data: bytes 0 to 3 belong to no tensor" },
        { "{" A("F32", "[1]", "[0,4]") "," B("F32", "[1]", "[8,12]") "}", 12,
          LOCANT_ERR_FORMAT, "data: bytes 4 to 7 belong to no tensor" },
        { "{" A("F32", "[1]", "[0,4]") "}", 5, LOCANT_ERR_FORMAT,
          "data: 1 bytes after the last tensor, which ends at 4" },
        { "{}", 1, LOCANT_ERR_FORMAT,
          "data: 1 bytes after the last tensor, which ends at 0" },
        { "{" A("F32", "[2]", "[0,8]") "," B("F32", "[2]", "[4,12]") "}", 12,
          LOCANT_ERR_FORMAT, "data: tensors 'a' [0,8) and 'b' [4,12) overlap" },
        { "{" A("F32", "[2]", "[0,8]") "," B("F32", "[2]", "[0,8]") "}", 8,
          LOCANT_ERR_FORMAT, "data: tensors 'a' [0,8) and 'b' [0,8) overlap" },
        { "{" A("F32", "[2]", "[0,8]") "," B("F32", "[0]", "[4,4]") "}", 8,
          LOCANT_ERR_FORMAT, "data: tensors 'a' [0,8) and 'b' [4,4) overlap" },
    };

    refuse_all(cases, LEN(cases));
}

/* ---------------------------------------------------- what must be accepted */

TEST(accepts_what_the_format_allows)
{
    static const struct {
        const char *header;
        size_t data, tensors;
    } cases[] = {
        { "{}", 0, 0 },
        { "{}      ", 0, 0 },
        { "{ \"__metadata__\" : { } }", 0, 0 },
        { "{" A("F32", "[2]", "[0,8]") "}", 8, 1 },
        { "{" A("F32", "[]", "[0,4]") "}   ", 4, 1 },
        { "{" A("F32", "[0]", "[0,0]") "," B("F32", "[1]", "[0,4]") "}", 4, 2 },
        { "{" A("F32", "[1]", "[0,4]") "," B("F32", "[0]", "[4,4]") "}", 4, 2 },
        { "{" A("F32", "[1]", "[4,8]") "," B("F32", "[1]", "[0,4]") "}", 8, 2 },
        { "{\"a\":{\"dtype\":\"I64\",\"new\":[1,{\"x\":null}],\"shape\":[1],"
          "\"data_offsets\":[0,8]}}",
          8, 1 },
        { "{\"../../etc/passwd\":{\"dtype\":\"F16\",\"shape\":[1],"
          "\"data_offsets\":[0,2]}}",
          2, 1 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        const char *name;
        locant_tensors *t;

        make(cases[i].header, cases[i].data);
        t = parsed();
        for (size_t k = 0; k < cases[i].tensors; k++) {
            const locant_tensor *x = locant_tensors_at(t, k, &name);

            CHECK(x != NULL && locant_tensors_find(t, name) == x);
        }
        CHECK(locant_tensors_at(t, cases[i].tensors, NULL) == NULL);
        CHECK(locant_tensors_find(t, "absent") == NULL);
        locant_tensors_free(t);
    }
}

TEST(finds_names_and_metadata)
{
    const char *name;
    locant_tensors *t;
    const locant_tensor *x;

    make("{\"__metadata__\":{\"format\":\"pt\",\"\\u00e9\":\"\"}," A(
             "I32", "[1,2]", "[4,12]") "," B("F32", "[1]", "[0,4]") "}",
         12);
    t = parsed();
    x = locant_tensors_at(t, 0, &name);
    CHECK(strcmp(name, "b") == 0 && x->dtype == LOCANT_F32);
    CHECK(memcmp(x->data, "\1\2\3\4", 4) == 0);
    x = locant_tensors_find(t, "a");
    CHECK(x->rank == 2 && x->shape[1] == 2 && x->stride[0] == 2);
    CHECK(memcmp(x->data, "\5\6\7\10\11\12\13\14", 8) == 0);
    CHECK(strcmp(locant_tensors_metadata(t, "format"), "pt") == 0);
    CHECK(strcmp(locant_tensors_metadata(t, "\xc3\xa9"), "") == 0);
    CHECK(locant_tensors_metadata(t, "none") == NULL);
    locant_tensors_free(t);
    locant_tensors_free(NULL);
}

/* ------------------------------------------------------------------ floods */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(refuses_long_names)
{
    static char header[1000100];
    int n;

    for (size_t length = 65535; length <= 1000000; length += 934465) {
        memset(header, 'q', sizeof header);
        memcpy(header, "{\"", 2);
        n = snprintf(header + 2 + length, 98, "%s",
                     "\":{\"dtype\":\"F32\","
                     "\"shape\":[],\"data_offsets\":[0,4]}}");
        make_n(header, 2 + length + (size_t)n, 4);
        if (length == 65535)
            locant_tensors_free(parsed());
        else
            refused(LOCANT_ERR_FORMAT, "header[byte 9]: the name of a tensor "
                                       "has 1000000 bytes, 1 to 65535 allowed");
    }
}

TEST(refuses_deep_and_wide_values)
{
    static char header[250000];
    size_t used;

    used = (size_t)snprintf(header, sizeof header, "{\"a\":");
    memset(header + used, '[', 100000);
    make_n(header, used + 100000, 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 76]: nested deeper than 64");

    used = (size_t)snprintf(header, sizeof header,
                            "{\"a\":{\"dtype\":\"F32\",\"shape\":[1");
    for (int i = 0; i < 10000; i++)
        used += (size_t)snprintf(header + used, 4, ",1");
    used += (size_t)snprintf(header + used, 40, "],\"data_offsets\":[0,4]}}");
    make_n(header, used, 4);
    refused(LOCANT_ERR_UNSUPPORTED, "header[byte 36]: tensor 'a': shape: 10001 "
                                    "dimensions, at most 6 are read");

    used = (size_t)snprintf(header, sizeof header, "{\"a\":{\"new\":[[]");
    for (int i = 0; i < 50000; i++)
        used += (size_t)snprintf(header + used, 4, ",[]");
    used += (size_t)snprintf(header + used, 4, "]}}");
    make_n(header, used, 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 20]: tensor 'a': a value of 50002 "
                               "objects and arrays is too large");
}

/*
 * Linear time: comparing all pairs of 100 000 names takes 5e9 steps, more than
 * 2 s anywhere.  Time of this process, so that a busy machine does not matter.
 */
TEST(takes_time_linear_in_the_header)
{
    locant_tensors *t;
    double begin;

    make_many(100000, true);
    begin = seconds();
    CHECK(locant_tensors_parse(&t, bytes, size, "x") == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "overlap") != NULL);
    CHECK(seconds() - begin < 2);
    make_many(100000, false);
    begin = seconds();
    t = parsed();
    CHECK(seconds() - begin < 2);
    CHECK(locant_tensors_find(t, "t99999") ==
          locant_tensors_at(t, 99999, NULL));
    locant_tensors_free(t);
}

TEST(refuses_every_cut)
{
    size_t whole;

    make(small, 10);
    whole = size;
    for (size_t n = 0; n < whole; n++) {
        FREED_BY(free_memory) char *copy = malloc(n > 0 ? n : 1);
        locant_tensors *t;

        memcpy(copy, bytes, n);
        CHECK(locant_tensors_parse(&t, copy, n, "x") == LOCANT_ERR_FORMAT);
    }
}

TEST(survives_every_flipped_bit)
{
    size_t accepted = 0;

    make(small, 10);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        locant_tensors *t;

        bytes[bit / 8] ^= (char)(1 << bit % 8);
        if (locant_tensors_parse(&t, bytes, size, "x") == LOCANT_OK) {
            accepted++;
            locant_tensors_free(t);
        }
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK(accepted >= 80); /* the bits of the data */
}

static int free_bytes(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

TEST_GROUP(NULL, free_bytes)
