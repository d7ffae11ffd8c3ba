/* test_vocabulary.c - byte-pair encoding against the algorithm of the paper,
   done naively */
/* needs: lab */
#include "corpus/corpus.h"
#include "corpus/vocabulary.h"
#include "testing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- an oracle */

/*
 * Sennrich et al. 2016, algorithm 1: every round counts all pairs anew, and
 * copies the text with the best one merged from left to right. Ties go to the
 * smaller left id, then to the smaller right id; byte 0 is not merged.
 */
struct oracle {
    int n;        /* tokens of the text */
    int id[4096]; /* the text */
    int merges;
    int pair[4096][2];
};

static void oracle_merge(struct oracle *o, int a, int b, int id)
{
    int n = 0;

    for (int i = 0; i < o->n; i++) {
        const bool hit = i + 1 < o->n && o->id[i] == a && o->id[i + 1] == b;

        o->id[n++] = hit ? id : o->id[i];
        i += hit;
    }
    o->n = n;
}

static int oracle_count(const struct oracle *o, int a, int b)
{
    int n = 0;

    for (int i = 0; i + 1 < o->n; i++)
        n += o->id[i] == a && o->id[i + 1] == b;
    return n;
}

/* One round; false if no pair occurs twice. */
static bool oracle_round(struct oracle *o)
{
    int best = 1, a = 0, b = 0;

    for (int i = 0; i + 1 < o->n; i++) {
        const int x = o->id[i], y = o->id[i + 1];
        const int n = x && y ? oracle_count(o, x, y) : 0;

        if (n > best ||
            (n == best && best > 1 && (x < a || (x == a && y < b)))) {
            best = n;
            a = x;
            b = y;
        }
    }
    if (best < 2)
        return false;
    o->pair[o->merges][0] = a;
    o->pair[o->merges][1] = b;
    oracle_merge(o, a, b, 256 + o->merges++);
    return true;
}

static void oracle_read(struct oracle *o, const uint8_t *text, size_t n)
{
    o->n = (int)n;
    for (size_t i = 0; i < n; i++)
        o->id[i] = text[i];
}

/* Random text of few symbols, 0 among them, with runs and repeats. */
static void fill(uint8_t *text, size_t n, unsigned symbols)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned draw = (unsigned)(test_rand() % 8);

        if (draw < 2 && i > 0)
            text[i] = text[i - 1];
        else if (draw < 5 && i > 7)
            text[i] = text[i - 7];
        else
            text[i] = (uint8_t)(test_rand() % symbols);
    }
}

/* ------------------------------------------------------------------- train */

static void check_encoding(const struct lct_vocabulary *v, const uint8_t *text,
                           size_t n, const int *want, size_t n_want)
{
    uint16_t *ids = malloc((n + 1) * sizeof *ids);
    uint8_t *back = malloc(n + 1);
    size_t n_ids, at = 0;

    CHECK_OK(lct_vocabulary_encode(ids, &n_ids, v, text, n));
    assert_int_equal(n_ids, n_want);
    for (size_t i = 0; i < n_ids; i++) {
        assert_int_equal(ids[i], want[i]);
        lct_vocabulary_decode(back + at, v, ids[i]);
        at += v->bytes[ids[i]];
        assert_true(at <= n);
    }
    assert_int_equal(at, n);
    assert_memory_equal(back, text, n);
    free(ids);
    free(back);
}

TEST(matches_paper)
{
    static struct oracle o;
    uint8_t text[1500], other[700];

    for (unsigned trial = 0; trial < 40; trial++) {
        const size_t n = 200 + test_rand() % (sizeof text - 200);
        const int size = 257 + (int)(test_rand() % 60);
        struct lct_vocabulary *v = NULL;
        locant_status status;

        fill(text, n, 2 + trial % 9);
        o.merges = 0;
        oracle_read(&o, text, n);
        while (o.merges < size - 256 && oracle_round(&o))
            continue;
        status = lct_vocabulary_train(&v, text, n, size);
        if (o.merges < size - 256) {
            assert_int_equal(status, LOCANT_ERR_PARAM);
            continue;
        }
        CHECK_OK(status);
        assert_int_equal(v->size, size);
        for (int i = 0; i < o.merges; i++) {
            assert_int_equal(v->pair[256 + i][0], o.pair[i][0]);
            assert_int_equal(v->pair[256 + i][1], o.pair[i][1]);
        }
        check_encoding(v, text, n, o.id, (size_t)o.n);
        fill(other, sizeof other, 256);
        oracle_read(&o, other, sizeof other);
        for (int i = 0; i < o.merges; i++)
            oracle_merge(&o, o.pair[i][0], o.pair[i][1], 256 + i);
        check_encoding(v, other, sizeof other, o.id, (size_t)o.n);
        locant_release(v);
    }
}

/* A run of one byte is the worst text for merges of equal tokens: places
   overlap, and every merge halves the run. */
TEST(merges_long_runs)
{
    enum { RUN = 60000 };
    uint8_t *text = malloc(RUN);
    uint16_t *ids = malloc(RUN * sizeof *ids);
    struct lct_vocabulary *v;
    size_t n;

    memset(text, ' ', RUN);
    CHECK_OK(lct_vocabulary_train(&v, text, RUN, 256 + 14));
    for (int id = 256; id < v->size; id++)
        assert_int_equal(v->bytes[id], 2 << (id - 256));
    CHECK_OK(lct_vocabulary_encode(ids, &n, v, text, RUN));
    /* 60000 = 3 x 2^14 + 2^13 + 2^11 + 2^9 + 2^6 + 2^5: 8 tokens */
    assert_int_equal(n, 8);
    locant_release(v);
    free(text);
    free(ids);
}

TEST(never_merges_byte_0)
{
    const uint8_t text[] = "\0ab\0ab\0ab\0ab";
    const int want[] = { 0, 256, 0, 256, 0, 256, 0, 256 };
    struct lct_vocabulary *v;

    CHECK_OK(lct_vocabulary_train(&v, text, 12, 257));
    assert_int_equal(v->pair[256][0], 'a');
    check_encoding(v, text, 12, want, 8);
    locant_release(v);
    CHECK_REFUSED(
        lct_vocabulary_train(&v, text, 12, 258), LOCANT_ERR_PARAM,
        "locant_train: vocabulary is 258, but no two neighbours occur "
        "twice in the 12 bytes of training text after 1 merges; "
        "expected at most 257");
    assert_null(v);
}

TEST(encodes_nothing_and_single_bytes)
{
    const uint8_t text[] = "abab", all[2] = { 255, 0 };
    const int want[] = { 255, 0 };
    struct lct_vocabulary *v;

    CHECK_OK(lct_vocabulary_train(&v, text, 4, 257));
    check_encoding(v, all, 0, want, 0);
    check_encoding(v, all, 1, want, 1);
    check_encoding(v, all, 2, want, 2);
    locant_release(v);
}

/* -------------------------------------------------------------------- text */

TEST(text_of_merges_reads_back)
{
    uint8_t text[2000];
    struct lct_vocabulary *v, *w;
    char *printed;

    fill(text, sizeof text, 5);
    CHECK_OK(lct_vocabulary_train(&v, text, sizeof text, 300));
    CHECK_OK(lct_vocabulary_print(&printed, v));
    CHECK_OK(lct_vocabulary_parse(&w, printed, "here"));
    assert_int_equal(strlen(printed), 6 * 44);
    assert_memory_equal(v, w, sizeof *v);
    assert_int_equal(strlen(v->hash), 16);
    locant_release(w);
    locant_release(printed);
    locant_release(v);
}

TEST(refuses_other_text)
{
    static const struct {
        const char *text;
        int merge;
    } wrong[] = {
        { "", 0 },
        { "061", 0 },
        { "06106", 0 },
        { "06106G", 0 },
        { "06106A", 0 },
        { "000061", 0 },
        { "061000", 0 },
        { "100061", 0 },       /* the first merge has no token 256 yet */
        { "061062101061", 1 }, /* nor the second 257 */
        { "0610620 0061", 1 },
    };
    struct lct_vocabulary *v;
    char want[128];

    for (size_t i = 0; i < LEN(wrong); i++) {
        snprintf(want, sizeof want,
                 "here: merge %d of its vocabulary is not six hexadecimal "
                 "digits of two earlier tokens, or is one too many",
                 wrong[i].merge);
        CHECK_REFUSED(lct_vocabulary_parse(&v, wrong[i].text, "here"),
                      LOCANT_ERR_FORMAT, want);
        assert_null(v);
    }
}

/* A stranger's merges may double the longest token each time, up to the longest
   document; and there may be more merges than ids. */
TEST(refuses_tokens_that_are_too_long_and_too_many_merges)
{
    char text[6 * 4000 + 1] = "020020";
    struct lct_vocabulary *v;

    for (int i = 1; i < 17; i++)
        snprintf(text + 6 * i, 7, "%03x%03x", 255 + i, 255 + i);
    CHECK_REFUSED(lct_vocabulary_parse(&v, text, "x"), LOCANT_ERR_FORMAT,
                  "x: merge 16 of its vocabulary is not six hexadecimal digits "
                  "of two earlier tokens, or is one too many");
    text[6 * 16] = '\0';
    CHECK_OK(lct_vocabulary_parse(&v, text, "x"));
    assert_int_equal(v->bytes[v->size - 1], LCT_TOKEN_BYTES);
    locant_release(v);
    for (int i = 0; i < 3841; i++)
        memcpy(text + 6 * i, "061062", 7);
    CHECK_REFUSED(lct_vocabulary_parse(&v, text, "x"), LOCANT_ERR_FORMAT,
                  "x: merge 3840 of its vocabulary is not six hexadecimal "
                  "digits of two earlier tokens, or is one too many");
}

TEST(checks_sizes)
{
    CHECK_OK(lct_vocabulary_check("f", 0));
    CHECK_OK(lct_vocabulary_check("f", 257));
    CHECK_OK(lct_vocabulary_check("f", 4096));
    for (int64_t size = 255; size <= 256; size++)
        assert_int_equal(lct_vocabulary_check("f", size), LOCANT_ERR_PARAM);
    CHECK_REFUSED(lct_vocabulary_check("f", 100), LOCANT_ERR_PARAM,
                  "f: vocabulary is 100, expected 0 (bytes) or 257 .. 4096");
    assert_int_equal(lct_vocabulary_check("f", 4097), LOCANT_ERR_PARAM);
    assert_int_equal(lct_vocabulary_check("f", -1), LOCANT_ERR_PARAM);
}

TEST(survives_every_failing_allocation)
{
    uint8_t text[300];
    locant_status status = LOCANT_ERR_NOMEM;
    struct lct_vocabulary *v;
    uint16_t ids[300];
    size_t n;

    fill(text, sizeof text, 3);
    for (long k = 1; status == LOCANT_ERR_NOMEM; k++) {
        test_memory_fail(k);
        status = lct_vocabulary_train(&v, text, sizeof text, 262);
        if (status == LOCANT_OK)
            status = lct_vocabulary_encode(ids, &n, v, text, sizeof text);
        locant_release(v);
        CHECK(test_memory_held() == 0);
    }
    CHECK_OK(status);
    test_memory_end();
}
