/* needs: lab */
/*
 * test_source.c - what a file says of itself is checked against the file
 * before memory is taken; sparse and huge files are refused.
 */
#define _GNU_SOURCE
#include "scratch.h"
#include "locant/files.h"
#include <inttypes.h>

static const size_t GIB = (size_t)1 << 30, TIB = (size_t)1 << 40;

static struct scratch dir;

static int make_directory(void **state)
{
    (void)state;
    dir = scratch_make();
    return chdir(dir.path);
}

static int remove_directory(void **state)
{
    (void)state;
    CHECK(chdir("..") == 0);
    scratch_remove(&dir);
    return 0;
}

/* A file that begins with these bytes and has a hole behind them. */
static void make_sparse(const char *path, const void *bytes, size_t n,
                        size_t size)
{
    scratch_write(path, bytes, n);
    CHECK(truncate(path, (off_t)size) == 0);
}

static locant_status read_one(const char *path)
{
    locant_status status;
    locant_tensors *t = NULL;
    locant_array a = { .memory = NULL };

    test_memory_fail(0);
    status = strstr(path, ".npy") != NULL ? locant_npy_read(&a, path)
                                          : locant_tensors_read(&t, path);
    locant_tensors_free(t);
    locant_array_free(&a);
    test_memory_end();
    return status;
}

/* Refused with this sentence after at most 128 KiB. */
static void refused(const char *path, locant_status status,
                    const char *sentence)
{
    CHECK_REFUSED(read_one(path), status, sentence);
    if (test_memory_largest() > 128 << 10)
        FAIL("%s: %zu bytes of memory were asked for\n", path,
             test_memory_largest());
}

/* How much of a file a disk holds depends on its blocks. */
static void refused_as_sparse(const char *path, const char *range)
{
    char want[128];

    snprintf(want, sizeof want, "%s: is a sparse file: %s", path, range);
    CHECK(read_one(path) == LOCANT_ERR_FORMAT);
    if (strncmp(locant_last_error(), want, strlen(want)) != 0)
        FAIL("%s\n", locant_last_error());
    CHECK(test_memory_largest() <= 128 << 10);
}

/* A .npy file of n float32, the elements a hole. */
static void make_npy(const char *path, size_t elements, size_t size)
{
    char text[128];

    memset(text, ' ', sizeof text);
    memcpy(text, "\x93NUMPY\x01\x00\x76\x00", 10);
    snprintf(text + 10, sizeof text - 10,
             "{'descr': '<f4', 'fortran_order': "
             "False, 'shape': (%zu,)}",
             elements);
    text[strlen(text + 10) + 10] = ' ';
    make_sparse(path, text, sizeof text, size);
}

/* A safetensors file of one tensor of 'bytes' bytes, a hole. */
static void make_tensors(const char *path, size_t bytes, size_t size)
{
    char text[128] = { 120 };

    memset(text + 8, ' ', 120);
    snprintf(text + 8, 120,
             "{\"a\":{\"dtype\":\"F32\",\"shape\":[%zu],"
             "\"data_offsets\":[0,%zu]}}",
             bytes / 4, bytes);
    text[strlen(text + 8) + 8] = ' ';
    make_sparse(path, text, sizeof text, size);
}

TEST(looks_at_the_header_before_taking_memory)
{
    unsigned char header[9] = { 0, 0, 0, 4, 0, 0, 0, 0, '{' };

    make_sparse("s.npy", "", 0, GIB);
    refused("s.npy", LOCANT_ERR_FORMAT,
            "s.npy: magic: '\\x00\\x00\\x00\\x00"
            "\\x00\\x00', '\\x93NUMPY' expected");
    make_npy("s.npy", 7, GIB);
    refused("s.npy", LOCANT_ERR_FORMAT,
            "s.npy: byte 156: the data ends here, "
            "the file 1073741668 bytes later");
    make_sparse("s.safetensors", "", 0, GIB);
    refused("s.safetensors", LOCANT_ERR_FORMAT,
            "s.safetensors: header[byte 8]:"
            " the header is empty, '{' expected");
    make_tensors("s.safetensors", 28, GIB);
    refused("s.safetensors", LOCANT_ERR_FORMAT,
            "s.safetensors: data: "
            "1073741668 bytes after the last tensor, which ends at 28");
    /* a header of 64 MiB, all but its first byte a hole */
    make_sparse("s.safetensors", header, sizeof header, GIB);
    refused_as_sparse("s.safetensors", "of bytes 8 to 67108871 ");
}

TEST(refuses_holes_where_elements_should_be)
{
    make_npy("s.npy", (GIB - 128) / 4, GIB);
    refused_as_sparse("s.npy", "of bytes 128 to 1073741823 ");
    make_tensors("s.safetensors", GIB - 128, GIB);
    refused_as_sparse("s.safetensors", "of bytes 128 to 1073741823 ");
}

/* What `rsync -S` makes of an honest file: the zeros in it are holes. */
TEST(takes_a_file_with_some_holes)
{
    enum { SIZE = 4 << 20, WRITTEN = SIZE / 8 };
    char *text;
    size_t n;

    make_npy("s.npy", (SIZE - 128) / 4, SIZE);
    text = scratch_read("s.npy", &n);
    scratch_write("s.npy", text, WRITTEN);
    free(text);
    CHECK(truncate("s.npy", SIZE) == 0);
    CHECK_OK(read_one("s.npy"));
}

TEST(refuses_more_than_the_machine_has)
{
    make_npy("s.npy", (8 * TIB - 128) / 4, 8 * TIB);
    refused("s.npy", LOCANT_ERR_NOMEM,
            "s.npy: no memory for 8796093022080 bytes of it");
    make_tensors("s.safetensors", 8 * TIB - 128, 8 * TIB);
    refused("s.safetensors", LOCANT_ERR_NOMEM,
            "s.safetensors: no memory for 8796093022080 bytes of it");
}

TEST_GROUP(make_directory, remove_directory)
