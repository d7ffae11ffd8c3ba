/*
 * test_attention_inputs.c - what attention refuses of the inputs and encodings
 * of the content door.
 */
#include "content_encoding.h"
#include "oracle/mixed.h"

TEST(inputs_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .dtype = LOCANT_F64, .W = 5, .T = 13 };
    struct pair p;
    size_t bytes;

    make_pair(&p, "rope");
    m.e = &p.sum;
    mixed_make(&m);
    m.a.x = NULL;
    m.params[1].shape[1] = m.H * m.D; /* the width without x */
    m.params[1].stride[0] = m.H * m.D;
    REFUSES(NULL, locant_attention_workspace(&bytes, &m.a),
            "everything reads the input of its layer, x is NULL");
    m.params[1].shape[1] = m.params[1].stride[0] = m.W;
    m.a.x = &m.x;
    m.x.dtype = LOCANT_F32;
    REFUSES(DTYPE, locant_attention_workspace(&bytes, &m.a),
            "x is f32, expected f64");
    m.x.dtype = LOCANT_F64;
    m.x.shape[1] = m.S - 1;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &m.a),
            "x has size 12 in dimension 1, expected 13");
    m.x.shape[1] = m.S;
    m.x.shape[2] = m.W - 1;
    REFUSES(SHAPE, locant_attention_workspace(&bytes, &m.a),
            "w has size 5 in dimension 1, expected 4");
    m.x.shape[2] = m.W;
    ((int64_t *)m.q_pos.data)[4] = 77;
    REFUSES(PARAM, locant_attention_workspace(&bytes, &m.a),
            "no key sits at the position 77 of query 4, expected one: "
            "everything reads the input there");
    ((int64_t *)m.q_pos.data)[4] = 4;
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    locant_encoding_free(p.other);
}

TEST(gradients_of_inputs_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .spec = "rope", .dtype = LOCANT_F64, .W = 5, .T = 13 };
    void *keep;

    mixed_make(&m);
    mixed_run(&m); /* x may be given to who does not read it: dx is 0 */
    for (size_t i = 0; i < mixed_size(&m.dx); i++)
        CHECK(oracle_get(&m.dx, i) == 0);
    m.dx.shape[2] = 4;
    REFUSES(SHAPE,
            locant_attention_reference_backward(&m.g, &m.dout, &m.out, &m.lse,
                                                &m.a),
            "dx has size 4 in dimension 2, expected 5");
    m.dx.shape[2] = 5;
    keep = m.dx.data;
    m.dx.data = m.dk.data;
    CHECK(locant_attention_reference_backward(&m.g, &m.dout, &m.out, &m.lse,
                                              &m.a) == LOCANT_ERR_ALIAS);
    m.dx.data = m.x.data;
    CHECK(locant_attention_reference_backward(&m.g, &m.dout, &m.out, &m.lse,
                                              &m.a) == LOCANT_ERR_ALIAS);
    m.dx.data = keep;
    m.a.x = NULL;
    REFUSES(NULL,
            locant_attention_reference_backward(&m.g, &m.dout, &m.out, &m.lse,
                                                &m.a),
            "dx is asked for, but x is NULL");
}

/* Queries widened by one part are not what the other reads. */
TEST(widened_queries_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .dtype = LOCANT_F64, .W = 5, .T = 13 };
    struct pair p;
    size_t bytes;

    make_pair(&p, "pope");
    m.e = &p.sum;
    mixed_make(&m);
    REFUSES(UNSUPPORTED, locant_attention_workspace(&bytes, &m.a),
            "pope widens queries to 16 channels, everything reads 8, "
            "expected one of them alone");
    locant_encoding_free(p.other);
}

/* What is defined for keys up to the query only wants the mask, or no key that
 * comes later: a last query alone may do without. */
TEST(later_keys_are_refused)
{
    FREED_BY(mixed_free)
    struct mixed m = { .dtype = LOCANT_F64, .W = 5, .T = 1 };
    struct pair p;
    size_t bytes;

    make_pair(&p, "none");
    p.all.traits |= LOCANT_TRAIT_CAUSAL;
    m.e = &p.sum;
    mixed_make(&m);
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    ((int64_t *)m.q_pos.data)[1] = 11;
    REFUSES(PARAM, locant_attention_workspace(&bytes, &m.a),
            "everything is defined for keys up to the query only, expected "
            "the causal mask");
    m.a.mask = LOCANT_MASK_CAUSAL;
    CHECK_OK(locant_attention_workspace(&bytes, &m.a));
    locant_encoding_free(p.other);
}

/* One encoding for each layer is not one encoding. */
static int first_of_two(const locant_encoding *e, int64_t layer, int64_t n)
{
    (void)e, (void)n;
    return (int)(layer % 2);
}

TEST(layers_are_refused)
{
    static const struct lct_encoding layers = { .info = { .name = "layers" },
                                                .layers = first_of_two };
    locant_encoding e = { .row = &layers, .parts = 1 };
    FREED_BY(mixed_free)
    struct mixed m = { .spec = "none", .dtype = LOCANT_F64 };
    size_t bytes;

    e.part[0].e = &e;
    mixed_make(&m);
    m.a.encoding = &e;
    REFUSES(UNSUPPORTED, locant_attention_workspace(&bytes, &m.a),
            "layers differs from layer to layer, expected the encoding of "
            "one layer (locant_encoding_layer)");
}
