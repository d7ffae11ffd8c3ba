/* test_store_texts.c - texts are kept with the store and checked when read */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include "files/gzip.h"
#include "store/store_texts.h"
#include <sys/stat.h>

enum { FILES = 12, LINES = 900 };

/* Files of distinct lines in a folder of this name, 250 KB together. */
static void write_files(const char *folder, int lines)
{
    mkdir(scratch_file(&dir, folder), 0777);
    for (int i = 0; i < FILES; i++) {
        char path[PATH_MAX];
        FILE *f;

        snprintf(path, sizeof path, "%s/%d.txt", scratch_file(&dir, folder), i);
        f = fopen(path, "w");
        assert_non_null(f);
        for (int j = 0; j < lines; j++)
            fprintf(f, "line %d of file %d\n", j * 7 % 1013, i);
        fclose(f);
    }
}

static locant_corpus *read_files(const char *folder, locant_keep keep)
{
    const char *path = scratch_file(&dir, folder);

    return corpus_of_files(&path, 1, 0, keep);
}

static const char *sha_of(const locant_corpus *c)
{
    return locant_corpus_info_of(c)->sha256;
}

static int64_t run_on(locant_store *s, const locant_corpus *c)
{
    return add_run_on(s, sha_of(c), sha_of(c));
}

/* The last notice about the text, and how many there were. */
struct heard {
    char notice[512];
    int n;
};

static int listen(const locant_progress *p, void *context)
{
    struct heard *heard = context;

    snprintf(heard->notice, sizeof heard->notice, "%s", p->notice);
    heard->n++;
    return 0;
}

static const char *file_of(const char *sha)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/texts/%s.gz", scratch_file(&dir, "store"),
             sha);
    return path;
}

static void check_same(const locant_corpus *a, const locant_corpus *b)
{
    const locant_corpus_info *x = locant_corpus_info_of(a);
    const locant_corpus_info *y = locant_corpus_info_of(b);

    assert_memory_equal(x, y, sizeof *x);
    for (int part = 0; part < 3; part++) {
        const struct lct_split *p = lct_corpus_split(a, (enum lct_part)part);
        const struct lct_split *q = lct_corpus_split(b, (enum lct_part)part);

        CHECK(p->size == q->size && p->files == q->files);
        assert_memory_equal(p->bytes, q->bytes, p->size);
        assert_memory_equal(p->start, q->start,
                            (p->files + 1) * sizeof *p->start);
    }
}

/* ------------------------------------------------------------------ keeping */

IN_SCRATCH(a_text_outlives_its_files)
{
    struct heard heard = { .n = 0 };
    OWNED(locant_store) *s = open_store();
    locant_corpus *c, *again;
    struct stat st;
    int64_t run;

    write_files("text", LINES);
    c = read_files("text", LOCANT_KEEP_TEXT);
    run = run_on(s, c);
    CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
    CHECK(heard.n == 1 &&
          strstr(heard.notice, "/texts keeps this text, 0.2"
                               " MB of 12 files") != NULL &&
          strstr(heard.notice, "--no-keep") != NULL);
    CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
    assert_int_equal(heard.n, 1); /* kept and reported once */
    assert_int_equal(stat(file_of(sha_of(c)), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(scratch_file(&dir, "store/texts"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    write_files("text", 2 * LINES);
    CHECK_OK(locant_store_corpus(&again, s, run));
    check_same(c, again);
    locant_corpus_free(again);
    CHECK_OK(locant_store_kept_text(&again, s, "")); /* the only one */
    check_same(c, again);
    locant_corpus_free(again);
    assert_int_equal(unlink(file_of(sha_of(c))), 0); /* then it is not kept */
    CHECK(locant_store_corpus(&again, s, run) == LOCANT_ERR_FORMAT);
    CHECK(strstr(locant_last_error(), "has changed since") != NULL);
    CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
    CHECK_OK(locant_store_corpus(&again, s, run));
    locant_corpus_free(again);
    locant_corpus_free(c);
}

IN_SCRATCH(files_are_not_kept_unasked)
{
    struct heard heard = { .n = 0 };
    OWNED(locant_store) *s = open_store();
    locant_corpus *c, *none;
    int64_t run;

    write_files("text", LINES);
    c = read_files("text", LOCANT_KEEP_HASH);
    run = run_on(s, c);
    CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
    assert_int_equal(ask(&dir, "SELECT (SELECT count(*) FROM texts) +"
                               " (SELECT count(*) FROM corpora)"),
                     0);
    CHECK(locant_store_corpus(&none, s, run) == LOCANT_ERR_UNSUPPORTED);
    locant_corpus_free(c);
    c = read_files("text", LOCANT_KEEP_DEFAULT);
    CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
    assert_int_equal(ask(&dir, "SELECT count(*) FROM texts"), 0);
    assert_int_equal(ask(&dir, "SELECT count(*) FROM corpora"), 1);
    CHECK(access(scratch_file(&dir, "store/texts"), F_OK) != 0);
    CHECK(locant_store_kept_text(&none, s, "zz") == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(),
                 "store: keeps no text whose SHA-256"
                 " begins with 'zz', or more than one") != NULL);
    locant_corpus_free(c);
}

IN_SCRATCH(the_headers_used_last_are_used_again)
{
    struct heard heard = { .n = 0 };
    OWNED(locant_store) *s = open_store();
    locant_corpus *one, *two, *got;

    CHECK_OK(locant_store_headers(&got, s));
    assert_null(got);
    write_files("text", LINES);
    one = read_files("text", LOCANT_KEEP_TEXT);
    write_files("text", LINES + 1);
    two = read_files("text", LOCANT_KEEP_TEXT);
    CHECK_OK(lct_store_keep_source(s, one, listen, &heard));
    CHECK_OK(lct_store_keep_source(s, two, NULL, NULL));
    CHECK_OK(lct_store_keep_source(s, one, listen, &heard));
    assert_int_equal(heard.n, 1);
    CHECK_OK(locant_store_headers(&got, s)); /* files are no headers */
    assert_null(got);
    CHECK_OK(lct_store_exec(s, "UPDATE corpora SET kind = 'headers'", ""));
    CHECK_OK(locant_store_headers(&got, s));
    assert_string_equal(sha_of(got), sha_of(one));
    CHECK(locant_corpus_info_of(got)->kind == LOCANT_CORPUS_HEADERS);
    locant_corpus_free(got);
    CHECK(locant_store_kept_text(&got, s, "") == LOCANT_ERR_PARAM); /* two */
    locant_corpus_free(two);
    locant_corpus_free(one);
}

IN_SCRATCH(says_that_files_have_another_text)
{
    struct heard heard = { .n = 0 };
    OWNED(locant_store) *s = open_store();
    locant_corpus *c;

    for (int i = 0; i < 2; i++) {
        write_files("text", LINES + i);
        c = read_files("text", LOCANT_KEEP_DEFAULT);
        for (int j = 0; j < 2; j++)
            CHECK_OK(lct_store_keep_source(s, c, listen, &heard));
        locant_corpus_free(c);
        assert_int_equal(heard.n, i); /* one notice, about the second text */
    }
    CHECK(strncmp(heard.notice,
                  "these files have another text than before"
                  " (SHA-256 ",
                  51) == 0);
}

/* ------------------------------------------------------------------- damage */

/* Reading the kept text must be refused with this in the error message. */
static void check_refused(locant_store *s, const char *sha, const char *part)
{
    locant_corpus *c = (void *)&dir;

    CHECK(locant_store_kept_text(&c, s, sha) == LOCANT_ERR_FORMAT);
    CHECK(c == NULL);
    if (strstr(locant_last_error(), part) == NULL)
        FAIL("got '%s', want '%s'\n", locant_last_error(), part);
}

IN_SCRATCH(damaged_texts_are_refused)
{
    OWNED(locant_store) *s = open_store();
    locant_corpus *c;
    char *bytes, *longer, sha[65];
    size_t size;

    write_files("text", LINES);
    c = read_files("text", LOCANT_KEEP_TEXT);
    CHECK_OK(lct_store_keep_source(s, c, NULL, NULL));
    snprintf(sha, sizeof sha, "%s", sha_of(c));
    bytes = scratch_read(file_of(sha), &size);
    for (size_t n = 0; n < size; n += 1 + size / 40) {
        scratch_write(file_of(sha), bytes, n);
        check_refused(s, sha, n < 200 ? "cannot hold" : "it is cut or damaged");
    }
    for (size_t i = 10; i < size - 8; i += 1 + size / 40) {
        bytes[i] ^= 16;
        scratch_write(file_of(sha), bytes, size);
        check_refused(s, sha, ".gz: is not gzip of exactly");
        bytes[i] ^= 16;
    }
    longer = calloc(1, size + 1);
    memcpy(longer, bytes, size);
    scratch_write(file_of(sha), longer, size + 1);
    check_refused(s, sha, "it goes on after its end");
    scratch_write(file_of(sha), bytes, size);
    free(longer);
    free(bytes);
    locant_corpus_free(c);
}

IN_SCRATCH(wrong_sizes_are_refused)
{
    static const struct {
        const char *set, *message;
    } cases[] = {
        { "texts SET test_bytes = 200000000", "cannot hold the" },
        { "texts SET test_bytes = 1000000000", "not what a locant writes" },
        { "texts SET test_bytes = 1 << 40", "not what a locant writes" },
        { "texts SET test_bytes = 0", "not what a locant writes" },
        { "texts SET valid_bytes = -9", "not what a locant writes" },
        { "texts SET train_bytes = 'many'", "not what a locant writes" },
        { "texts SET files = 1 << 30", "not what a locant writes" },
        { "corpora SET kind = '../..'", "not what a locant writes" },
        { "corpora SET max_bytes = 1 << 62", "not what a locant writes" },
        { "texts SET test_bytes = test_bytes + 1", "it has fewer" },
        { "texts SET test_bytes = test_bytes - 1", "it has more" },
        { "texts SET test_bytes = test_bytes + 9,"
          " train_bytes = train_bytes - 9",
          "do not begin where documents do" },
    };
    OWNED(locant_store) *s = open_store();
    locant_corpus *c, *got;
    char sql[256];

    write_files("text", LINES);
    c = read_files("text", LOCANT_KEEP_TEXT);
    CHECK_OK(lct_store_keep_source(s, c, NULL, NULL));
    CHECK_OK(
        lct_store_exec(s, "CREATE TEMP TABLE a AS SELECT * FROM texts", ""));
    CHECK_OK(
        lct_store_exec(s, "CREATE TEMP TABLE b AS SELECT * FROM corpora", ""));
    for (size_t i = 0; i < LEN(cases); i++) {
        snprintf(sql, sizeof sql, "UPDATE %s", cases[i].set);
        CHECK_OK(lct_store_exec(s, sql, ""));
        check_refused(s, sha_of(c), cases[i].message);
        CHECK_OK(lct_store_exec(s, "REPLACE INTO texts SELECT * FROM a", ""));
        CHECK_OK(lct_store_exec(s, "REPLACE INTO corpora SELECT * FROM b", ""));
    }
    /* names of folders are printed, so control characters end their list */
    CHECK_OK(lct_store_exec(s,
                            "UPDATE texts SET folders ="
                            " json_array(json_array(char(27), 1))",
                            ""));
    CHECK_OK(locant_store_kept_text(&got, s, sha_of(c)));
    check_same(c, got);
    locant_corpus_free(got);
    locant_corpus_free(c);
}

/* Zeros compress best: 1 MiB of them is not written behind 10 bytes. */
TEST(decompresses_no_more_than_was_said)
{
    const size_t size = 1 << 20;
    unsigned char *zeros = calloc(1, size), *out = test_guarded(10);
    void *packed;
    size_t bytes;

    CHECK_OK(lct_gzip(&packed, &bytes, zeros, size));
    CHECK(size / bytes < LCT_GZIP_MAX_RATIO);
    CHECK_REFUSED(lct_gunzip(out, 10, packed, bytes, "x.gz"), LOCANT_ERR_FORMAT,
                  "x.gz: is not gzip of exactly 10 bytes of text: it has more");
    CHECK_OK(lct_gunzip(zeros, size, packed, bytes, "x.gz"));
    locant_release(packed);
    test_guarded_free(out, 10);
    free(zeros);
}

/* ----------------------------------------------------------------- shortage */

IN_SCRATCH(memory_shortage_is_survived)
{
    locant_store *s;
    locant_corpus *c, *got;
    char sha[65];

    write_files("text", LINES / 2);
    c = read_files("text", LOCANT_KEEP_TEXT);
    snprintf(sha, sizeof sha, "%s", sha_of(c));
    locant_corpus_free(c);
    for (int reads = 0; reads < 2; reads++) {
        locant_status status = LOCANT_ERR_NOMEM;
        long k = 0;

        while (status != LOCANT_OK && k < 100) {
            test_memory_fail(0);
            s = open_store();
            c = read_files("text", LOCANT_KEEP_TEXT);
            got = NULL;
            test_memory_fail(++k);
            status = reads ? locant_store_kept_text(&got, s, sha)
                           : lct_store_keep_source(s, c, NULL, NULL);
            CHECK(status == LOCANT_OK || status == LOCANT_ERR_NOMEM);
            CHECK((got != NULL) == (reads && status == LOCANT_OK));
            locant_corpus_free(got);
            locant_corpus_free(c);
            locant_store_close(s);
            CHECK(test_memory_held() == 0);
        }
        test_memory_end();
        CHECK(status == LOCANT_OK && k > 5);
    }
}
