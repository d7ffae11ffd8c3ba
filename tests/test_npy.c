/* needs: lab */
/* test_npy.c - .npy files: hostile ones, round trips, memory */
#define _GNU_SOURCE
#include "scratch_case.h"
#include "locant/files.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A .npy file in memory: version, header as given, data as given. */
struct file {
    size_t size;
    char bytes[200000];
};
static struct file f;

static void raw(const void *bytes, size_t n)
{
    memcpy(f.bytes + f.size, bytes, n);
    f.size += n;
}

static void start(int major, int minor, size_t header)
{
    unsigned char head[12] = { 0x93,
                               'N',
                               'U',
                               'M',
                               'P',
                               'Y',
                               (unsigned char)major,
                               (unsigned char)minor,
                               (unsigned char)header,
                               (unsigned char)(header >> 8),
                               (unsigned char)(header >> 16),
                               (unsigned char)(header >> 24) };

    f.size = 0;
    raw(head, major > 1 ? 12 : 10);
}

/* The file of a header and 'data' bytes 1, 2, 3, .. */
static void make(int major, const char *header, size_t data)
{
    start(major, 0, strlen(header));
    raw(header, strlen(header));
    for (size_t i = 0; i < data; i++)
        f.bytes[f.size++] = (char)(i + 1);
}

#define DICT(descr, order, shape)                                              \
    "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"

static void refused(locant_status status, const char *sentence)
{
    char want[512];
    /* an exact copy: one byte read too far is seen by AddressSanitizer */
    FREED_BY(free_memory) char *copy = malloc(f.size > 0 ? f.size : 1);
    locant_array a = { .memory = &f }, before = a;

    memcpy(copy, f.bytes, f.size);
    snprintf(want, sizeof want, "x.npy: %s", sentence);
    CHECK_REFUSED(locant_npy_parse(&a, copy, f.size, "x.npy"), status, want);
    CHECK(memcmp(&a, &before, sizeof a) == 0);
}

static void parses(locant_array *a)
{
    CHECK_OK(locant_npy_parse(a, f.bytes, f.size, "x.npy"));
}

TEST(refuses_broken_frames)
{
    f.size = 0;
    refused(LOCANT_ERR_FORMAT, "truncated: 0 bytes, 10 needed for magic, "
                               "version and header length");
    raw("\x93NUMPY", 6);
    refused(LOCANT_ERR_FORMAT, "truncated: 6 bytes, 10 needed for magic, "
                               "version and header length");
    f.size = 0;
    raw("\x93NUMPX\x01\x00\x00\x00", 10);
    refused(LOCANT_ERR_FORMAT, "magic: '\\x93NUMPX', '\\x93NUMPY' expected");
    start(9, 0, 0);
    refused(LOCANT_ERR_FORMAT, "version: 9.0; 1.0, 2.0, 3.0 known");
    start(1, 7, 0);
    refused(LOCANT_ERR_FORMAT, "version: 1.7; 1.0, 2.0, 3.0 known");
    start(0, 0, 0);
    refused(LOCANT_ERR_FORMAT, "version: 0.0; 1.0, 2.0, 3.0 known");
    start(1, 0, 100);
    raw("{}", 2);
    refused(LOCANT_ERR_FORMAT, "truncated: the header has 100 bytes, 2 remain");
    start(2, 0, 0xffffffff);
    refused(LOCANT_ERR_FORMAT, "header length: 4294967295, at most 65535 "
                               "allowed");
    start(2, 0, 10);
    f.size = 11;
    refused(LOCANT_ERR_FORMAT, "truncated: 11 bytes, 12 needed for the header "
                               "length");
    make(1, "", 0);
    refused(LOCANT_ERR_FORMAT, "header[byte 10]: the header ends, '{' "
                               "expected");
    f.size = 0;
    raw("PK\x03\x04 and so on", 12);
    refused(LOCANT_ERR_FORMAT, "magic: this is a zip archive; .npz is not "
                               "read, only .npy");
}

TEST(refuses_wrong_data)
{
    make(1, DICT("'<f4'", "False", "(2,)"), 9);
    refused(LOCANT_ERR_FORMAT, "byte 76: the data ends here, the file 1 bytes "
                               "later");
    make(1, DICT("'<f4'", "False", "(2,)"), 7);
    refused(LOCANT_ERR_FORMAT, "truncated: 8 bytes of data needed, 7 present");
    make(1, DICT("'<f4'", "False", "(1099511627776,)"), 0);
    refused(LOCANT_ERR_FORMAT, "truncated: 4398046511104 bytes of data needed, "
                               "0 present");
    make(1, DICT("'<f4'", "False", "(4294967296, 4294967296)"), 0);
    refused(LOCANT_ERR_FORMAT, "header: shape: the product of the sizes "
                               "overflows");
    make(1, DICT("'<f4'", "False", "(0, 9223372036854775807)"), 0);
    refused(LOCANT_ERR_FORMAT, "header: shape: the product of the sizes "
                               "overflows");
    make(1, DICT("'<f4'", "False", "(9223372036854775808,)"), 0);
    refused(LOCANT_ERR_FORMAT,
            "header[byte 61]: shape[0]: "
            "'9223372036854775808', at most 2^63-1 is allowed");
}

static const struct {
    int version;
    const char *header;
    locant_status status;
    const char *sentence;
} bad_headers[] = {
    { 1, DICT("'<f4'", "False", "(-1,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '-1', decimal digits, 0 to 2^63-1, "
      "expected" },
    { 1, DICT("'<f4'", "False", "(-2, -1)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '-2', decimal digits, 0 to 2^63-1, "
      "expected" },
    { 1, DICT("'<f4'", "False", "(True,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: 'True', decimal digits, 0 to 2^63-1, "
      "expected" },
    { 1,
      "{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, "
      "'shape': (0,)}",
      LOCANT_ERR_FORMAT, "header[byte 27]: key 'descr' a second time" },
    { 1, "{'descr': '<f4', 'x': 1, 'fortran_order': False, 'shape': (0,)}",
      LOCANT_ERR_FORMAT,
      "header[byte 27]: unknown key 'x'; known: descr, "
      "fortran_order, shape" },
    { 1, "{'descr': '<f4', 'fortran_order': False}", LOCANT_ERR_FORMAT,
      "header: key 'shape' is missing" },
    { 1, "{}", LOCANT_ERR_FORMAT, "header: key 'descr' is missing" },
    { 1, DICT("'<f4'", "False", "[2]"), LOCANT_ERR_FORMAT,
      "header[byte 60]: found '[', the '(' of a tuple for shape expected" },
    { 1, DICT("'<f4'", "False", "(2)"), LOCANT_ERR_FORMAT,
      "header[byte 62]: shape: a number in parentheses, a tuple (2,) is "
      "needed" },
    { 1, DICT("'<f4'", "False", "(2 3)"), LOCANT_ERR_FORMAT,
      "header[byte 63]: found '3', ',' or ')' of shape expected" },
    { 1, DICT("'<f4'", "False", "(,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: ',', decimal digits, 0 to 2^63-1, "
      "expected" },
    { 1, DICT("'<f4'", "False", "(02,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '02', a size has no leading zero" },
    { 1, DICT("'<f4'", "0", "(2,)"), LOCANT_ERR_FORMAT,
      "header[byte 44]: found '0', True or False for fortran_order "
      "expected" },
    { 1, DICT("'f4'", "False", "(2,)"), LOCANT_ERR_FORMAT,
      "header: descr: 'f4' tells no byte order, '<' or '>' is needed" },
    { 1, DICT("'=f4'", "False", "(2,)"), LOCANT_ERR_FORMAT,
      "header: descr: '=f4' tells no byte order, '<' or '>' is needed" },
    { 1, DICT("'|i8'", "False", "(2,)"), LOCANT_ERR_FORMAT,
      "header: descr: '|i8' tells no byte order, '<' or '>' is needed" },
    { 1, DICT("'<f3'", "False", "(2,)"), LOCANT_ERR_UNSUPPORTED,
      "header: descr: '<f3'; known: <f4 <f8 <f2 <i4 <i8 |u1 |b1, <V2 for "
      "bfloat16, and > for <" },
    { 1, DICT("'|O'", "False", "(2,)"), LOCANT_ERR_UNSUPPORTED,
      "header: descr: '|O', pickled objects are never read; known: <f4 <f8 "
      "<f2 <i4 <i8 |u1 |b1, <V2 for bfloat16, and > for <" },
    { 1, DICT("[('a', '<f4')]", "False", "(2,)"), LOCANT_ERR_UNSUPPORTED,
      "header[byte 20]: descr: a structured dtype, numbers are needed" },
    { 1, DICT("'|S0'", "False", "(1000000,)"), LOCANT_ERR_UNSUPPORTED,
      "header: descr: '|S0'; known: <f4 <f8 <f2 <i4 <i8 |u1 |b1, <V2 for "
      "bfloat16, and > for <" },
    { 1, DICT("'<V2147483647'", "False", "(2,)"), LOCANT_ERR_UNSUPPORTED,
      "header: descr: '<V2147483647'; known: <f4 <f8 <f2 <i4 <i8 |u1 |b1, "
      "<V2 for bfloat16, and > for <" },
    { 1, DICT("'<f4'", "False", "(1, 1, 1, 1, 1, 1, 1)"),
      LOCANT_ERR_UNSUPPORTED,
      "header[byte 79]: shape: more than 6 dimensions" },
    { 1, DICT("'<f4'", "False", "(0x2,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '0x2', only decimal digits are "
      "allowed" },
    { 1, DICT("'<f4'", "False", "(1_0,)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '1_0', only decimal digits are "
      "allowed" },
    { 3, DICT("'<f4'", "False", "(2L,)"), LOCANT_ERR_FORMAT,
      "header[byte 63]: shape[0]: '2L', only decimal digits are allowed" },
    { 1, DICT("'<f4'", "False", "(__import__('os'),)"), LOCANT_ERR_FORMAT,
      "header[byte 61]: shape[0]: '__import__', decimal digits, 0 to "
      "2^63-1, expected" },
    { 1, "{'descr': '<f4'", LOCANT_ERR_FORMAT,
      "header[byte 25]: the header ends, ',' or '}' expected" },
    { 1, "{'descr': '<f4", LOCANT_ERR_FORMAT,
      "header[byte 24]: the header ends, the closing quote of a string "
      "expected" },
    { 1, "{'descr' '<f4'}", LOCANT_ERR_FORMAT,
      "header[byte 19]: found ''', ':' expected" },
    { 1, "{'descr': '\\x3cf4'}", LOCANT_ERR_FORMAT,
      "header[byte 21]: found '\\', printable ASCII in a string expected" },
    { 1, "{descr: '<f4'}", LOCANT_ERR_FORMAT,
      "header[byte 11]: found 'descr', a quoted key or '}' expected" },
    { 1, DICT("'<f4'", "False", "(2,)") "x", LOCANT_ERR_FORMAT,
      "header[byte 68]: found 'x', blanks to the end of the header "
      "expected" },
};

/* Each header of its own file; %s is the sentence after "x.npy: ". */
TEST(refuses_bad_headers)
{
    for (size_t i = 0; i < LEN(bad_headers); i++) {
        make(bad_headers[i].version, bad_headers[i].header, 8);
        refused(bad_headers[i].status, bad_headers[i].sentence);
    }
    make(1, DICT("'<f4'", "False", "(2,)"), 8);
    f.bytes[67] = 0;
    refused(LOCANT_ERR_FORMAT, "header[byte 67]: found '\\x00', blanks to the "
                               "end of the header expected");
}

/* 'n' copies of a byte where the first size of the shape should be */
static void flood(char byte, int n)
{
    static char header[20000];
    size_t used = (size_t)snprintf(header, sizeof header,
                                   "{'descr': '<f4', "
                                   "'fortran_order': False, 'shape': (");

    memset(header + used, byte, (size_t)n);
    snprintf(header + used + n, sizeof header - used - (size_t)n, "2,)}");
    make(1, header, 8);
}

TEST(refuses_floods)
{
    locant_array a;

    flood('9', 5000);
    CHECK(locant_npy_parse(&a, f.bytes, f.size, "x.npy") == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "x.npy: header[byte 61]: shape[0]: "
                                      "'99999") != NULL);
    CHECK(strstr(locant_last_error(), "...', at most 2^63-1 is allowed"));
    flood('(', 5000);
    refused(LOCANT_ERR_FORMAT, "header[byte 61]: shape[0]: '(', decimal "
                               "digits, 0 to 2^63-1, expected");
    flood('-', 8000);
    refused(LOCANT_ERR_FORMAT, "header[byte 61]: shape[0]: '-', decimal "
                               "digits, 0 to 2^63-1, expected");
}

TEST(reads_what_numpy_writes)
{
    static const char *const headers[] = {
        DICT("'<f4'", "False", "(2,)"),
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"<f4\"}   \n",
        " { 'shape' : ( 2 , ) , 'descr' : '<f4' , 'fortran_order' : True } ",
    };

    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < LEN(headers); i++) {
            locant_array a;

            if (version == 3 && i == 2)
                continue;
            make(version, headers[i], 8);
            parses(&a);
            CHECK(a.tensor.dtype == LOCANT_F32 && a.tensor.rank == 1);
            CHECK(a.tensor.shape[0] == 2 && a.tensor.stride[0] == 1);
            CHECK(memcmp(a.tensor.data, "\1\2\3\4\5\6\7\10", 8) == 0);
            locant_array_free(&a);
            CHECK(a.memory == NULL);
        }
}

/* Bytes and booleans have no order; they are not written. */
TEST(reads_bytes_and_booleans_as_u8)
{
    static const char *const headers[] = { DICT("'|u1'", "False", "(2, 4)"),
                                           DICT("'|b1'", "False", "(2, 4)"),
                                           DICT("'u1'", "False", "(2, 4)") };

    for (size_t i = 0; i < LEN(headers); i++) {
        FREED_BY(locant_array_free) locant_array a;

        make(1, headers[i], 8);
        parses(&a);
        CHECK(a.tensor.dtype == LOCANT_U8 && a.tensor.rank == 2);
        CHECK(memcmp(a.tensor.data, "\1\2\3\4\5\6\7\10", 8) == 0);
    }
    make(1, DICT("'|u1'", "False", "(2,)"), 3);
    refused(LOCANT_ERR_FORMAT, "byte 70: the data ends here, the file 1 bytes "
                               "later");
}

TEST(swaps_big_endian)
{
    static const struct {
        const char *header;
        int item;
    } cases[] = {
        { DICT("'>f2'", "False", "(4,)"), 2 },
        { DICT("'>V2'", "False", "(4,)"), 2 },
        { DICT("'>f4'", "False", "(2,)"), 4 },
        { DICT("'>i4'", "False", "(2,)"), 4 },
        { DICT("'>f8'", "False", "(1,)"), 8 },
        { DICT("'>i8'", "False", "(1,)"), 8 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        FREED_BY(locant_array_free) locant_array a;
        const unsigned char *got;

        make(1, cases[i].header, 8);
        parses(&a);
        got = a.tensor.data;
        for (int b = 0; b < 8; b++)
            CHECK(got[b] == b / cases[i].item * cases[i].item + cases[i].item -
                                b % cases[i].item);
    }
}

/* Element (i, j, k) of a Fortran file of [2, 3, 4] is at i + 2 (j + 3 k). */
TEST(puts_fortran_order_into_c_order)
{
    int32_t in[24];
    FREED_BY(locant_array_free) locant_array a;

    for (int i = 0; i < 24; i++)
        in[i] = i;
    make(1, DICT("'<i4'", "True", "(2, 3, 4)"), 0);
    raw(in, sizeof in);
    parses(&a);
    CHECK(a.tensor.stride[0] == 12 && a.tensor.stride[2] == 1);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                CHECK(((int32_t *)a.tensor.data)[(i * 3 + j) * 4 + k] ==
                      i + 2 * (j + 3 * k));
}

TEST(reads_scalars_and_empty_arrays)
{
    locant_array a;

    make(1, DICT("'<f8'", "False", "()"), 8);
    parses(&a);
    CHECK(a.tensor.rank == 0 && a.tensor.dtype == LOCANT_F64);
    locant_array_free(&a);
    make(1, DICT("'<f8'", "True", "(3, 0, 2)"), 0);
    parses(&a);
    CHECK(a.tensor.rank == 3 && a.tensor.shape[1] == 0);
    CHECK(a.tensor.data != NULL);
    locant_array_free(&a);
    make(1, DICT("'|V2'", "False", "(1,)"), 2);
    parses(&a);
    CHECK(a.tensor.dtype == LOCANT_BF16);
    locant_array_free(&a);
    locant_array_free(NULL);
}

/* A prefix of a good file is refused; so is one with a longer tail. */
TEST(refuses_every_cut)
{
    size_t whole;
    FREED_BY(locant_array_free) locant_array a;

    make(1, DICT("'<f4'", "False", "(2, 1)"), 8);
    whole = f.size;
    for (size_t n = 0; n < whole; n++) {
        FREED_BY(free_memory) char *copy = malloc(n > 0 ? n : 1);

        memcpy(copy, f.bytes, n);
        CHECK(locant_npy_parse(&a, copy, n, "x.npy") == LOCANT_ERR_FORMAT);
    }
    parses(&a);
}

/* Flip every bit of a good file: an answer, and never a crash. */
TEST(survives_every_flipped_bit)
{
    locant_array a;
    size_t accepted = 0;

    make(2, DICT("'<f4'", "False", "(2, 1)"), 8);
    for (size_t bit = 0; bit < 8 * f.size; bit++) {
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
        if (locant_npy_parse(&a, f.bytes, f.size, "x.npy") == LOCANT_OK) {
            accepted++;
            locant_array_free(&a);
        }
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    CHECK(accepted >= 64); /* the bits of the data */
}

/* ------------------------------------------------------------------- files */

static char path[PATH_MAX];

static int set_up(void **state)
{
    make_dir(state);
    strcpy(path, scratch_file(&dir, "a.npy"));
    return 0;
}

static void round_trip(const locant_tensor *t)
{
    FREED_BY(locant_array_free) locant_array a;
    size_t n = locant_dtype_size(t->dtype);

    CHECK_OK(locant_npy_write(path, t));
    CHECK_OK(locant_npy_read(&a, path));
    CHECK(a.tensor.dtype == t->dtype && a.tensor.rank == t->rank);
    for (int i = 0; i < t->rank; i++) {
        CHECK(a.tensor.shape[i] == t->shape[i]);
        n *= (size_t)t->shape[i];
    }
    CHECK(n == 0 || memcmp(a.tensor.data, t->data, n) == 0);
}

TEST(every_dtype_comes_back)
{
    static const int64_t shapes[][LOCANT_MAX_RANK] = {
        { 1 }, { 3, 5 }, { 0, 7 }, { 2, 1, 3, 1, 2, 2 }
    };
    static const int ranks[] = { 0, 2, 2, 6 };
    unsigned char data[8 * 24];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)test_rand();
    for (int d = LOCANT_F32; d <= LOCANT_I64; d++)
        for (size_t s = 0; s < LEN(shapes); s++) {
            locant_tensor t =
                locant_dense(data, (locant_dtype)d, ranks[s], shapes[s]);

            round_trip(&t);
        }
}

/* The layout of version 1.0 as NumPy's format.py documents it. */
TEST(writes_the_documented_bytes)
{
    float x[6] = { 1, 2, 3, 4, 5, 6 };
    const char want[] = "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', "
                        "'fortran_order': False, 'shape': (2, 3), }";
    char got[200];
    FILE *in;

    CHECK_OK(locant_npy_write(path, VIEW(F32, x, 2, 3)));
    in = fopen(path, "rb");
    CHECK(fread(got, 1, sizeof got, in) == 128 + 24);
    fclose(in);
    CHECK(memcmp(got, want, sizeof want - 1) == 0);
    for (size_t i = sizeof want - 1; i < 127; i++)
        CHECK(got[i] == ' ');
    CHECK(got[127] == '\n' && memcmp(got + 128, x, 24) == 0);
}

TEST(refuses_bad_arguments)
{
    float x[6] = { 0 };
    locant_tensor t = DENSE(F32, x, 2, 3), bad;
    locant_array a;

    REFUSES(NULL, locant_npy_parse(NULL, x, 4, "x"), "out is NULL");
    REFUSES(NULL, locant_npy_parse(&a, NULL, 4, "x"), "bytes is NULL");
    REFUSES(NULL, locant_npy_parse(&a, x, 4, NULL), "name is NULL");
    REFUSES(NULL, locant_npy_read(&a, NULL), "path is NULL");
    REFUSES(NULL, locant_npy_read(NULL, path), "out is NULL");
    REFUSES(NULL, locant_npy_write(NULL, &t), "path is NULL");
    REFUSES(NULL, locant_npy_write(path, NULL), "t is NULL");
    bad = t;
    bad.stride[0] = 4;
    REFUSES(LAYOUT, locant_npy_write(path, &bad),
            "t has stride 4 in dimension 0, a dense array 3");
    bad = t;
    bad.rank = 7;
    REFUSES(SHAPE, locant_npy_write(path, &bad),
            "t has 7 dimensions, 0 to 6 allowed");
    bad = t;
    bad.dtype = (locant_dtype)99;
    REFUSES(DTYPE, locant_npy_write(path, &bad), "t has the unknown dtype 99");
    bad.dtype = LOCANT_U8;
    REFUSES(DTYPE, locant_npy_write(path, &bad),
            "t is u8, expected f32, f16, bf16, f64, i32 or i64");
    bad = t;
    bad.data = NULL;
    REFUSES(NULL, locant_npy_write(path, &bad), "the data of t is NULL");
    bad = t;
    bad.shape[1] = -1;
    REFUSES(SHAPE, locant_npy_write(path, &bad),
            "t has a negative size or more bytes than memory can have");
}

TEST(survives_every_failing_allocation)
{
    static const struct {
        const char *header;
        int allocations; /* header, elements, and a copy in our order */
    } cases[] = {
        { DICT("'<f4'", "False", "(2,)"), 2 },
        { DICT("'<f4'", "False", "(2,)") " ", 2 },
        { DICT("'>f4'", "False", "(2,)"), 3 },
    };

    for (size_t i = 0; i < LEN(cases); i++) {
        locant_status status = LOCANT_ERR_NOMEM;
        locant_array a;
        long k;
        FILE *out = fopen(path, "wb");

        make(1, cases[i].header, 8);
        CHECK(fwrite(f.bytes, 1, f.size, out) == f.size);
        fclose(out);
        for (k = 1; status == LOCANT_ERR_NOMEM; k++) {
            test_memory_fail(k);
            status = locant_npy_read(&a, path);
            CHECK(status == LOCANT_OK || test_memory_held() == 0);
        }
        CHECK(status == LOCANT_OK && test_memory_held() == 1);
        CHECK(k == cases[i].allocations + 2);
        locant_array_free(&a);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
}

TEST_GROUP(set_up, remove_dir)
