/* test_corpus_text.c - SHA-256, generator, cuts, blocks, batches, folders */
/* needs: lab */
#include "../src/files/sha256.h"
#include "test_corpus_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- SHA-256 */

/* FIPS 180-4 examples (NIST: SHA256.pdf); runs of 'a' by coreutils 9.1. */
TEST(sha256_matches_standard)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "",
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc",
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
          "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" }
    };
    static const struct {
        size_t size;
        const char *want;
    } runs[] = {
        { 55,
          "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318" },
        { 63,
          "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34" },
        { 64,
          "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb" },
        { 1000000,
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0" }
    };
    char *text = malloc(1000000), got[65];

    for (size_t i = 0; i < LEN(cases); i++) {
        lct_sha256_hex(got, cases[i].text, strlen(cases[i].text));
        assert_string_equal(got, cases[i].want);
    }
    memset(text, 'a', 1000000);
    for (size_t i = 0; i < LEN(runs); i++) {
        lct_sha256_hex(got, text, runs[i].size);
        assert_string_equal(got, runs[i].want);
    }
    free(text);
}

/* --------------------------------------------------------------- generator */

/*
 * The generator's bytes are promised, because runs on them are compared between
 * machines. A change of the grammar changes this SHA-256 and is told in NEWS.
 */
TEST(generator_is_reproducible)
{
    OWNED(locant_corpus) *c = generated(0, 1), *again = generated(0, 1),
                         *other = generated(0, 2);

    check_whole(c);
    assert_string_equal(
        c->info.sha256,
        "7d5a7f1368e286134a3eea58638d73c6e75f07902e2a795b39a3934884c4dd21");
    assert_string_equal(c->info.sha256, again->info.sha256);
    assert_string_not_equal(c->info.sha256, other->info.sha256);
    CHECK(c->info.bytes <= 4 << 20 && c->info.bytes > (4 << 20) - 4096);
}

/* Enumerators count up by one; braces never close more than they open. */
TEST(generator_keeps_its_grammar)
{
    OWNED(locant_corpus) *c = generated(1 << 20, 3);
    const struct lct_split *s = lct_corpus_split(c, LCT_TRAIN);
    size_t steps = 0;

    for (size_t f = 0; f < s->files; f++) {
        long value, last = -2;
        int depth = 0;

        for (size_t i = s->start[f] + 1; i < s->start[f + 1]; i++) {
            depth += (s->bytes[i] == '{') - (s->bytes[i] == '}');
            CHECK(depth >= 0 && depth <= 6);
            if (s->bytes[i] == '{')
                last = -2;
            if (i + 4 >= s->start[f + 1] ||
                memcmp(s->bytes + i, " = ", 3) != 0 || s->bytes[i + 3] < '0' ||
                s->bytes[i + 3] > '9')
                continue;
            value = strtol((const char *)s->bytes + i + 3, NULL, 10);
            if (s->bytes[i - 1] >= 'a') /* a loop's "= 0", not an enumerator */
                continue;
            CHECK(last == -2 || value == last + 1);
            steps += last != -2;
            last = value;
        }
    }
    CHECK(steps > 1000);
}

/* The order of a folder's entries differs from disk to disk. */
TEST(shuffle_does_not_depend_on_the_listing)
{
    struct lct_path a[40], b[40];
    struct lct_listing l = { .files = { a, 40, 40 } },
                       m = { .files = { b, 40, 40 } };
    char names[40][16];

    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "x/%c%zu", i % 2 ? 'a' : '\xe4', i);
        a[i] = (struct lct_path){ .path = names[i], .key = 2 };
        b[(i + 17) * 3 % 40] = a[i];
    }
    a[39] = a[38]; /* the same name below another root */
    a[39].root = 1;
    b[(39 + 17) * 3 % 40] = a[39];
    lct_listing_shuffle(&l, 4);
    lct_listing_shuffle(&m, 4);
    for (size_t i = 0; i < 40; i++)
        CHECK(a[i].path == b[i].path && a[i].root == b[i].root);
}

TEST(cut_is_at_most_the_limit)
{
    static const uint8_t text[] = "ab\ncd\xc3\xa9gh\nij";

    CHECK(lct_cut(text, 13, 13) == 13 && lct_cut(text, 13, 99) == 13);
    CHECK(lct_cut(text, 13, 12) == 10); /* after the second line */
    CHECK(lct_cut(text, 13, 4) == 4);   /* no line end in the last quarter */
    CHECK(lct_cut(text, 13, 3) == 3);
    CHECK(lct_cut(text, 13, 6) == 5); /* not inside a character */
    CHECK(lct_cut((const uint8_t *)"\x80\x80\x80\x80\x80\x80", 6, 5) == 5);
    for (size_t limit = 1; limit < 13; limit++)
        CHECK(lct_cut(text, 13, limit) - 1 < limit); /* 1 .. limit */
}

/* ----------------------------------------------------------------- batches */

TEST(test_blocks_are_apart)
{
    OWNED(locant_corpus) *c = generated(0, 1);
    const struct lct_split *s = lct_corpus_split(c, LCT_TEST);
    size_t ends[2000], few[10], other[10], n, per_file[500] = { 0 }, moved = 0;

    n = lct_choose_blocks(ends, LEN(ends), lct_corpus_split(c, LCT_TEST), 5);
    CHECK(n > 96 && n < LEN(ends) && s->files <= LEN(per_file));
    for (size_t b = 0; b < n; b++) {
        size_t f = 0;

        while (s->start[f + 1] < ends[b])
            f++;
        CHECK(ends[b] >= s->start[f] + 1 + LCT_TEST_FILE_MIN);
        CHECK(++per_file[f] <= LCT_BLOCKS_PER_FILE);
        for (size_t a = 0; a < b; a++)
            CHECK(ends[a] + 64 <= ends[b] || ends[b] + 64 <= ends[a]);
    }
    /* fewer blocks are the first of them, and another seed chooses others */
    CHECK(lct_choose_blocks(few, 10, lct_corpus_split(c, LCT_TEST), 5) == 10);
    assert_memory_equal(few, ends, sizeof few);
    CHECK(lct_choose_blocks(other, 10, lct_corpus_split(c, LCT_TEST), 6) == 10);
    for (size_t b = 0; b < 10; b++)
        moved += other[b] != few[b];
    CHECK(moved > 5);
    CHECK(lct_choose_blocks(few, 0, lct_corpus_split(c, LCT_TEST), 5) == 0);
}

TEST(batches_repeat_and_cover)
{
    OWNED(locant_corpus) *c = generated(64 << 10, 1);
    int64_t size = (int64_t)c->info.train_bytes;
    size_t a[64], b[64], low = (size_t)size, high = 0;

    for (int64_t step = 0; step < 50; step++) {
        lct_batch_starts(a, 64, 128, lct_corpus_split(c, LCT_TRAIN), 1, step);
        lct_batch_starts(b, 64, 128, lct_corpus_split(c, LCT_TRAIN), 1, step);
        assert_memory_equal(a, b, sizeof a);
        lct_batch_starts(b, 64, 128, lct_corpus_split(c, LCT_TRAIN), 1,
                         step + 1);
        assert_memory_not_equal(a, b, sizeof a);
        lct_batch_starts(b, 64, 128, lct_corpus_split(c, LCT_TRAIN), 2, step);
        assert_memory_not_equal(a, b, sizeof a);
        for (int i = 0; i < 64; i++) {
            CHECK(a[i] + 128 + 1 <= (size_t)size);
            low = a[i] < low ? a[i] : low;
            high = a[i] > high ? a[i] : high;
        }
    }
    /* 3200 uniform starts miss a tenth at either end with p = .9^3200. */
    CHECK(low < (size_t)size / 10 && high > (size_t)size / 10 * 9);
    lct_batch_starts(a, 64, size - 1, lct_corpus_split(c, LCT_TRAIN), 1, 0);
    for (int i = 0; i < 64; i++)
        CHECK(a[i] == 0);
}

/* Each step moves all rows on by 'length', cyclically. */
TEST(segments_follow_each_other)
{
    OWNED(locant_corpus) *c = generated(64 << 10, 1);
    size_t places = c->info.train_bytes - 128, a[8], b[8], whole[1];

    lct_segment_starts(a, 8, 128, lct_corpus_split(c, LCT_TRAIN), 3, 0);
    for (int64_t step = 1; step < 2000; step++) {
        lct_segment_starts(b, 8, 128, lct_corpus_split(c, LCT_TRAIN), 3, step);
        for (int i = 0; i < 8; i++) {
            CHECK(b[i] == (a[i] + 128) % places);
            a[i] = b[i];
        }
    }
    lct_segment_starts(b, 8, 128, lct_corpus_split(c, LCT_TRAIN), 4, 1999);
    assert_memory_not_equal(a, b, sizeof a);
    for (int i = 1; i < 8; i++) /* far apart */
        CHECK((a[i] + places - a[i - 1]) % places == places / 8);
    lct_segment_starts(whole, 1, (int64_t)c->info.train_bytes - 1,
                       lct_corpus_split(c, LCT_TRAIN), 3, 7);
    CHECK(whole[0] == 0);
}

/* ----------------------------------------------------------------- folders */

TEST(folders_are_named_below_include)
{
    static const struct {
        const char *path;
        size_t bytes;
    } files[] = { { "/usr/include/linux/a.h", 3 },
                  { "/usr/include/stdio.h", 6 },
                  { "/usr/include/linux/can/raw.h", 4 },
                  { "/usr/lib/gcc/x/12/include/float.h", 5 } };
    struct lct_folders f = { 0 };
    locant_corpus c = { 0 };
    struct lct_folder kept[LCT_FOLDERS];

    for (size_t i = 0; i < LEN(files); i++)
        CHECK_OK(lct_folders_add(&f, files[i].path, files[i].bytes));
    lct_folders_keep(&c, &f);
    CHECK(lct_corpus_folders(kept, &c) == 3);
    CHECK(strcmp(kept[0].name, "/usr/include/linux") == 0 &&
          kept[0].bytes == 7);
    CHECK(strcmp(kept[1].name, "/usr/include") == 0 && kept[1].bytes == 6);
    CHECK(strcmp(kept[2].name, "/usr/lib/gcc/x/12/include") == 0 &&
          kept[2].bytes == 5);
    locant_release(f.at);
}

/* There are more folders than LCT_FOLDERS, and the largest has a long name. */
TEST(largest_folders_are_kept)
{
    struct lct_folders f = { 0 };
    locant_corpus c = { 0 };
    struct lct_folder kept[LCT_FOLDERS];
    char path[400];
    size_t sum = 0;

    for (size_t i = 1; i <= 40; i++) {
        snprintf(path, sizeof path, "/include/%0*zu/x.h", i == 40 ? 300 : 2, i);
        CHECK_OK(lct_folders_add(&f, path, i));
    }
    lct_folders_keep(&c, &f);
    CHECK(lct_corpus_folders(kept, &c) == LCT_FOLDERS);
    CHECK(strlen(kept[0].name) == sizeof kept[0].name - 1);
    for (size_t i = 0; i < LCT_FOLDERS; i++)
        sum += kept[i].bytes;
    CHECK(sum == LCT_FOLDERS * (40 + 40 - LCT_FOLDERS + 1) / 2);
    locant_release(f.at);
}

TEST(only_headers_have_folders)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    struct lct_folder kept[LCT_FOLDERS];
    locant_corpus *c;
    size_t n, sum = 0;

    o.kind = LOCANT_CORPUS_HEADERS;
    CHECK_OK(locant_corpus_create(&c, &o));
    n = lct_corpus_folders(kept, c);
    CHECK(n > 0);
    for (size_t i = 0; i < n; i++) {
        CHECK(strstr(kept[i].name, "/include") != NULL);
        CHECK(i == 0 || kept[i].bytes <= kept[i - 1].bytes);
        sum += kept[i].bytes;
    }
    CHECK(sum <= c->info.bytes);
    locant_corpus_free(c);
    c = generated(64 << 10, 1);
    CHECK(lct_corpus_folders(kept, c) == 0);
    locant_corpus_free(c);
}

/* ---------------------------------------------------------------- refusals */

TEST(refuses_bad_arguments)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    const char *none = NULL;
    locant_corpus *c;

    REFUSES(NULL, locant_corpus_create(NULL, &o), "out is NULL");
    REFUSES(NULL, locant_corpus_create(&c, NULL), "options is NULL");
    o.struct_size = 8;
    CHECK(locant_corpus_create(&c, &o) == LOCANT_ERR_PARAM && c == NULL);
    o.struct_size = sizeof o;
    o.max_bytes = 1000;
    REFUSES(PARAM, locant_corpus_create(&c, &o),
            "max_bytes is 1000, expected 0 or 1048576 .. 268435456");
    o.kind = LOCANT_CORPUS_FILES;
    REFUSES(PARAM, locant_corpus_create(&c, &o),
            "max_bytes is 1000, expected 0 or 65536 .. 268435456");
    o.max_bytes = 0;
    REFUSES(PARAM, locant_corpus_create(&c, &o),
            "n_paths is 0, kind FILES needs at least one path");
    o.n_paths = 1;
    REFUSES(NULL, locant_corpus_create(&c, &o),
            "paths is NULL, expected 1 paths");
    o.paths = &none;
    REFUSES(NULL, locant_corpus_create(&c, &o), "paths[0] is NULL");
    o.kind = (locant_corpus_kind)7;
    REFUSES(PARAM, locant_corpus_create(&c, &o),
            "kind is 7, expected 0, 1 or 2");
    locant_corpus_free(NULL);
    CHECK(locant_corpus_info_of(NULL) == NULL);
}
