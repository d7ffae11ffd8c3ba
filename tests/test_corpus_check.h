/* test_corpus_check.h - checks what holds for every corpus */
#ifndef TEST_CORPUS_CHECK_H
#define TEST_CORPUS_CHECK_H
#include "../src/files/sha256.h"
#include "corpora.h"
#include "corpus/corpus.h"

/*
 * Sizes add up, the digest is that of the text, a zero byte precedes each
 * document and occurs nowhere else, and the test split has a long document.
 */
static inline void check_whole(const locant_corpus *c)
{
    const locant_corpus_info *info = locant_corpus_info_of(c);
    const struct lct_split *train = lct_corpus_split(c, LCT_TRAIN);
    size_t size[3] = { info->train_bytes, info->valid_bytes, info->test_bytes };
    size_t longest = 0;
    char sha[65];

    CHECK(size[0] + size[1] + size[2] == info->bytes);
    lct_sha256_hex(sha, train->bytes, info->bytes);
    assert_string_equal(sha, info->sha256);
    for (int part = 0; part < 3; part++) {
        const struct lct_split *s = lct_corpus_split(c, (enum lct_part)part);
        size_t zeros = 0;

        CHECK(s->size == size[part] && s->files > 0 && s->start[0] == 0);
        CHECK(s->start[s->files] == s->size);
        for (size_t i = 0; i < s->size; i++)
            zeros += s->bytes[i] == 0;
        CHECK(zeros == s->files);
        for (size_t f = 0; f < s->files; f++) {
            size_t text = s->start[f + 1] - s->start[f] - 1;

            CHECK(s->bytes[s->start[f]] == 0);
            CHECK(text > 0 && text <= LCT_FILE_LIMIT);
            if (part == LCT_TEST && text > longest)
                longest = text;
        }
    }
    CHECK(longest >= LCT_TEST_FILE_MIN);
}
#endif
