/*
 * test_tokens.c - a corpus in tokens of a byte-pair vocabulary, and runs that
 * read it: their losses are per byte.
 *
 * Tolerance 1e-5 as in test_evaluate.c: float32 losses of other batch shapes.
 */
/* needs: lab */
#define _GNU_SOURCE
#include "corpus/tokens.h"
#include "lab_case.h"
#include "locant/probe.h"
#include "locant/tasks.h"
#include "store/run_vocabulary.h"

enum { BLOCKS = 4, LONGEST = 2048, SIZE = 400 };

/* The text of a part, decoded from its tokens: byte[i] .. byte[i + 1] - 1 are
   the bytes of token i. */
struct decoded {
    const struct lct_split *part;
    uint8_t *text;
    size_t *byte;
};

static struct decoded decode(enum lct_part which)
{
    const struct lct_vocabulary *v;
    const struct lct_split *parts;
    struct decoded d;

    CHECK_OK(lct_tokens_vocabulary(&v, corpus, SIZE));
    CHECK_OK(lct_tokens_of(&parts, corpus, v));
    d.part = &parts[which];
    d.text = malloc(corpus->info.bytes);
    d.byte = malloc((d.part->size + 1) * sizeof *d.byte);
    d.byte[0] = 0;
    for (size_t i = 0; i < d.part->size; i++) {
        const int32_t id = lct_split_id(d.part, i);

        lct_vocabulary_decode(d.text + d.byte[i], v, id);
        d.byte[i + 1] = d.byte[i] + v->bytes[id];
    }
    return d;
}

static void free_decoded(struct decoded *d)
{
    free(d->text);
    free(d->byte);
}

TEST(tokens_are_the_text)
{
    for (int which = 0; which < 3; which++) {
        const struct lct_split *bytes = &corpus->split[which];
        FREED_BY(free_decoded) struct decoded d = decode((enum lct_part)which);

        CHECK(d.part->size < bytes->size / 3 * 2);
        CHECK(d.byte[d.part->size] == bytes->size);
        assert_memory_equal(d.text, bytes->bytes, bytes->size);
        CHECK(d.part->files == bytes->files && d.part->bytes == NULL);
        for (size_t f = 0; f <= bytes->files; f++)
            CHECK(d.byte[d.part->start[f]] == bytes->start[f]);
        for (size_t i = 0; i < d.part->size; i += 97)
            CHECK(lct_tokens_offset(d.part, i) == d.byte[i]);
        CHECK(lct_tokens_offset(d.part, d.part->size) == bytes->size);
        CHECK(lct_tokens_in_bytes(d.part) == bytes);
    }
}

TEST(a_corpus_keeps_its_tokens)
{
    const struct lct_vocabulary *v, *w, *other;
    const struct lct_split *a, *b;
    struct lct_vocabulary copy;

    CHECK_OK(lct_tokens_vocabulary(&v, corpus, SIZE));
    CHECK_OK(lct_tokens_vocabulary(&w, corpus, SIZE));
    CHECK_OK(lct_tokens_vocabulary(&other, corpus, SIZE + 1));
    CHECK(v == w && v != other && other->size == SIZE + 1);
    copy = *v;
    CHECK_OK(lct_tokens_of(&a, corpus, v));
    CHECK_OK(lct_tokens_of(&b, corpus, &copy));
    CHECK(a == b && a[LCT_TRAIN].vocabulary == v);
    CHECK_OK(lct_tokens_of(&b, corpus, NULL));
    CHECK(b == corpus->split);
    CHECK_OK(lct_tokens_vocabulary(&v, corpus, 0));
    CHECK(v == NULL);
    CHECK_REFUSED(lct_tokens_vocabulary(&v, corpus, 100), LOCANT_ERR_PARAM,
                  "locant_train: vocabulary is 100, expected 0 (bytes) or 257 "
                  ".. 4096");
}

/* Five files of byte 0 and "ab" again and again, whose merge is the only one:
   more text than is encoded at once. */
TEST(long_text_is_encoded_in_chunks)
{
    enum {
        FILES = 5,
        EACH = LCT_VOCABULARY_TEXT / 4 + 1,
        TOKENS = 1 + EACH / 2
    };
    static const size_t none[1];
    uint8_t *text = malloc(FILES * EACH);
    size_t start[FILES + 1];
    locant_corpus c = { .info.bytes = FILES * EACH,
                        .split = { { .bytes = text,
                                     .size = FILES * EACH,
                                     .start = start,
                                     .files = FILES },
                                   { .start = none },
                                   { .start = none } } };
    struct lct_vocabulary *v;
    const struct lct_split *parts;

    for (size_t i = 0; i < FILES * EACH; i++)
        text[i] = i % EACH == 0 ? 0 : i % EACH % 2 ? 'a' : 'b';
    for (size_t f = 0; f <= FILES; f++)
        start[f] = f * EACH;
    CHECK_OK(lct_vocabulary_train(&v, text, 100, 257));
    CHECK_OK(lct_tokens_of(&parts, &c, v));
    assert_int_equal(parts->size, FILES * TOKENS);
    for (size_t f = 0; f <= FILES; f++)
        assert_int_equal(parts->start[f], f * TOKENS);
    for (size_t i = 0; i < parts->size; i++)
        CHECK(lct_split_id(parts, i) == (i % TOKENS ? 256 : 0));
    lct_tokens_free(c.tokens);
    locant_release(v);
    free(text);
}

/* ------------------------------------------------------------------ losses */

static locant_train_options options(void)
{
    locant_train_options o = narrow("rope", 2, 64, 20);

    o.vocabulary = SIZE;
    return o;
}

/* The model of a run, or as it was before the first step. */
static struct lct_model *model_of(locant_encoding **e, int64_t run)
{
    struct lct_model *model;
    locant_run_info info;

    CHECK_OK(locant_store_run(&info, store, run));
    CHECK_OK(lct_load_trained(&model, e, store, &info, LONGEST));
    return model;
}

/* Losses of the C tokens before 'end'. */
static void read_window(float *loss, struct lct_model *m,
                        const struct decoded *d, size_t end, size_t C)
{
    int32_t in[LONGEST], out[LONGEST];

    for (size_t i = 0; i < C; i++) {
        in[i] = lct_split_id(d->part, end - C - 1 + i);
        out[i] = lct_split_id(d->part, end - C + i);
    }
    CHECK_OK(lct_model_forward(m, in, out, 1, (int64_t)C, loss, NULL));
}

static void check_near(double got, double want, const char *what)
{
    if (!(fabs(got - want) <= 1e-5))
        FAIL("%s: got %.9g, want %.9g", what, got, want);
}

/* Sums of losses and of bytes; their quotient is nats per byte. */
struct total {
    double loss, bytes;
};

/* Add the losses of the n tokens before 'end', the last of a window of C. */
static void add(struct total *t, const float *loss, size_t C,
                const struct decoded *d, size_t end, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->loss += loss[C - n + i];
    t->bytes += (double)(d->byte[end] - d->byte[end - n]);
}

TEST(losses_of_an_evaluation_are_per_byte)
{
    const locant_train_options o = options();
    const int64_t run = run_of(&o);
    FREED_BY(free_decoded) struct decoded d = decode(LCT_TEST);
    FREED_BY(free_decoded) struct decoded v = decode(LCT_VALID);
    OWNED(locant_encoding) *e = NULL;
    struct lct_model *m = model_of(&e, run);
    struct total p1 = { 0, 0 }, p3 = { 0, 0 }, p4 = { 0, 0 }, all = { 0, 0 };
    struct total first = { 0, 0 }, valid = { 0, 0 };
    float loss[LONGEST];
    size_t ends[BLOCKS];
    locant_evaluation got;

    CHECK_OK(locant_evaluate(&got, store, run, corpus, BLOCKS));
    CHECK(got.blocks == BLOCKS && got.causality < 1e-4);
    CHECK(lct_choose_blocks(ends, BLOCKS, d.part, LCT_EVAL_SEED) == BLOCKS);
    for (size_t b = 0; b < BLOCKS; b++) {
        const size_t end = ends[b];

        read_window(loss, m, &d, end, 256);
        add(&p1, loss, 256, &d, end, 64);
        for (size_t back = 0; back < LONGEST; back += 128) {
            read_window(loss, m, &d, end - back, 128);
            add(&p3, loss, 128, &d, end - back, 128);
        }
        for (size_t back = 0; back < 64; back += 16) {
            read_window(loss, m, &d, end - back, 128);
            add(&p4, loss, 128, &d, end - back, 16);
        }
        read_window(loss, m, &d, end, LONGEST);
        add(&all, loss, LONGEST, &d, end, LONGEST);
        add(&first, loss, 32, &d, end - LONGEST + 32, 32);
        read_window(loss, m, &v, 65 + (v.part->size - 65) * b / BLOCKS, 64);
        add(&valid, loss, 64, &v, 65 + (v.part->size - 65) * b / BLOCKS, 64);
    }
    check_near(got.same_targets[1], p1.loss / p1.bytes, "P1");
    check_near(got.by_position[0], first.loss / first.bytes, "P2");
    check_near(got.non_overlapping[0], p3.loss / p3.bytes, "P3");
    check_near(got.non_overlapping[4], all.loss / all.bytes, "P3 at 2048");
    check_near(got.own_window, p4.loss / p4.bytes, "P4");
    check_near(got.valid, valid.loss / valid.bytes, "validation");
    lct_model_free(m);
}

/* The fewest tokens stay that span 8 bytes. */
TEST(a_truncated_context_spans_bytes)
{
    const locant_train_options o = options();
    const int64_t run = run_of(&o);
    FREED_BY(free_decoded) struct decoded d = decode(LCT_TEST);
    OWNED(locant_encoding) *e = NULL;
    struct lct_model *m = model_of(&e, run);
    struct total rise = { 0, 0 };
    float whole[LONGEST], loss[LONGEST];
    size_t ends[BLOCKS];
    locant_evaluation got;

    CHECK_OK(locant_evaluate(&got, store, run, corpus, BLOCKS));
    CHECK(lct_choose_blocks(ends, BLOCKS, d.part, LCT_EVAL_SEED) == BLOCKS);
    for (size_t b = 0; b < BLOCKS; b++) {
        read_window(whole, m, &d, ends[b], 128);
        for (size_t j = 0; j < 8; j++) {
            const size_t end = ends[b] - 8 * j;
            size_t n = 1;

            while (d.byte[end - 1] - d.byte[end - 1 - n] < 8)
                n++;
            read_window(loss, m, &d, end, n);
            add(&rise, loss, n, &d, end, 1);
            rise.loss -= whole[127 - 8 * j];
        }
    }
    check_near(got.truncated - got.same_targets[0], rise.loss / rise.bytes,
               "truncated");
    lct_model_free(m);
}

TEST(losses_of_training_are_per_byte)
{
    FREED_BY(free_decoded) struct decoded d = decode(LCT_TRAIN);
    locant_train_options o = options();
    OWNED(locant_encoding) *e = NULL;
    struct total t = { 0, 0 };
    struct lct_model *m;
    float loss[LONGEST];
    size_t starts[4];
    locant_run_info info;
    int64_t run;

    o.steps = 1;
    run = run_of(&o);
    m = model_of(&e, run);
    CHECK_OK(lct_model_init(m, o.seed));
    lct_batch_starts(starts, 4, 64, d.part, o.seed, 0);
    for (int b = 0; b < 4; b++) {
        read_window(loss, m, &d, starts[b] + 65, 64);
        add(&t, loss, 64, &d, starts[b] + 65, 64);
    }
    CHECK_OK(locant_store_run(&info, store, run));
    check_near(info.train_loss, t.loss / t.bytes, "training");
    lct_model_free(m);
}

/* -------------------------------------------------------------------- runs */

TEST(the_vocabulary_is_part_of_a_run)
{
    locant_train_options o = options();
    const struct lct_vocabulary *v;
    struct lct_vocabulary *kept;
    struct lct_run_extra extra;
    locant_run_info info;
    const int64_t run = run_of(&o);

    CHECK_OK(lct_tokens_vocabulary(&v, corpus, SIZE));
    CHECK_OK(locant_store_run(&info, store, run));
    CHECK(strstr(info.model, ",vocab=400") != NULL);
    CHECK_OK(lct_run_vocabulary(&kept, store, &info));
    assert_memory_equal(kept, v, sizeof *v);
    locant_release(kept);
    CHECK_OK(lct_store_read_run_extra(&extra, store, run));
    CHECK(strstr(extra.key, v->hash) != NULL);
    CHECK(run_of(&o) == run);
    o.vocabulary = 0;
    CHECK_OK(locant_store_run(&info, store, run_of(&o)));
    CHECK(info.id != run && strstr(info.model, "vocab") == NULL);
    CHECK_OK(lct_store_read_run_extra(&extra, store, info.id));
    CHECK(strstr(extra.key, "vocabulary") == NULL);
    CHECK_OK(lct_run_vocabulary(&kept, store, &info));
    CHECK(kept == NULL);
}

static int stop(const locant_progress *p, void *context)
{
    (void)p;
    (void)context;
    return 1;
}

TEST(a_stopped_run_goes_on_to_the_same_bits)
{
    locant_train_options o = options();
    struct lct_run_extra x, y;
    locant_run_info a, b;
    locant_status status;
    int64_t straight, id;

    o.seed = 7;
    straight = run_of(&o);
    {
        OWNED(locant_store) *other = open_store("other");

        o.progress = stop;
        CHECK(locant_train(&id, other, corpus, &o) == LOCANT_ERR_INTERRUPTED);
        do
            status = locant_resume(other, id, corpus, stop, NULL);
        while (status == LOCANT_ERR_INTERRUPTED);
        CHECK_OK(status);
        CHECK_OK(locant_store_run(&a, store, straight));
        CHECK_OK(locant_store_run(&b, other, id));
        CHECK(a.train_loss == b.train_loss);
        CHECK_OK(lct_store_read_run_extra(&x, store, straight));
        CHECK_OK(lct_store_read_run_extra(&y, other, id));
        assert_string_equal(x.key, y.key);
        assert_string_equal(x.batch_checksum, y.batch_checksum);
    }
}

/* A child reads the tokens of its parent, also of other text, where its own
   merges would be others; and rows of bytes. */
TEST(a_child_has_the_vocabulary_of_its_parent)
{
    locant_train_options o = options(), needle;
    OWNED(locant_corpus) *text = generated(256 << 10, 3);
    const struct lct_vocabulary *own;
    struct lct_vocabulary *a, *b;
    locant_run_info info;
    const int64_t parent = run_of(&o);
    int64_t child;

    CHECK_OK(locant_store_run(&info, store, parent));
    CHECK_OK(lct_run_vocabulary(&a, store, &info));
    o.parent = parent;
    o.vocabulary = 0;
    o.steps = 2;
    CHECK_OK(locant_train(&child, store, text, &o));
    CHECK_OK(locant_store_run(&info, store, child));
    CHECK_OK(lct_run_vocabulary(&b, store, &info));
    CHECK_OK(lct_tokens_vocabulary(&own, text, SIZE));
    assert_string_equal(a->hash, b->hash);
    assert_string_not_equal(a->hash, own->hash);
    locant_release(b);

    CHECK_OK(locant_task_options(&needle, "T12"));
    needle.encoding = "rope";
    needle.parent = parent;
    needle.steps = 2;
    CHECK_OK(locant_train(&child, store, NULL, &needle));
    CHECK_OK(locant_store_run(&info, store, child));
    CHECK(strstr(info.model, ",vocab=400") != NULL);
    CHECK_OK(lct_run_vocabulary(&b, store, &info));
    assert_string_equal(a->hash, b->hash);
    locant_release(a);
    locant_release(b);
    CHECK_OK(locant_task_options(&needle, "T1"));
    needle.encoding = "rope";
    needle.vocabulary = SIZE;
    CHECK_REFUSED(locant_train(&child, store, NULL, &needle), LOCANT_ERR_PARAM,
                  "locant_train: vocabulary is 400, but T1 is not text; "
                  "expected 0");
}

TEST(a_probe_reads_tokens)
{
    const locant_train_options o = options();
    json_t *probe, *spans;
    char *text;

    CHECK_OK(locant_probe(&text, store, run_of(&o), NULL, NULL));
    probe = json_loads(text, 0, NULL);
    locant_release(text);
    spans = json_object_get(probe, "spans");
    CHECK(json_array_size(spans) == LONGEST);
    CHECK(json_integer_value(json_array_get(spans, 0)) == 1); /* byte 0 */
    json_decref(probe);
}

TEST(refuses_what_a_store_lost)
{
    static const struct {
        const char *change, *message;
    } wrong[] = {
        { "json_remove(options, '$.vocabulary')",
          "its options have no vocabulary, which its model needs" },
        { "json_set(options, '$.vocabulary', '0x')",
          "merge 0 of its vocabulary is not six hexadecimal digits of two "
          "earlier tokens, or is one too many" },
        { "json_set(options, '$.vocabulary', '020020')",
          "its vocabulary has 257 tokens and hash" },
    };
    locant_train_options o = options();
    locant_evaluation unused;
    int64_t run;
    char sql[256];

    o.seed = 9;
    o.steps = 1;
    run = run_of(&o);
    CHECK(sqlite3_exec(store->db, "CREATE TABLE kept AS SELECT * FROM runs",
                       NULL, NULL, NULL) == SQLITE_OK);
    for (size_t i = 0; i < LEN(wrong); i++) {
        snprintf(sql, sizeof sql,
                 "UPDATE runs SET options = (SELECT %s FROM kept WHERE "
                 "kept.id = runs.id) WHERE id = %d",
                 wrong[i].change, (int)run);
        CHECK(sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK);
        CHECK(locant_evaluate(&unused, store, run, corpus, BLOCKS) ==
              LOCANT_ERR_FORMAT);
        CHECK(strstr(locant_last_error(), wrong[i].message) != NULL);
    }
    CHECK(sqlite3_exec(store->db, "DROP TABLE kept", NULL, NULL, NULL) ==
          SQLITE_OK);
}

TEST_WITH_LAB(512 << 10)
