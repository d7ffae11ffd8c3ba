/* needs: lab */
/* test_weights.c - tensors of checkpoints: shards, indexes, hostile files */
#define _GNU_SOURCE
#include "../src/families/weights.h"
#include "../src/files/gguf.h"
#include "gguf_bytes.h"
#include "scratch_case.h"
#include "tensors_bytes.h"
#include <fcntl.h>
#include <time.h>

static void free_bytes(void)
{
    free(bytes);
    bytes = NULL;
    size = room = 0;
}

/* Write a file of the folder: a header and 'data' bytes 1, 2, 3, .. */
static void write_file(const char *name, const char *header, size_t data)
{
    make(header, data);
    scratch_write(scratch_file(&dir, name), bytes, size);
    free_bytes();
}

static void write_text(const char *name, const char *text)
{
    scratch_write(scratch_file(&dir, name), text, strlen(text));
}

/* Opening 'name' of the folder fails with "FOLDER/'at'SENTENCE", in which %
   stands for the folder. */
static void refused_at(const char *name, locant_status status, const char *at,
                       const char *sentence)
{
    struct lct_weights *w = (struct lct_weights *)&dir;
    char want[8192];

    snprintf(want, sizeof want, "%s/%s: %s", dir.path, at, sentence);
    CHECK_REFUSED(
        lct_weights_open(&w, *name ? scratch_file(&dir, name) : dir.path),
        status, want);
    CHECK(w == NULL);
}

static struct lct_weights *opened(const char *name)
{
    struct lct_weights *w;

    CHECK_OK(lct_weights_open(&w, *name ? scratch_file(&dir, name) : dir.path));
    return w;
}

#define ONE(name, dtype, shape, offsets)                                       \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape                   \
    ",\"data_offsets\":" offsets "}"

static const char index_text[] =
    "{\"metadata\":{\"total_size\":20},\"weight_map\":{"
    "\"a\":\"m1.safetensors\",\"b\":\"m1.safetensors\","
    "\"c\":\"m2.safetensors\"}}";
static const char first[] = "{" ONE("b", "U8", "[4]", "[0,4]") "," ONE(
    "a", "F16", "[2,2]", "[4,12]") "}";
static const char second[] = "{" ONE("c", "F64", "[1]", "[0,8]") "}";
static const char index_name[] = "model.safetensors.index.json";

static void write_shards(void)
{
    write_text(index_name, index_text);
    write_file("m1.safetensors", first, 12);
    write_file("m2.safetensors", second, 8);
}

IN_SCRATCH(shards_are_one_checkpoint)
{
    struct lct_weights *w;
    const struct lct_weight *a;
    float part[2];
    double all[4];

    write_shards();
    w = opened("");
    CHECK(strcmp(lct_weights_at(w, 0)->name, "a") == 0);
    CHECK(strcmp(lct_weights_at(w, 2)->name, "c") == 0);
    CHECK(lct_weights_at(w, 3) == NULL && lct_weights_find(w, "d") == NULL);
    CHECK(lct_weights_gguf(w) == NULL);
    a = lct_weights_find(w, "a");
    CHECK(a->rank == 2 && a->shape[0] == 2 && a->shape[1] == 2);
    CHECK(strcmp(a->type->name, "F16") == 0 && a->bytes == 8);
    CHECK(strcmp(a->file, scratch_file(&dir, "m1.safetensors")) == 0);
    lct_weight_floats(part, a, 2, 2);
    lct_weight_doubles(all, a, 0, 4);
    CHECK(part[0] == lct_number_half(0x0a09) && all[3] == (double)part[1]);
    lct_weight_doubles(all, lct_weights_find(w, "b"), 1, 3);
    CHECK(all[0] == 2 && all[2] == 4);
    lct_weights_close(w);
    w = opened(index_name);
    CHECK(lct_weights_find(w, "c") != NULL);
    lct_weights_close(w);
    w = opened("m2.safetensors");
    CHECK(lct_weights_at(w, 1) == NULL);
    lct_weights_close(w);
}

IN_SCRATCH(one_file_comes_before_an_index)
{
    struct lct_weights *w;

    write_shards();
    write_file(
        "model.safetensors",
        "{\"__metadata__\":{\"k\":\"v\",\"locant.pairing\":\"half\"}," ONE(
            "z", "BOOL", "[]", "[0,1]") "}",
        1);
    w = opened("");
    CHECK(strcmp(lct_weights_at(w, 0)->name, "z") == 0);
    CHECK(strcmp(lct_weights_metadata(w, LCT_WEIGHTS_PAIRING), "half") == 0);
    CHECK(strcmp(lct_weights_metadata(w, "k"), "v") == 0);
    CHECK(lct_weights_metadata(w, "x") == NULL);
    lct_weights_close(w);
}

struct bad_index {
    const char *map, *sentence;
};

IN_SCRATCH(refuses_a_wrong_index)
{
    static const char place[] = ", the name of a file of its folder expected";
    static const struct bad_index rows[] = {
        { "\"a\":\"../m1.safetensors\"", "tensor 'a': '../m1.safetensors'" },
        { "\"a\":\"/m1.safetensors\"", "tensor 'a': '/m1.safetensors'" },
        { "\"a\":\"..\"", "tensor 'a': '..'" },
        { "\"a\":\"\"", "tensor 'a': ''" },
        { "\"a\":3", "tensor 'a': is no text" },
    };
    char text[512], want[512];

    for (size_t i = 0; i < LEN(rows); i++) {
        snprintf(text, sizeof text, "{\"weight_map\":{%s}}", rows[i].map);
        write_text(index_name, text);
        snprintf(want, sizeof want, "weight_map: %s%s", rows[i].sentence,
                 place);
        refused_at("", LOCANT_ERR_FORMAT, index_name, want);
    }
    write_text(index_name, "{\"weight_map\":[]}");
    refused_at("", LOCANT_ERR_FORMAT, index_name,
               "weight_map: is no object, an object is required");
    write_text(index_name, "{}");
    refused_at("", LOCANT_ERR_FORMAT, index_name,
               "weight_map: is absent, an object is required");
    write_text(index_name, "[]");
    refused_at("", LOCANT_ERR_FORMAT, index_name,
               "is an array, an object is required");
    write_text(index_name, "{\"weight_map\":{\"a\":\"x\",\"a\":\"x\"}}");
    refused_at("", LOCANT_ERR_FORMAT, index_name,
               "line 1, column 26: duplicate object key near '\"a\"'");
}

IN_SCRATCH(refuses_shards_that_disagree_with_the_index)
{
    char want[4096];

    write_text(index_name, index_text);
    write_file("m1.safetensors", first, 12);
    refused_at("", LOCANT_ERR_IO, "m2.safetensors",
               "cannot be opened: No such file or directory");
    write_file("m2.safetensors", "{" ONE("d", "F64", "[1]", "[0,8]") "}", 8);
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "tensor 'd' is not named by model.safetensors.index.json");
    write_file("m2.safetensors", "{}", 0);
    refused_at("", LOCANT_ERR_FORMAT, index_name,
               "weight_map: tensor 'c' is not in 'm2.safetensors'");
    write_file("m2.safetensors", "{" ONE("a", "F64", "[1]", "[0,8]") "}", 8);
    snprintf(want, sizeof want,
             "tensor 'a' is also in %s/m2.safetensors, one of them expected",
             dir.path);
    refused_at("", LOCANT_ERR_FORMAT, "m1.safetensors", want);
    write_file("m1.safetensors",
               "{" ONE("b", "U8", "[4]", "[0,4]") "," ONE("c", "F64", "[1]",
                                                          "[4,12]") "}",
               12);
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "tensor 'a' is expected in 'm1.safetensors' by "
               "model.safetensors.index.json");
}

IN_SCRATCH(refuses_shards_of_two_pairings)
{
    char want[4096];

    write_shards();
    write_file("m2.safetensors",
               "{\"__metadata__\":{\"locant.pairing\":\"interleaved\"}," ONE(
                   "c", "F64", "[1]", "[0,8]") "}",
               8);
    snprintf(want, sizeof want,
             "metadata: locant.pairing is 'interleaved', but '' in "
             "m1.safetensors");
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors", want);
}

IN_SCRATCH(refuses_hostile_shards)
{
    write_shards();
    write_file("m2.safetensors", second, 7);
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "header[byte 55]: tensor 'c': data_offsets: ends at 8, the file "
               "holds 7 bytes of data");
    write_file("m2.safetensors", "{" ONE("c", "Q4", "[1]", "[0,8]") "}", 8);
    refused_at("", LOCANT_ERR_UNSUPPORTED, "m2.safetensors",
               "header: tensor 'c': dtype: 'Q4'; known: F32 F64 F16 BF16 "
               "F8_E4M3 F8_E5M2 F8_E8M0 I64 I32 I16 I8 U64 U32 U16 U8 BOOL");
    write_file("m2.safetensors",
               "{" ONE("c", "U8", "[5]", "[0,5]") "," ONE("d", "U8", "[4]",
                                                          "[4,8]") "}",
               8);
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "data: tensors 'c' [0,5) and 'd' [4,8) overlap");
    start(1u << 20);
    scratch_write(scratch_file(&dir, "m2.safetensors"), bytes, size);
    free_bytes();
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "truncated: the header has 1048576 bytes, 0 remain");
    scratch_write(scratch_file(&dir, "m2.safetensors"), "", 0);
    refused_at("", LOCANT_ERR_FORMAT, "m2.safetensors",
               "truncated: 0 bytes, 8 needed for the header length");
}

IN_SCRATCH(says_what_a_folder_lacks)
{
    struct lct_weights *w;
    char want[4096];

    snprintf(want, sizeof want,
             "%s: has no weights, model.safetensors or "
             "model.safetensors.index.json expected",
             dir.path);
    CHECK_REFUSED(lct_weights_open(&w, dir.path), LOCANT_ERR_IO, want);
    write_text("pytorch_model.bin", "x");
    snprintf(want, sizeof want,
             "%s: has its weights in pytorch_model.bin; save them as "
             "model.safetensors first",
             dir.path);
    CHECK_REFUSED(lct_weights_open(&w, dir.path), LOCANT_ERR_UNSUPPORTED, want);
    write_text("config.json", "{}");
    refused_at("config.json", LOCANT_ERR_FORMAT, "config.json",
               "has no weights; name its folder");
    refused_at("none", LOCANT_ERR_IO, "none",
               "cannot be opened: No such file or directory");
}

static struct gguf_bytes file;

static void make_gguf(const char *tensor)
{
    put_header(&file, 3, 2, 2);
    put_value(&file, "locant.pairing", LCT_GGUF_TEXT, 4, 8);
    put_bytes(&file, "half", 4);
    put_value(&file, "n", LCT_GGUF_U32, 5, 4);
    put_text(&file, "z");
    file.size -= 1;
    put_bytes(&file, tensor, 1);
    put_number(&file, 1, 4);
    put_number(&file, 4, 8);
    put_number(&file, 30, 4);
    put_number(&file, 0, 8);
    put_tensor(&file, "b", 1, 32, 8, 32);
    put_zeros(&file, 32);
    put_number(&file, 0x40003f80c000bf80, 8);
    put_zeros(&file, 32);
    put_number(&file, 0x3c00, 2);
    for (int i = 0; i < 32; i++)
        put_number(&file, (uint64_t)(i - 16), 1);
}

IN_SCRATCH(gguf_files_are_checkpoints)
{
    struct lct_weights *w;
    float out[32];

    make_gguf("z");
    scratch_write(scratch_file(&dir, "m.gguf"), file.bytes, file.size);
    w = opened("m.gguf");
    CHECK(strcmp(lct_weights_at(w, 0)->name, "b") == 0);
    CHECK(strcmp(lct_weights_at(w, 1)->name, "z") == 0);
    CHECK(strcmp(lct_weights_metadata(w, LCT_WEIGHTS_PAIRING), "half") == 0);
    CHECK(lct_weights_metadata(w, "n") == NULL && lct_weights_gguf(w) != NULL);
    lct_weight_floats(out, lct_weights_find(w, "b"), 0, 32);
    CHECK(out[0] == -16 && out[31] == 15);
    lct_weight_floats(out, lct_weights_find(w, "z"), 1, 3);
    CHECK(out[0] == -2 && out[1] == 1 && out[2] == 2);
    lct_weights_close(w);
    make_gguf("");
    CHECK_REFUSED(lct_weights_parse(&w, file.bytes, file.size, "x"),
                  LOCANT_ERR_FORMAT,
                  "x: tensor '\\x00': a zero byte in its name");
}

TEST(survives_lack_of_memory)
{
    struct lct_weights *w;
    locant_status status;

    make(small, 10);
    make_gguf("z");
    for (int gguf = 0; gguf < 2; gguf++)
        for (long k = 1;; k++) {
            test_memory_fail(k);
            status = lct_weights_parse(&w, gguf ? (char *)file.bytes : bytes,
                                       gguf ? file.size : size, "x");
            if (status == LOCANT_OK) {
                lct_weights_close(w);
                test_memory_end();
                break;
            }
            CHECK(status == LOCANT_ERR_NOMEM && w == NULL);
            CHECK(test_memory_held() == 0);
        }
    free_bytes();
}

/* 5 GB of holes: opening must not read them, nor claim memory for them. */
IN_SCRATCH(opens_gigabytes_by_their_header)
{
    static const char header[] =
        "{" ONE("a", "BF16", "[2500000000]", "[0,5000000000]") "}";
    struct timespec from, to;
    struct lct_weights *w;
    float value;
    int fd;

    write_file("model.safetensors", header, 0);
    fd = open(scratch_file(&dir, "model.safetensors"), O_WRONLY);
    CHECK(fd >= 0);
    if (ftruncate(fd, (off_t)(8 + strlen(header)) + 5000000000) != 0) {
        close(fd);
        skip(); /* the file system has no room for holes */
    }
    close(fd);
    clock_gettime(CLOCK_MONOTONIC, &from);
    w = opened("");
    clock_gettime(CLOCK_MONOTONIC, &to);
    /* 0.1 s is promised; 1 s stands a machine that is busy */
    CHECK((double)(to.tv_sec - from.tv_sec) +
              1e-9 * (double)(to.tv_nsec - from.tv_nsec) <
          1);
    lct_weight_floats(&value, lct_weights_find(w, "a"), 2499999999, 1);
    CHECK(value == 0);
    lct_weights_close(w);
}
