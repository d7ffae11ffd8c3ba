/* test_attention_tiles.c - tiles of queries go side by side where there are
 * many, alone where threads would go without; the bits are the same */
#include "oracle/mixed.h"
#include <stdlib.h>
#include <string.h>

static void with_documents(struct mixed *m)
{
    for (int64_t j = 0; j < m->S; j++)
        ((int64_t *)m->k_docs.data)[j] = j >= m->S / 3;
    for (int64_t i = 0; i < m->T; i++)
        ((int64_t *)m->q_docs.data)[i] = i + m->S - m->T >= m->S / 3;
    m->a.q_docs = &m->q_docs;
    m->a.k_docs = &m->k_docs;
}

/* 5 tiles of each of 2 heads: pairs and one left over with 1 thread, but 7
 * threads get a tile each. */
TEST(tiles_abreast_agree_with_tiles_alone)
{
    static const char *const specs[] = {
        "none", "rope", "t5", "rope+alibi", "window(size=70)", "xpos"
    };

    for (size_t i = 0; i < 2 * LEN(specs); i++) {
        struct mixed m = { .spec = specs[i / 2],
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 1,
                           .H = 2,
                           .G = 2,
                           .T = 300,
                           .S = 300 + 17 * (int64_t)(i / 2),
                           .D = i % 3 == 0 ? 12 : 16 };
        size_t bytes;
        void *want;

        mixed_make(&m);
        if (i % 2 == 1)
            with_documents(&m);
        CHECK_OK(locant_set_threads(1));
        mixed_run_part(&m, m.S - m.T, m.S);
        bytes = mixed_size(&m.out) * locant_dtype_size(m.out.dtype);
        want = malloc(bytes);
        assert_non_null(want);
        memcpy(want, m.out.data, bytes);
        memset(m.out.data, 0xff, bytes);
        CHECK_OK(locant_set_threads(7));
        mixed_run_part(&m, m.S - m.T, m.S);
        if (memcmp(m.out.data, want, bytes) != 0)
            FAIL("%s: tiles abreast differ from tiles alone", specs[i / 2]);
        free(want);
        mixed_free(&m);
    }
    CHECK_OK(locant_set_threads(0));
}

/* Every offset of queries to keys cuts tiles into other steps.  Positions twice
 * as far apart hide the same keys, but are not cut. */
TEST(cut_tiles_agree_with_whole_ones)
{
    for (int64_t off = 0; off < 70; off++) {
        struct mixed m = { .spec = "none",
                           .dtype = LOCANT_F32,
                           .mask = LOCANT_MASK_CAUSAL,
                           .B = 1,
                           .H = 2,
                           .G = 1,
                           .T = 9 + off % 7 * 16,
                           .S = 9 + off % 7 * 16 + off,
                           .D = 8 };
        double *cut, *whole;

        mixed_make(&m);
        m.a.softcap = off % 2;
        mixed_run(&m);
        cut = mixed_results(&m);
        for (size_t i = 0; i < mixed_size(&m.q_pos); i++)
            ((int64_t *)m.q_pos.data)[i] *= 2;
        for (size_t i = 0; i < mixed_size(&m.k_pos); i++)
            ((int64_t *)m.k_pos.data)[i] *= 2;
        mixed_run(&m);
        whole = mixed_results(&m);
        for (size_t i = 0; i < mixed_count(&m); i++)
            if (cut[i] != whole[i])
                FAIL("offset %d: element %zu is %a, in whole tiles %a",
                     (int)off, i, cut[i], whole[i]);
        free(cut);
        free(whole);
        mixed_free(&m);
    }
}
