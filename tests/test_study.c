/* test_study.c - studies to a file and back, and what is no study */
/* needs: lab */
#define _GNU_SOURCE
#include "store_case.h"
#include "files/base64.h"
#include "corpus/corpus_kept.h"
#include "measure/study.h"
#include "store/store_texts.h"
#include <jansson.h>
#include <math.h>
#include <sys/stat.h>

static locant_corpus *read_text(void)
{
    const char *path = scratch_file(&dir, "text.txt");
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    for (int i = 0; i < 9000; i++)
        fprintf(f, "line %d\n", i * 7 % 1013);
    fclose(f);
    return corpus_of_files(&path, 1, 0, LOCANT_KEEP_TEXT);
}

/* What a report of one run leaves. */
static json_t *study_of(const locant_corpus *c)
{
    return json_pack(
        "{s:s, s:i, s:s, s:{s:s, s:i, s:[s], s:[s, s], s:s, s:s,"
        " s:i}, s:o, s:[{s:s, s:i, s:s, s:[f, n, f, f, f]}], s:{s:i}}",
        "format", "locant study", "version", 1, "locant", "0.1.0",
        "configuration", "preset", "smoke", "seeds", 1, "encodings",
        "rope(base=128)", "with", "extension", "tasks", "tasks", "T1,T12",
        "optimizer", "muon", "vocabulary", 512, "corpus", lct_corpus_about(c),
        "runs", "encoding", "rope(base=128)", "seed", 1, "batches", "0123abcd",
        "losses", 1.5, 2.5, 3.5, 4.5, "numbers", "x", 7);
}

/* The store of 'dir' with a text and a study of it. */
static void make_study(void)
{
    OWNED(locant_store) *s = open_store();
    OWNED(locant_corpus) *c = read_text();
    json_t *study = study_of(c);
    char *key = lct_study_key(json_object_get(study, "configuration"));

    CHECK_OK(lct_store_keep_source(s, c, NULL, NULL));
    CHECK_OK(lct_study_record(s, study, key, "here"));
    free(key);
    json_decref(study);
}

static void export_it(const char *name, int with_text)
{
    OWNED(locant_store) *s = open_store();

    CHECK_OK(locant_study_export(s, 0, scratch_file(&dir, name), with_text));
}

IN_SCRATCH(comes_back_whole)
{
    static const char start[] = "locant report --preset smoke --seeds 1"
                                " --vocabulary 512 --kept-text ";
    locant_study a, b;
    locant_store *s;
    locant_corpus *c, *d;
    struct stat st;
    int64_t id;

    make_study();
    export_it("with.json", 1);
    export_it("without.json", 0);
    assert_int_equal(stat(scratch_file(&dir, "with.json"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    s = open_store();
    CHECK_OK(locant_store_study(&a, s, 0));
    CHECK(strstr(a.sources, "/text.txt") != NULL && a.packed_bytes > 0);
    CHECK(strncmp(a.command, start, strlen(start)) == 0);
    assert_string_equal(
        a.command + strlen(start) + strlen("0123456789ab"),
        " --optimizer muon --with extension,tasks --tasks T1,T12"
        " --encodings 'rope(base=128)'");
    CHECK_OK(locant_store_kept_text(&c, s, ""));
    locant_store_close(s);
    assert_int_equal(unlink(scratch_file(&dir, "text.txt")), 0);
    CHECK_OK(locant_study_import(&id, scratch_file(&dir, "new"),
                                 scratch_file(&dir, "with.json")));
    s = store_at(scratch_file(&dir, "new"));
    CHECK_OK(locant_store_study(&b, s, id));
    assert_string_equal(a.command, b.command);
    assert_string_equal(b.sources, ""); /* paths stay at home */
    assert_memory_equal(&a.corpus, &b.corpus, sizeof a.corpus);
    CHECK_OK(locant_store_kept_text(&d, s, b.corpus.sha256));
    assert_memory_equal(lct_corpus_split(c, LCT_TRAIN)->bytes,
                        lct_corpus_split(d, LCT_TRAIN)->bytes, a.corpus.bytes);
    locant_corpus_free(c);
    locant_corpus_free(d);
    locant_study_free(&a);
    locant_study_free(&b);
    locant_store_close(s);
    CHECK_OK(locant_study_import(&id, scratch_file(&dir, "bare"),
                                 scratch_file(&dir, "without.json")));
    s = store_at(scratch_file(&dir, "bare"));
    CHECK_OK(locant_store_study(&b, s, id));
    CHECK(b.packed_bytes == 0 &&
          strstr(b.command,
                 " --vocabulary 512 --text PATH... --optimizer muon --with"));
    locant_study_free(&b);
    locant_store_close(s);
}

/* ---------------------------------------------------------------- strangers */

/* Member by member, what is put in the place of what belongs there. */
static const struct {
    const char *object, *member, *json, *sentence;
} lies[] = {
    { NULL, "format", "\"locant\"", "'format' is not" },
    { NULL, "version", "2", "is a study of version 2" },
    { NULL, "more", "1", "a member of another name" },
    { NULL, "numbers", "[]", "it has no 'numbers'" },
    { NULL, "runs", "[]", "'runs' are not one for each" },
    { NULL, "runs", "[{\"encoding\":\"rope\"}]",
      "'runs' are not one for each" },
    { NULL, "text", "\"H4sI!\"", "'text' is not base64" },
    { NULL, "text", "7", "'text' is not base64" },
    { NULL, "text", "\"\"", "cannot hold the" },
    { "configuration", "preset", "\"fast\"", "that are unknown" },
    { "configuration", "seeds", "0", "that are unknown" },
    { "configuration", "seeds", "1001", "that are unknown" },
    { "configuration", "encodings", "[]", "that are unknown" },
    { "configuration", "encodings", "[\"rope; rm\"]",
      "is not a canonical spec" },
    { "configuration", "encodings", "[\"rope'\"]", "is not a canonical spec" },
    { "configuration", "encodings", "[\" rope\"]", "is not a canonical spec" },
    { "configuration", "with", "[\"tasks\", \"extension\"]",
      "that are unknown" },
    { "configuration", "with", "[\"; rm -r .\"]", "that are unknown" },
    { "configuration", "tasks", "\"T1,`id`\"", "that are unknown" },
    { "configuration", "tasks", "\"T1,\"", "that are unknown" },
    { "configuration", "optimizer", "\"sgd\"", "that are unknown" },
    { "configuration", "optimizer", "2", "that are unknown" },
    { "configuration", "vocabulary", "256", "that are unknown" },
    { "configuration", "vocabulary", "4097", "that are unknown" },
    { "configuration", "vocabulary", "\"512\"", "that are unknown" },
    { "configuration", "commit", "\"x\"", "that are unknown" },
    { "corpus", "kind", "\"../..\"", "'corpus' has a kind" },
    { "corpus", "sha256", "\"../../../etc/passwd\"", "'corpus' has a kind" },
    { "corpus", "test_bytes", "1e9", "'corpus' has a kind" },
    { "corpus", "test_bytes", "1000000000", "'corpus' has a kind" },
    { "corpus", "test_bytes", "200000000", "cannot hold the" },
    { "corpus", "valid_bytes", "-1", "'corpus' has a kind" },
    { "corpus", "files", "0", "'corpus' has a kind" },
};

static void refuse(const char *bytes, size_t size, const char *sentence)
{
    struct lct_study study;

    CHECK(lct_study_read(&study, bytes, size, "s.json") == LOCANT_ERR_FORMAT);
    CHECK(study.root == NULL && study.corpus == NULL);
    if (strncmp(locant_last_error(), "s.json: ", 8) != 0 ||
        strstr(locant_last_error(), sentence) == NULL)
        FAIL("got '%s', want '%s'\n", locant_last_error(), sentence);
}

IN_SCRATCH(what_is_changed_is_refused)
{
    char *bytes;
    size_t size;
    json_t *root;

    make_study();
    export_it("study.json", 1);
    bytes = scratch_read(scratch_file(&dir, "study.json"), &size);
    root = json_loadb(bytes, size, 0, NULL);
    for (size_t i = 0; i < LEN(lies); i++) {
        json_t *copy = json_deep_copy(root);
        char *text;

        json_object_set_new(
            lies[i].object ? json_object_get(copy, lies[i].object) : copy,
            lies[i].member, json_loads(lies[i].json, JSON_DECODE_ANY, NULL));
        text = json_dumps(copy, 0);
        refuse(text, strlen(text), lies[i].sentence);
        free(text);
        json_decref(copy);
    }
    for (size_t n = 0; n < size - 1; n += 1 + size / 30)
        refuse(bytes, n, "is not JSON");
    json_decref(root);
    free(bytes);
}

/* Nothing of what is refused reaches the disk. */
IN_SCRATCH(a_refused_file_makes_no_store)
{
    int64_t id;

    scratch_write(scratch_file(&dir, "bad.json"), "{}", 2);
    CHECK(locant_study_import(&id, scratch_file(&dir, "new"),
                              scratch_file(&dir, "bad.json")) ==
          LOCANT_ERR_FORMAT);
    CHECK(access(scratch_file(&dir, "new"), F_OK) != 0);
}

IN_SCRATCH(memory_shortage_is_survived)
{
    locant_status status = LOCANT_ERR_NOMEM;
    struct lct_study study;
    char *bytes;
    size_t size;
    long k = 0;

    make_study();
    export_it("study.json", 1);
    bytes = scratch_read(scratch_file(&dir, "study.json"), &size);
    while (status != LOCANT_OK && k < 200) {
        test_memory_fail(++k);
        status = lct_study_read(&study, bytes, size, "s.json");
        CHECK(status == LOCANT_OK || study.root == NULL);
        CHECK(status == LOCANT_OK || status == LOCANT_ERR_NOMEM);
        lct_study_free(&study);
        CHECK(test_memory_held() == 0);
    }
    test_memory_end();
    CHECK(status == LOCANT_OK && k > 5);
    free(bytes);
}

/* The vectors of RFC 4648, section 10. */
TEST(base64_is_the_rfcs)
{
    static const char *const text[] = {
        "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"
    };
    static const char *const wrong[] = { "Z",     "Zg=",   "Zg",   "Zh==",
                                         "Zm9=",  "Zm9v=", "====", "Zg==Zg==",
                                         "Zm\n=", "Z===",  "=m8=", "Zm8-" };

    for (size_t n = 0; n < LEN(text); n++) {
        char out[16] = "", bytes[16];
        size_t size;

        lct_base64(out, "foobar", n);
        assert_string_equal(out, text[n]);
        CHECK(lct_base64_read(bytes, &size, out, strlen(out)) && size == n);
        assert_memory_equal(bytes, "foobar", n);
    }
    for (size_t i = 0; i < LEN(wrong); i++) {
        char bytes[16];
        size_t size;

        if (lct_base64_read(bytes, &size, wrong[i], strlen(wrong[i])))
            FAIL("'%s' is read\n", wrong[i]);
    }
}
