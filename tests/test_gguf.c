/* needs: lab */
/* test_gguf.c - GGUF files: what they hold, and hostile ones */
#define _GNU_SOURCE
#include "../src/files/number.h"
#include "../src/files/gguf.h"
#include "gguf_bytes.h"
#include "locant/files.h"
#include "scratch.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>

static struct gguf_bytes file;

static bool is(const struct lct_text *t, const char *want)
{
    return t->n == strlen(want) && memcmp(t->bytes, want, t->n) == 0;
}

/* The file is refused, and no byte after its end is read. */
static void refused(locant_status status, const char *sentence)
{
    FREED_BY(free_memory) char *copy = malloc(file.size + 1);
    struct lct_gguf *g = (struct lct_gguf *)copy;
    char want[512];

    memcpy(copy, file.bytes, file.size);
    copy = realloc(copy, file.size ? file.size : 1);
    snprintf(want, sizeof want, "x: %s", sentence);
    CHECK_REFUSED(lct_gguf_parse(&g, copy, file.size, "x"), status, want);
    CHECK(g == NULL);
}

static struct lct_gguf *parsed(void)
{
    struct lct_gguf *g;

    CHECK_OK(lct_gguf_parse(&g, file.bytes, file.size, "x"));
    return g;
}

/* A file of one value of each kind, and of two tensors. */
static void make_whole(void)
{
    put_header(&file, 3, 2, 8);
    put_value(&file, "a.u64", LCT_GGUF_U64, UINT64_MAX, 8);
    put_value(&file, "a.i8", LCT_GGUF_I8, 0xff, 1);
    put_value(&file, "a.bool", LCT_GGUF_BOOL, 1, 1);
    put_value(&file, "a.f32", LCT_GGUF_F32, 0x3fc00000, 4);
    put_value(&file, "a.f64", LCT_GGUF_F64, 0x4002000000000000, 8);
    put_value(&file, "general.architecture", LCT_GGUF_TEXT, 5, 8);
    put_bytes(&file, "llama", 5);
    put_value(&file, "heads", LCT_GGUF_ARRAY, LCT_GGUF_U32, 4);
    put_number(&file, 2, 8);
    put_number(&file, 32, 4);
    put_number(&file, 8, 4);
    put_value(&file, "words", LCT_GGUF_ARRAY, LCT_GGUF_TEXT, 4);
    put_number(&file, 2, 8);
    put_text(&file, "");
    put_text(&file, "b");
    put_tensor(&file, "z.weight", 2, 3, 0, 0);
    put_tensor(&file, "b.weight", 1, 32, 8, 32);
    put_zeros(&file, 32);
    for (uint32_t i = 0; i < 6; i++)
        put_number(&file, 0x3f800000 + (i << 23), 4); /* 1, 2, 4, .. */
    put_zeros(&file, 32);
    put_number(&file, 0x3c00, 2); /* d = 1 */
    for (int i = 0; i < 32; i++)
        put_number(&file, (uint64_t)(i - 16), 1);
}

TEST(values_have_their_types)
{
    struct lct_gguf *g;
    struct lct_text text;
    int64_t n;
    double x;

    make_whole();
    g = parsed();
    CHECK(g->version == 3 && g->n_values == 8 && g->n_tensors == 2);
    CHECK(lct_gguf_find(g, "a") == NULL && lct_gguf_find(g, "") == NULL);
    CHECK(!lct_gguf_integer(&n, g, lct_gguf_find(g, "a.u64"), 0));
    CHECK(lct_gguf_integer(&n, g, lct_gguf_find(g, "a.i8"), 0) && n == -1);
    CHECK(lct_gguf_integer(&n, g, lct_gguf_find(g, "a.bool"), 0) && n == 1);
    CHECK(lct_gguf_real(&x, g, lct_gguf_find(g, "a.i8"), 0) && x == -1);
    CHECK(lct_gguf_real(&x, g, lct_gguf_find(g, "a.f32"), 0) && x == 1.5);
    CHECK(lct_gguf_real(&x, g, lct_gguf_find(g, "a.f64"), 0) && x == 2.25);
    CHECK(!lct_gguf_integer(&n, g, lct_gguf_find(g, "a.f64"), 0));
    CHECK(!lct_gguf_real(&x, g, lct_gguf_find(g, "words"), 0));
    CHECK(
        lct_gguf_text(&text, g, lct_gguf_find(g, "general.architecture"), 0) &&
        is(&text, "llama"));
    CHECK(lct_gguf_integer(&n, g, lct_gguf_find(g, "heads"), 1) && n == 8);
    CHECK(!lct_gguf_integer(&n, g, lct_gguf_find(g, "heads"), 2));
    CHECK(lct_gguf_text(&text, g, lct_gguf_find(g, "words"), 0) &&
          is(&text, ""));
    CHECK(lct_gguf_text(&text, g, lct_gguf_find(g, "words"), 1) &&
          is(&text, "b"));
    CHECK(!lct_gguf_text(&text, g, lct_gguf_find(g, "words"), 2));
    CHECK(!lct_gguf_text(&text, g, lct_gguf_find(g, "heads"), 0));
    lct_gguf_close(g);
}

TEST(tensors_have_the_shape_of_pytorch)
{
    const struct lct_gguf_tensor *z, *b;
    float out[32];
    struct lct_gguf *g;

    make_whole();
    g = parsed();
    z = lct_gguf_tensor(g, "z.weight");
    b = lct_gguf_tensor(g, "b.weight");
    CHECK(z && z->rank == 2 && z->shape[0] == 2 && z->shape[1] == 3);
    CHECK(z->bytes == 24 && strcmp(z->type->name, "F32") == 0);
    lct_number_floats(out, z->type, z->data, 6);
    CHECK(out[0] == 1 && out[5] == 32);
    CHECK(b && b->bytes == 34 && strcmp(b->type->name, "Q8_0") == 0);
    lct_number_floats(out, b->type, b->data, 1);
    CHECK(out[0] == -16 && out[31] == 15);
    CHECK(lct_gguf_tensor(g, "b.weight2") == NULL);
    lct_gguf_close(g);
}

TEST(a_mapped_file_is_the_same)
{
    const struct scratch folder = scratch_make();
    const char *path = scratch_file(&folder, "x.gguf");
    const struct lct_gguf_tensor *b;
    struct lct_gguf *g;

    make_whole();
    CHECK_OK(locant_file_write(path, file.bytes, file.size));
    CHECK_OK(lct_gguf_open(&g, path));
    b = lct_gguf_tensor(g, "b.weight");
    CHECK(b && b->data[33] == 15 && strcmp(g->name, path) == 0);
    lct_gguf_close(g);
    CHECK(lct_gguf_open(&g, scratch_file(&folder, "y.gguf")) == LOCANT_ERR_IO);
    CHECK(g == NULL);
    scratch_remove(&folder);
}

TEST(refuses_broken_headers)
{
    file.size = 0;
    refused(LOCANT_ERR_FORMAT, "does not begin with \"GGUF\"");
    put_bytes(&file, "GGML", 4);
    refused(LOCANT_ERR_FORMAT, "does not begin with \"GGUF\"");
    put_header(&file, 1, 0, 0);
    refused(LOCANT_ERR_UNSUPPORTED, "version 1 of GGUF, 2 or 3 expected");
    put_header(&file, 3 << 24, 0, 0);
    refused(LOCANT_ERR_UNSUPPORTED, "version 50331648 of GGUF, 2 or 3 "
                                    "expected; it is big-endian");
    put_header(&file, 3, 0, 0);
    file.size = 20;
    refused(LOCANT_ERR_FORMAT, "truncated at byte 16 of 20: 8 bytes needed for "
                               "the number of keys");
    put_header(&file, 3, UINT64_MAX, 0);
    refused(LOCANT_ERR_FORMAT,
            "18446744073709551615 tensors, but only 0 bytes follow");
    put_header(&file, 3, 0, 2);
    put_value(&file, "a", LCT_GGUF_U8, 0, 1);
    refused(LOCANT_ERR_FORMAT, "2 keys, but only 14 bytes follow");
}

TEST(refuses_broken_values)
{
    put_header(&file, 3, 0, 1);
    put_value(&file, "a", 13, 0, 8);
    refused(LOCANT_ERR_UNSUPPORTED, "key 'a': type 13, below 13 expected");
    put_header(&file, 3, 0, 1);
    put_value(&file, "a", LCT_GGUF_ARRAY, LCT_GGUF_ARRAY, 4);
    put_number(&file, 0, 8);
    refused(LOCANT_ERR_UNSUPPORTED,
            "key 'a': type 9 in an array, below 13 expected, and not 9");
    put_header(&file, 3, 0, 1);
    put_value(&file, "a", LCT_GGUF_ARRAY, LCT_GGUF_U64, 4);
    put_number(&file, UINT64_MAX / 8 + 2, 8);
    refused(LOCANT_ERR_FORMAT, "truncated at byte 49 of 49: "
                               "2305843009213693953 bytes needed for a value");
    put_header(&file, 3, 0, 1);
    put_value(&file, "a", LCT_GGUF_TEXT, UINT64_MAX, 8);
    refused(LOCANT_ERR_FORMAT, "truncated at byte 45 of 45: "
                               "18446744073709551615 bytes needed for a value");
    put_header(&file, 3, 0, 1);
    put_value(&file, "", LCT_GGUF_U32, 0, 4);
    refused(LOCANT_ERR_FORMAT, "byte 32: an empty name of a key");
    put_header(&file, 3, 0, 2);
    put_value(&file, "a\n", LCT_GGUF_U32, 0, 4);
    put_value(&file, "a\n", LCT_GGUF_U32, 0, 4);
    refused(LOCANT_ERR_FORMAT, "key 'a\\x0a' is there twice");
    put_header(&file, 3, 0, 1);
    put_value(&file, "general.alignment", LCT_GGUF_U32, 24, 4);
    refused(LOCANT_ERR_FORMAT,
            "general.alignment should be a power of 2 up to 2^20");
}

/* A file of one tensor and 64 bytes of data. */
static void make_tensor(uint64_t rows, uint64_t columns, uint32_t type,
                        uint64_t offset)
{
    put_header(&file, 3, 1, 0);
    put_tensor(&file, "w", rows, columns, type, offset);
    put_zeros(&file, 32);
    for (int i = 0; i < 8; i++)
        put_number(&file, 0, 8);
}

TEST(refuses_broken_tensors)
{
    make_tensor(2, 3, 4, 0);
    refused(
        LOCANT_ERR_UNSUPPORTED,
        "tensor 'w': type 4, one of F32, F16, BF16, F64, I8, I16, I32, I64, "
        "Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K expected");
    make_tensor(0, 3, 0, 0);
    refused(LOCANT_ERR_FORMAT,
            "tensor 'w': each size should be at least 1 (0)");
    make_tensor(1, 48, 8, 0);
    refused(LOCANT_ERR_FORMAT,
            "tensor 'w': its rows should be whole blocks (48)");
    make_tensor(UINT64_C(1) << 62, 1 << 20, 0, 0);
    refused(LOCANT_ERR_FORMAT, "tensor 'w': its size overflows (1048576)");
    make_tensor(UINT64_C(1) << 40, 1 << 22, 0, 0);
    refused(LOCANT_ERR_FORMAT, "tensor 'w': its size overflows (4194304)");
    make_tensor(1, 4, 0, 8);
    refused(LOCANT_ERR_FORMAT,
            "tensor 'w': its offset 8 should be a multiple of 32");
    make_tensor(1, 17, 0, 0);
    refused(LOCANT_ERR_FORMAT, "truncated: tensor 'w' has 68 bytes at offset "
                               "0, and the file 64 bytes of data");
    make_tensor(1, 4, 0, UINT64_MAX - 31);
    refused(LOCANT_ERR_FORMAT,
            "truncated: tensor 'w' has 16 bytes at offset "
            "18446744073709551584, and the file 64 bytes of data");
}

TEST(refuses_tensors_that_overlap)
{
    put_header(&file, 3, 2, 0);
    put_tensor(&file, "a", 3, 3, 0, 0);
    put_tensor(&file, "b", 1, 4, 0, 32);
    put_zeros(&file, 32);
    for (int i = 0; i < 8; i++)
        put_number(&file, 0, 8);
    refused(LOCANT_ERR_FORMAT, "tensors 'a' and 'b' overlap");
    put_header(&file, 3, 2, 0);
    put_tensor(&file, "a", 1, 4, 0, 0);
    put_tensor(&file, "a", 1, 4, 0, 32);
    put_zeros(&file, 32);
    for (int i = 0; i < 8; i++)
        put_number(&file, 0, 8);
    refused(LOCANT_ERR_FORMAT, "tensor 'a' is there twice");
}

/* Every prefix of a file is refused with a sentence. */
TEST(refuses_every_truncated_file)
{
    struct lct_gguf *g;
    size_t whole;

    make_whole();
    whole = file.size;
    for (file.size = 0; file.size < whole; file.size++) {
        CHECK(lct_gguf_parse(&g, file.bytes, file.size, "x") != LOCANT_OK);
        CHECK(g == NULL && strncmp(locant_last_error(), "x: ", 3) == 0);
    }
}

TEST(survives_lack_of_memory)
{
    struct lct_gguf *g;
    locant_status status;

    make_whole();
    for (long k = 1;; k++) {
        test_memory_fail(k);
        status = lct_gguf_parse(&g, file.bytes, file.size, "x");
        if (status == LOCANT_OK)
            break;
        CHECK(status == LOCANT_ERR_NOMEM && g == NULL);
        CHECK(test_memory_held() == 0);
    }
    lct_gguf_close(g);
    test_memory_end();
}
