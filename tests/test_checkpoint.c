/*
 * test_checkpoint.c - damage is found, named, and the one before is used.
 * Every fifth bit and byte; LOCANT_CASES=100 takes all.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "train_case.h"
#include "files/crc32c.h"
#include "files/hash.h"
#include "files/tensors.h"
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>

static const char *file_of(const char *name)
{
    return scratch_file(&dir, name);
}

static char *path_of(const locant_store *s, int64_t id)
{
    char *path;

    CHECK_OK(lct_store_run_path(&path, s, id, "safetensors"));
    return path;
}

static char *previous_of(const locant_store *s, int64_t id)
{
    char *path;

    CHECK_OK(lct_store_run_path(&path, s, id, "previous.safetensors"));
    return path;
}

/* RFC 3720, B.4: zeros, ones, rising, falling, an iSCSI command. */
TEST(crc32c_is_that_of_the_rfc)
{
    unsigned char b[32];
    uint32_t whole;

    memset(b, 0, 32);
    CHECK(lct_crc32c(0, b, 32) == 0x8a9136aau);
    memset(b, 255, 32);
    CHECK(lct_crc32c(0, b, 32) == 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        b[i] = (unsigned char)i;
    CHECK(lct_crc32c(0, b, 32) == 0x46dd794eu);
    for (int i = 0; i < 32; i++)
        b[i] = (unsigned char)(31 - i);
    whole = lct_crc32c(0, b, 32);
    CHECK(whole == 0x113fdb5cu);
    for (size_t i = 0; i <= 32; i++)
        CHECK(lct_crc32c(lct_crc32c(0, b, i), b + i, 32 - i) == whole);
}

/* ------------------------------------------------------------------ damage */

struct subject {
    locant_store *store;
    struct lct_model *model;
    locant_encoding *encoding;
    struct lct_checkpoint c; /* key, moments */
    struct lct_run_extra extra;
    char *path, *bytes;
    size_t size;
};

/* A checkpoint of some kilobytes, and a model to read it into. */
static void make_subject(struct subject *x, int64_t memory)
{
    locant_train_options o = tiny("alibi");
    locant_run_info run;
    int64_t id;
    size_t n;

    o.layers = 1;
    o.width = 4;
    o.ff = 4;
    o.steps = 4;
    o.memory = memory;
    x->store = open_store("a");
    id = train(x->store, &o);
    CHECK_OK(locant_store_run(&run, x->store, id));
    CHECK_OK(lct_load_trained(&x->model, &x->encoding, x->store, &run, 128));
    CHECK_OK(lct_store_read_run_extra(&x->extra, x->store, id));
    n = lct_model_size(x->model);
    x->c = (struct lct_checkpoint){ .key = x->extra.key,
                                    .m = locant_alloc(n * sizeof(real)),
                                    .v = locant_alloc(n * sizeof(real)) };
    x->path = path_of(x->store, id);
    x->bytes = scratch_read(x->path, &x->size);
}

static void free_subject(struct subject *x)
{
    lct_model_free(x->model);
    locant_encoding_free(x->encoding);
    locant_release(x->c.m);
    locant_release(x->c.v);
    locant_release(x->path);
    free(x->bytes);
    locant_store_close(x->store);
}

static locant_status read_bytes(struct subject *x, size_t size)
{
    scratch_write(x->path, x->bytes, size);
    return lct_checkpoint_read(&x->c, x->model, x->path);
}

/* Odd, so that every bit of a byte has its turn. */
static size_t stride(void)
{
    const char *cases = getenv("LOCANT_CASES");

    return TEST_SANITIZED ? 101 : cases && atoi(cases) > 99 ? 1 : 5;
}

static void flip(int fd, const struct subject *x, size_t bit)
{
    const char byte = (char)(x->bytes[bit / 8] ^ 1 << bit % 8);

    assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
}

/* Every bit of the header, and one of each 64 bytes of the elements. */
IN_SCRATCH(every_flipped_bit_is_refused)
{
    struct subject x;
    locant_tensors *t;
    size_t data;
    int fd;

    make_subject(&x, 0);
    CHECK_OK(locant_tensors_read(&t, x.path));
    data = t->data;
    locant_tensors_free(t);
    CHECK_OK(read_bytes(&x, x.size));
    CHECK(x.c.step == 4);
    fd = open(x.path, O_WRONLY);
    for (size_t bit = 0; bit < 8 * x.size;
         bit += bit < 8 * data ? stride() : 511) {
        locant_status status;

        flip(fd, &x, bit);
        status = lct_checkpoint_read(&x.c, x.model, x.path);
        if (status != LOCANT_ERR_FORMAT && status != LOCANT_ERR_UNSUPPORTED)
            FAIL("bit %zu of byte %zu flipped: %s\n", bit % 8, bit / 8,
                 locant_status_name(status));
        CHECK(strstr(locant_last_error(), "run-1.safetensors") != NULL);
        assert_int_equal(pwrite(fd, x.bytes + bit / 8, 1, (off_t)(bit / 8)), 1);
    }
    close(fd);
    CHECK_OK(lct_checkpoint_read(&x.c, x.model, x.path));
    free_subject(&x);
}

IN_SCRATCH(a_cut_anywhere_is_refused)
{
    struct subject x;

    make_subject(&x, 0);
    for (size_t size = x.size; size > stride();) {
        size -= stride();
        assert_int_equal(truncate(x.path, (off_t)size), 0);
        assert_int_equal(lct_checkpoint_read(&x.c, x.model, x.path),
                         LOCANT_ERR_FORMAT);
    }
    free_subject(&x);
}

/* The sentence has the tensor, and bytes among which is the one changed. */
IN_SCRATCH(the_damaged_tensor_is_named)
{
    struct subject x;
    locant_tensors *t;
    const locant_tensor *tensor;
    const char *name;
    size_t i = 0;

    make_subject(&x, 8);
    CHECK_OK(locant_tensors_read(&t, x.path));
    for (; (tensor = locant_tensors_at(t, i, &name)) != NULL; i++) {
        size_t at = lct_tensors_offset(t, tensor), n = bytes_of(tensor);
        size_t hit = at + (size_t)test_range(0, (int64_t)n - 1);
        char want[512];

        x.bytes[hit] ^= 4;
        snprintf(want, sizeof want,
                 "%s: not a whole checkpoint of this run:"
                 " tensor '%s', bytes %zu to %zu, does not match its checksum;"
                 " remove the file to train the run from the start",
                 x.path, name, at, at + n - 1);
        CHECK_REFUSED(read_bytes(&x, x.size), LOCANT_ERR_FORMAT, want);
        x.bytes[hit] ^= 4;
    }
    CHECK(i > 8 && locant_tensors_find(t, "layer0.memory") != NULL);
    locant_tensors_free(t);
    free_subject(&x);
}

/* A name with bytes that a terminal would obey is printed with escapes. */
IN_SCRATCH(the_name_of_a_tensor_is_quoted)
{
    struct subject x;
    char *name;

    make_subject(&x, 0);
    name = memmem(x.bytes, x.size, "\"layer0.wq\":", 12);
    CHECK(name != NULL);
    memcpy(name, "\"\x7f[\xc2\x9bqq.wq", 10);
    CHECK(read_bytes(&x, x.size) == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(),
                 ": tensor '\\x7f[\\xc2\\x9bqq.wq', bytes") != NULL);
    free_subject(&x);
}

/* Texts that no run has, with the hash that belongs to them. */
IN_SCRATCH(texts_of_no_run_are_refused)
{
    static const struct {
        int64_t step;
        double seconds;
        const char *what;
    } cases[] = {
        { -1, 1, "its step is not a number of steps" },
        { INT64_MIN, 1, "its step is not a number of steps" },
        { INT64_MAX, 1, "its step is not a number of steps" },
        { 4, -1, "its seconds are not a duration" },
        { 4, NAN, "its seconds are not a duration" },
        { 4, INFINITY, "its seconds are not a duration" },
    };
    struct subject x;

    make_subject(&x, 0);
    CHECK_OK(lct_checkpoint_read(&x.c, x.model, x.path));
    for (size_t i = 0; i < LEN(cases); i++) {
        struct lct_checkpoint wrong = x.c;
        char want[512];

        wrong.step = cases[i].step;
        wrong.seconds = cases[i].seconds;
        CHECK_OK(lct_checkpoint_write(x.path, x.model, &wrong));
        snprintf(want, sizeof want,
                 "%s: not a whole checkpoint of this run:"
                 " %s; remove the file to train the run from the start",
                 x.path, cases[i].what);
        CHECK_REFUSED(lct_checkpoint_read(&x.c, x.model, x.path),
                      LOCANT_ERR_FORMAT, want);
        CHECK(x.c.step == 4);
    }
    free_subject(&x);
}

/* A step beyond the run's last is not taken for a run that is done. */
IN_SCRATCH(a_step_beyond_the_last_is_refused)
{
    locant_train_options o = tiny("alibi");
    char want[512];
    struct subject x;
    int64_t id = 1;

    make_subject(&x, 0);
    CHECK_OK(lct_checkpoint_read(&x.c, x.model, x.path));
    x.c.step = 5;
    CHECK_OK(lct_checkpoint_write(x.path, x.model, &x.c));
    assert_int_equal(sqlite3_exec(x.store->db,
                                  "UPDATE runs SET status = 'int"
                                  "errupted'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    o.layers = 1;
    o.width = o.ff = 4;
    o.steps = 4;
    snprintf(want, sizeof want,
             "%s: is of step 5, but run 1 has 4; with the"
             " file removed it is trained again",
             x.path);
    CHECK_REFUSED(locant_train(&id, x.store, corpus, &o), LOCANT_ERR_FORMAT,
                  want);
    free_subject(&x);
}

/* The checkpoint as format 1 had it: one hash of texts and tensors. 'seconds'
   and 'checksum' replace the texts of these unless NULL. */
static void write_format_1(const struct subject *x, const char *seconds,
                           const char *checksum)
{
    const char *const instead[] = { NULL, NULL, seconds, checksum };
    static const char *const keys[] = { "run", "step", "seconds",
                                        "batch_checksum" };
    const struct lct_model_tensor *list;
    int n = lct_model_tensors(x->model, &list);
    locant_named_tensor named[64];
    const char *pairs[12] = { "format", "locant-checkpoint-1" };
    uint64_t h = LCT_HASH_BEGIN;
    locant_tensors *t;
    char hash[17];
    int k = 0;

    CHECK_OK(locant_tensors_read(&t, x->path));
    for (int i = 0; i < 4; i++) {
        const char *value =
            instead[i] ? instead[i] : locant_tensors_metadata(t, keys[i]);

        pairs[2 + 2 * i] = keys[i];
        pairs[3 + 2 * i] = value;
        h = lct_hash(h, value, strlen(value) + 1);
    }
    for (; k < n + 3; k++) {
        named[k].name = k < n        ? list[k].name
                        : k == n     ? "adamw.m"
                        : k == n + 1 ? "adamw.v"
                                     : "layer0.memory";
        named[k].tensor = *locant_tensors_find(t, named[k].name);
        h = lct_hash(h, named[k].tensor.data, bytes_of(&named[k].tensor));
    }
    snprintf(hash, sizeof hash, "%016" PRIx64, h);
    pairs[10] = "hash";
    pairs[11] = hash;
    CHECK_OK(locant_tensors_write(x->path, named, (size_t)k, pairs, 6));
    locant_tensors_free(t);
}

/* A number ends where its text ends; the hash of each file is right. */
IN_SCRATCH(texts_that_only_begin_as_numbers_are_refused)
{
    static const char no_checksum[] = "its checksum of batches is not 16"
                                      " hexadecimal digits";
    static const struct {
        const char *seconds, *checksum, *what;
    } cases[] = {
        { "1.5x", NULL, "its seconds are not a duration" },
        { "", NULL, "its seconds are not a duration" },
        { "soon", NULL, "its seconds are not a duration" },
        { NULL, "0123456789abcdeg", no_checksum },
        { NULL, "0x23456789abcdef", no_checksum },
        { NULL, "123", no_checksum },
        { NULL, "", no_checksum },
    };

    struct subject x;

    make_subject(&x, 8);
    for (size_t i = 0; i < LEN(cases); i++) {
        char want[512];

        scratch_write(x.path, x.bytes, x.size);
        write_format_1(&x, cases[i].seconds, cases[i].checksum);
        snprintf(want, sizeof want,
                 "%s: not a whole checkpoint of this run: %s; remove the file"
                 " to train the run from the start",
                 x.path, cases[i].what);
        CHECK_REFUSED(lct_checkpoint_read(&x.c, x.model, x.path),
                      LOCANT_ERR_FORMAT, want);
    }
    free_subject(&x);
}

IN_SCRATCH(format_1_is_still_read)
{
    struct subject x;

    make_subject(&x, 8);
    write_format_1(&x, NULL, NULL);
    CHECK_OK(lct_checkpoint_read(&x.c, x.model, x.path));
    CHECK(x.c.step == 4 && x.c.checksum != 0);
    free(x.bytes);
    x.bytes = scratch_read(x.path, &x.size);
    x.bytes[x.size - 9] ^= 1;
    assert_int_equal(read_bytes(&x, x.size), LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "does not match its hash") != NULL);
    free_subject(&x);
}

/* --------------------------------------------------------------- going back */

struct talk {
    int64_t until; /* stop after this step */
    char notice[1024];
};

static int listen_until(const locant_progress *p, void *context)
{
    struct talk *talk = context;

    if (p->notice) {
        CHECK(talk->notice[0] == 0); /* told once */
        snprintf(talk->notice, sizeof talk->notice, "%s", p->notice);
    }
    return p->step >= talk->until;
}

/* Two sittings of two steps, so that both checkpoints are there. */
static int64_t stop_twice(locant_store *s, locant_train_options *o,
                          struct talk *talk)
{
    int64_t id = 0;
    char *previous;

    o->progress = listen_until;
    o->context = talk;
    for (int i = 0; i < 2; i++) {
        talk->until = 0;
        assert_int_equal(locant_train(&id, s, corpus, o),
                         LOCANT_ERR_INTERRUPTED);
    }
    talk->until = o->steps;
    previous = previous_of(s, id);
    CHECK(access(previous, F_OK) == 0);
    locant_release(previous);
    return id;
}

static void damage(const char *path)
{
    size_t size;
    FREED_BY(free_memory) char *bytes = scratch_read(path, &size);

    bytes[size / 2] ^= 1;
    scratch_write(path, bytes, size);
}

IN_SCRATCH(goes_back_to_the_one_before)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny("rope");
    struct talk talk = { 0, "" };
    int64_t i = train(a, &o), id = stop_twice(b, &o, &talk);
    char *path = path_of(b, id), *previous = previous_of(b, id);
    locant_run_info info;

    damage(path);
    assert_int_equal(train(b, &o), id);
    CHECK(strncmp(talk.notice, path, strlen(path)) == 0);
    CHECK(strstr(talk.notice, "does not match its checksum") != NULL);
    CHECK(strstr(talk.notice, "; run 1 went back to step 1") != NULL);
    CHECK_OK(locant_store_run(&info, b, id));
    assert_string_equal(info.message, talk.notice);
    o.progress = NULL;
    check_same_run(a, i, b, id);
    CHECK(access(previous, F_OK) != 0); /* a run that is done has one */
    assert_int_equal(files_in("b"), 1);
    locant_release(path);
    locant_release(previous);
}

IN_SCRATCH(refuses_when_both_are_damaged)
{
    OWNED(locant_store) *s = open_store("a");
    locant_train_options o = tiny("rope");
    struct talk talk = { 0, "" };
    int64_t id = stop_twice(s, &o, &talk);
    char *path = path_of(s, id), *previous = previous_of(s, id);

    damage(path);
    damage(previous);
    assert_int_equal(locant_train(&id, s, corpus, &o), LOCANT_ERR_FORMAT);
    CHECK(strncmp(locant_last_error(), path, strlen(path)) == 0);
    CHECK(access(path, F_OK) == 0 && access(previous, F_OK) == 0);
    /* A checkpoint that is gone, as after a rename that was interrupted. */
    CHECK_OK(locant_store_remove(s, id));
    CHECK(access(path, F_OK) != 0 && access(previous, F_OK) != 0);
    locant_release(path);
    locant_release(previous);
}

/* What a file system without links leaves when the process is killed. */
IN_SCRATCH(continues_from_the_one_before_alone)
{
    OWNED(locant_store) *a = open_store("a"), *b = open_store("b");
    locant_train_options o = tiny("rope");
    struct talk talk = { 0, "" };
    int64_t i = train(a, &o), id = stop_twice(b, &o, &talk);
    FREED_BY(release_memory) char *path = path_of(b, id);

    assert_int_equal(unlink(path), 0);
    assert_int_equal(train(b, &o), id);
    check_same_run(a, i, b, id);
    CHECK(access(file_of("b/checkpoints/run-1.previous.safetensors"), F_OK) !=
          0);
}

TEST_GROUP(make_corpus, free_corpus)
