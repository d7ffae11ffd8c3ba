/* needs: lab */
/* test_tensors_file.c - safetensors: files written, round trips, memory */
#define _GNU_SOURCE
#include "files/utf8.h"
#include "scratch_case.h"
#include "tensors_bytes.h"
#include "locant/files.h"
#include <jansson.h>
#include <unistd.h>

static char path[PATH_MAX];

static int set_up(void **state)
{
    make_dir(state);
    strcpy(path, scratch_file(&dir, "a.safetensors"));
    return 0;
}

static int tear_down(void **state)
{
    free(bytes);
    return remove_dir(state);
}

TEST(every_dtype_comes_back)
{
    static const char *const metadata[] = { "b", "2", "a", "\xe4\xbd\x8d" };
    static const char *const order[] = { "f64",   "i64",  "f32", "i32",
                                         "empty", "bf16", "f16" };
    unsigned char data[7][24];
    locant_named_tensor in[7];
    locant_tensors *t;
    int64_t shape[] = { 3, 1 };

    for (size_t i = 0; i < sizeof data; i++)
        ((unsigned char *)data)[i] = (unsigned char)test_rand();
    for (int d = LOCANT_F32; d <= LOCANT_I64; d++) {
        in[d].name = locant_dtype_name((locant_dtype)d);
        in[d].tensor = locant_dense(data[d], (locant_dtype)d, 2, shape);
    }
    in[6].name = "empty";
    in[6].tensor = DENSE(F16, NULL, 0);
    CHECK_OK(locant_tensors_write(path, in, 7, metadata, 2));
    CHECK_OK(locant_tensors_read(&t, path));
    for (size_t i = 0; i < 7; i++) {
        const locant_tensor *x = locant_tensors_find(t, in[i].name);

        CHECK(x != NULL && x->dtype == in[i].tensor.dtype);
        CHECK(x->rank == in[i].tensor.rank);
        CHECK(x->shape[0] == in[i].tensor.shape[0]);
        CHECK((uintptr_t)x->data % locant_dtype_size(x->dtype) == 0);
        if (i < 6)
            CHECK(memcmp(x->data, data[i], 3 * locant_dtype_size(x->dtype)) ==
                  0);
    }
    for (size_t i = 0; i < 7; i++) {
        const char *name;

        CHECK(locant_tensors_at(t, i, &name) != NULL);
        /* an empty tensor shares its start, and comes first there */
        CHECK(i >= 4 || strcmp(name, order[i]) == 0);
    }
    CHECK(strcmp(locant_tensors_metadata(t, "a"), "\xe4\xbd\x8d") == 0);
    CHECK(strcmp(locant_tensors_metadata(t, "b"), "2") == 0);
    locant_tensors_free(t);
}

TEST(writes_the_documented_bytes)
{
    static const char *const metadata[] = { "format", "pt" };
    const char header[] = "{\"__metadata__\":{\"format\":\"pt\"},\"w\":{"
                          "\"dtype\":\"F32\",\"shape\":[2],"
                          "\"data_offsets\":[0,8]}}";
    float x[2] = { 1, 2 };
    char got[200];
    locant_named_tensor in = { "w", DENSE(F32, x, 2) };
    size_t n = sizeof header - 1, padded = (n + 7) / 8 * 8;
    FILE *file;

    CHECK_OK(locant_tensors_write(path, &in, 1, metadata, 1));
    file = fopen(path, "rb");
    CHECK(fread(got, 1, sizeof got, file) == 8 + padded + 8);
    fclose(file);
    CHECK((size_t)got[0] == padded);
    CHECK(memcmp(got + 1, "\0\0\0\0\0\0\0", 7) == 0);
    CHECK(memcmp(got + 8, header, n) == 0);
    for (size_t i = n; i < padded; i++)
        CHECK(got[8 + i] == ' ');
    CHECK(memcmp(got + 8 + padded, x, 8) == 0);
}

/* A header of odd length, and an odd number of float16 before a float32. */
TEST(reads_unaligned_files)
{
    make("{" A("F16", "[1]", "[0,2]") "," B("F64", "[1]", "[2,10]") "} ", 10);
    for (int pad = 0; pad < 2; pad++) {
        FILE *file = fopen(path, "wb");
        locant_tensors *t;

        if (pad == 1)
            make("{" A("F16", "[1]", "[0,2]") "," B("F64", "[1]", "[2,10]") "}",
                 10);
        CHECK(fwrite(bytes, 1, size, file) == size);
        fclose(file);
        CHECK_OK(locant_tensors_read(&t, path));
        CHECK(memcmp(locant_tensors_find(t, "a")->data, "\1\2", 2) == 0);
        CHECK(memcmp(locant_tensors_find(t, "b")->data, "\3\4\5\6\7\10\11\12",
                     8) == 0);
        CHECK((uintptr_t)locant_tensors_find(t, "b")->data % 8 == 0);
        locant_tensors_free(t);
    }
}

static void write_refused(const char *a, const char *b, locant_status status,
                          const char *sentence)
{
    float x[2] = { 1, 2 };
    locant_named_tensor in[2] = {
        { a, DENSE(F32, x, 2) },
        { b, DENSE(F32, x, 2) },
    };

    unlink(path);
    CHECK_REFUSED(locant_tensors_write(path, in, 2, NULL, 0), status, sentence);
    CHECK(access(path, F_OK) != 0);
}

TEST(refuses_to_write_bad_names)
{
    write_refused("a", "a", LOCANT_ERR_PARAM,
                  "locant_tensors_write: two tensors are named 'a'");
    write_refused("a", "", LOCANT_ERR_PARAM,
                  "locant_tensors_write: a tensor "
                  "has a name of 0 bytes, 1 to 65535 allowed");
    write_refused("a", NULL, LOCANT_ERR_NULL,
                  "locant_tensors_write: the name "
                  "of tensor 1 is NULL");
    write_refused("__metadata__", "b", LOCANT_ERR_PARAM,
                  "locant_tensors_write:"
                  " a tensor is named '__metadata__', which is the metadata's");
    write_refused("a", "\xff", LOCANT_ERR_PARAM,
                  "locant_tensors_write: '\\xff' is not UTF-8");
}

TEST(refuses_bad_arguments)
{
    static const char *const twice[] = { "k", "1", "k", "2" };
    static const char *const missing[] = { "k", NULL };
    static const char *const broken[] = { "k", "\xff" };
    float x[4] = { 0 };
    locant_named_tensor in = { "w", DENSE(F32, x, 2, 2) };
    locant_tensors *t;

    REFUSES(NULL, locant_tensors_read(NULL, path), "out is NULL");
    REFUSES(NULL, locant_tensors_read(&t, NULL), "path is NULL");
    REFUSES(NULL, locant_tensors_parse(&t, NULL, 1, "x"), "bytes is NULL");
    REFUSES(NULL, locant_tensors_write(NULL, &in, 1, NULL, 0), "path is NULL");
    REFUSES(NULL, locant_tensors_write(path, NULL, 1, NULL, 0),
            "tensors is NULL");
    REFUSES(NULL, locant_tensors_write(path, &in, 1, NULL, 1),
            "metadata is NULL");
    REFUSES(PARAM, locant_tensors_write(path, &in, 1, twice, 2),
            "metadata key 'k' comes twice");
    REFUSES(NULL, locant_tensors_write(path, &in, 1, missing, 1),
            "metadata pair 0 has a NULL");
    REFUSES(PARAM, locant_tensors_write(path, &in, 1, broken, 1),
            "metadata key 'k' or its value is not UTF-8");
    in.tensor.stride[0] = 1;
    REFUSES(LAYOUT, locant_tensors_write(path, &in, 1, NULL, 0),
            "w has stride 1 in dimension 0, a dense array 2");
}

/* Each two bytes, with tails that make three or four of them, or do not. */
TEST(utf8_is_what_jansson_takes)
{
    static const char *const tails[] = { "", "\x80", "\xbf\x80", "a" };

    for (unsigned b = 0x7f01; b <= 0xffff; b++)
        for (size_t i = 0; i < LEN(tails); i++) {
            char text[8];
            json_t *taken;

            snprintf(text, sizeof text, "%c%c%s", (char)(b >> 8), (char)b,
                     tails[i]);
            taken = json_string(text);
            if (lct_is_utf8(text) != (taken != NULL))
                FAIL("%04x, tail %zu\n", b, i);
            json_decref(taken);
        }
}

/* ------------------------------------------------------------------- memory */

TEST(survives_every_failing_allocation)
{
    static const char *const metadata[] = { "k", "v" };
    float x[3] = { 1, 2, 3 };
    locant_named_tensor in = { "w", DENSE(F32, x, 3) };
    locant_status status = LOCANT_ERR_NOMEM;
    locant_tensors *t;
    long k;

    for (k = 1; status == LOCANT_ERR_NOMEM; k++) {
        test_memory_fail(k);
        status = locant_tensors_write(path, &in, 1, metadata, 1);
        CHECK(test_memory_held() == 0);
    }
    CHECK(status == LOCANT_OK && k > 2);
    status = LOCANT_ERR_NOMEM;
    for (k = 1; status == LOCANT_ERR_NOMEM; k++) {
        test_memory_fail(k);
        status = locant_tensors_read(&t, path);
        CHECK(status == LOCANT_OK || (t == NULL && test_memory_held() == 0));
    }
    CHECK(status == LOCANT_OK && k > 6);
    locant_tensors_free(t);
    CHECK(test_memory_held() == 0);
    make(small, 10);
    status = LOCANT_ERR_NOMEM;
    for (k = 1; status == LOCANT_ERR_NOMEM; k++) {
        test_memory_fail(k);
        status = locant_tensors_parse(&t, bytes, size, "x");
        CHECK(status == LOCANT_OK || (t == NULL && test_memory_held() == 0));
    }
    CHECK(status == LOCANT_OK && k > 6);
    locant_tensors_free(t);
    CHECK(test_memory_held() == 0);
    test_memory_end();
}

/* Memory of the library and of jansson, the bytes asked for. */
static size_t taken, most;

static void *counted_malloc(size_t n)
{
    size_t *head = malloc(16 + n);

    CHECK(head != NULL);
    *head = n;
    taken += n;
    most = taken > most ? taken : most;
    return (char *)head + 16;
}

static void counted_free(void *memory)
{
    if (memory == NULL)
        return;
    taken -= *(size_t *)((char *)memory - 16);
    free((char *)memory - 16);
}

static void *counted_alloc(size_t n, void *context)
{
    (void)context;
    return counted_malloc(n);
}

static void counted_release(void *memory, void *context)
{
    (void)context;
    counted_free(memory);
}

/* 'n' times the piece between a beginning and an end */
static void make_repeated(const char *begin, const char *piece, int n,
                          const char *end)
{
    size_t length = strlen(begin) + (size_t)n * strlen(piece) + strlen(end);

    start(length);
    raw(begin, strlen(begin));
    for (int i = 0; i < n; i++)
        raw(piece, strlen(piece));
    raw(end, strlen(end));
}

static void check_memory(void)
{
    static const locant_allocator counting = { counted_alloc, counted_release,
                                               NULL };
    locant_tensors *t;
    locant_status status;

    json_set_alloc_funcs(counted_malloc, counted_free);
    locant_set_allocator(&counting);
    most = 0;
    status = locant_tensors_parse(&t, bytes, size, "x");
    if (most > 8 * size + 64 * 1024)
        FAIL("%zu bytes of memory for a file of %zu", most, size);
    if (status == LOCANT_OK)
        locant_tensors_free(t);
    CHECK(taken == 0);
    locant_set_allocator(NULL);
    json_set_alloc_funcs(malloc, free);
}

TEST(takes_at_most_eight_bytes_per_byte)
{
    static const struct {
        const char *begin, *piece, *end;
    } cases[] = {
        { "{\"__metadata__\":{\"a\":\"", "q", "\"}}" },
        { "{\"__metadata__\":{\"a\":\"", "\\n", "\"}}" },
        { "{\"__metadata__\":{", "\"\":\"\",", "\"a\":\"\"}}" },
        { "{\"__metadata__\":{\"a\":[", "[],", "[]]}}" },
        { "{\"", "n", "\":{}}" },
        { "{\"a\":{\"new\":[", "{},", "{}]}}" },
        { "{\"a\":{\"new\":[", "1,", "1]}}" },
        { "{\"a\":{\"new\":[", "\"\",", "1]}}" },
        { "{\"a\":{\"new\":\"", "x", "\"}}" },
        { "{\"a\":{\"shape\":[", "1,", "1]}}" },
        { "{\"a\":{\"dtype\":{\"", "1", "\":0}}}" },
        { "{\"a\":{\"dtype\":[", "1,", "1]}}" },
        { "{\"a\":{\"data_offsets\":[", "[[]],", "1]}}" },
        { "{\"a\":{\"new\":", "[", "}}" },
        { "{", "\"a\":0,", "\"b\":0}" },
    };

    for (size_t i = 0; i < LEN(cases); i++)
        for (int n = 10; n <= 1000000; n *= 10) {
            make_repeated(cases[i].begin, cases[i].piece, n, cases[i].end);
            check_memory();
        }
    make_many(100000, false);
    check_memory();
    make_many(1000, false);
    check_memory();
}

TEST_GROUP(set_up, tear_down)
