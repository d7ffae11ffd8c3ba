/*
 * test_traits_refusals.c - every row answers wrong arguments of the doors with
 * the right status and a sentence of the function, and writes nothing.
 */
#include "traits_run.h"

enum { TOKENS = 3 };

/* One call of a door, fine until it is spoiled. */
struct call {
    const struct subject *s;
    const locant_encoding *e;
    unsigned door;
    int flags, first; /* of the door's parameters; -1: none */
    locant_tensor out, x, pos, param[SUBJECT_PARAMS];
    locant_tensor *to;
    const locant_tensor *from, *at, *params;
};

static const char *name_of(unsigned door)
{
    return door == LOCANT_DOOR_INPUT    ? "locant_encoding_table"
           : door == LOCANT_DOOR_ROTATE ? "locant_encoding_rotate"
                                        : "locant_encoding_bias";
}

static locant_status ask(struct call *c)
{
    if (c->door == LOCANT_DOOR_INPUT)
        return locant_encoding_table(c->to, c->e, c->at, c->params);
    if (c->door == LOCANT_DOOR_ROTATE)
        return locant_encoding_rotate(c->to, c->from, c->e, c->at, c->params,
                                      c->flags);
    return locant_encoding_bias(c->to, c->e, c->at, c->at, c->params);
}

static void make(struct call *c, const struct subject *s, unsigned door)
{
    const int64_t row[2] = { TOKENS, s->W }, tokens = TOKENS;
    const int64_t matrix[3] = { s->H, TOKENS, TOKENS };
    const int64_t x[3] = { s->G, TOKENS, s->D };
    int64_t turned[3] = { s->G, TOKENS,
                          locant_encoding_rotated_width(s->e, s->D) };
    const int64_t *out = door == LOCANT_DOOR_INPUT    ? row
                         : door == LOCANT_DOOR_ROTATE ? turned
                                                      : matrix;
    locant_param_info info;

    memset(c, 0, sizeof(*c));
    c->s = s;
    c->e = s->e;
    c->door = door;
    c->flags = LOCANT_ROTATE_KEY; /* of the rotate door */
    c->first = -1;
    c->out = test_tensor(LOCANT_F64, door == LOCANT_DOOR_INPUT ? 2 : 3, out);
    c->x = test_tensor(LOCANT_F64, 3, x);
    c->pos = TENSOR(I64, tokens);
    for (int64_t t = 0; t < tokens; t++)
        ((int64_t *)c->pos.data)[t] =
            test_range(0, s->length_limit < 9 ? 0 : 8);
    for (int i = s->params - 1; i >= 0; i--) {
        CHECK(locant_encoding_param(&info, s->e, i, NULL) == 1);
        c->param[i] = s->param[i];
        if (info.doors & door)
            c->first = i;
    }
    c->to = &c->out;
    c->from = &c->x;
    c->at = &c->pos;
    c->params = c->param;
}

/* ------------------------------------------------------- what may be wrong */

static void add_dimension(locant_tensor *t)
{
    t->shape[t->rank] = t->stride[t->rank] = 1;
    t->rank++;
}

static locant_tensor *first_param(struct call *c)
{
    return c->first < 0 ? NULL : &c->param[c->first];
}

/*
 * Each function spoils a call and returns what it is answered; LOCANT_OK: this
 * encoding has nothing to spoil.
 */
typedef locant_status (*spoiler)(struct call *c);

/* clang-format off */
#define SPOIL(name, status, spoils) \
    static locant_status name(struct call *c) \
    { spoils; return LOCANT_ERR_##status; }
/* t is the first parameter of the door, if it has one. */
#define SPOIL_PARAM(name, status, spoils) \
    static locant_status name(struct call *c) \
    { locant_tensor *t = first_param(c); \
      if (t != NULL) spoils; \
      return t != NULL ? LOCANT_ERR_##status : LOCANT_OK; }

SPOIL(no_output, NULL, c->to = NULL)
SPOIL(no_output_data, NULL, c->out.data = NULL)
SPOIL(no_encoding, NULL, c->e = NULL)
SPOIL(no_positions, NULL, c->at = NULL)
SPOIL(no_position_data, NULL, c->pos.data = NULL)
SPOIL(integer_output, DTYPE, c->out.dtype = c->x.dtype = LOCANT_I64)
SPOIL(single_positions, DTYPE, c->pos.dtype = LOCANT_F32)
SPOIL(output_of_another_rank, SHAPE, add_dimension(&c->out))
SPOIL(one_position_more, SHAPE, c->pos.shape[0]++)
SPOIL(positions_of_rank_two, SHAPE, add_dimension(&c->pos))
SPOIL(output_in_positions, ALIAS, c->out.data = c->pos.data)
SPOIL(unknown_flag, PARAM, c->flags = 4 << test_range(0, 28))
SPOIL(no_vectors, NULL, c->from = NULL)
SPOIL(other_vectors, DTYPE, c->x.dtype = LOCANT_F32)
SPOIL(vectors_of_rank_one, SHAPE, c->x.rank = 1)
SPOIL(one_channel_less, SHAPE, c->out.shape[2]--)
SPOIL(one_head_more, SHAPE, c->out.shape[0]++) /* outermost: its stride holds */
SPOIL(half_aliased, ALIAS, c->out.data = (double *)c->x.data + 1)
SPOIL_PARAM(no_params, NULL, c->params = NULL)
SPOIL_PARAM(larger_param, SHAPE, t->shape[0]++)
SPOIL_PARAM(integer_param, DTYPE, t->dtype = LOCANT_I32)
SPOIL_PARAM(output_in_param, ALIAS, c->out.data = t->data)
/* clang-format on */

/* A last stride of 2, which matters from two elements on. */
static locant_status stretch(locant_tensor *t)
{
    t->stride[t->rank - 1] = 2;
    return t->shape[t->rank - 1] > 1 ? LOCANT_ERR_LAYOUT : LOCANT_OK;
}

static locant_status strided_output(struct call *c)
{
    return stretch(&c->out);
}

static locant_status strided_param(struct call *c)
{
    return c->first < 0 ? LOCANT_OK : stretch(first_param(c));
}

static const spoiler any_door[] = {
    no_output,           no_output_data,        no_encoding,
    no_positions,        no_position_data,      no_params,
    integer_output,      single_positions,      output_of_another_rank,
    one_position_more,   positions_of_rank_two, strided_output,
    output_in_positions, larger_param,          integer_param,
    strided_param,       output_in_param,
};
static const spoiler rotate_door[] = {
    unknown_flag,     no_vectors,    other_vectors, vectors_of_rank_one,
    one_channel_less, one_head_more, half_aliased,
};

/* ------------------------------------------------------------------- claims */

static void check_sentence(const struct call *c, const char *want)
{
    if (strncmp(locant_last_error(), want, strlen(want)) != 0 ||
        strlen(locant_last_error()) < strlen(want) + 8)
        FAIL("%s: the sentence is: %s", c->s->spec, locant_last_error());
}

static void spoil(const struct subject *s, unsigned door, spoiler wrong, int at)
{
    size_t bytes, x_bytes;
    struct call c, whole;
    locant_status want, got;
    void *before;

    make(&c, s, door);
    whole = c;
    bytes = (size_t)tensor_count(&c.out) * sizeof(double);
    x_bytes = (size_t)tensor_count(&c.x) * sizeof(double);
    before = malloc(bytes + x_bytes);
    assert_non_null(before);
    memcpy(before, c.out.data, bytes);
    memcpy((char *)before + bytes, c.x.data, x_bytes);
    want = wrong(&c);
    got = want == LOCANT_OK ? LOCANT_OK : ask(&c);
    if (got != want)
        FAIL("%s: %s, wrong argument %d: %s, expected %s: %s", s->spec,
             name_of(door), at, locant_status_name(got),
             locant_status_name(want), locant_last_error());
    if (want != LOCANT_OK)
        check_sentence(&c, name_of(door));
    CHECK(memcmp(before, whole.out.data, bytes) == 0);
    CHECK(memcmp((char *)before + bytes, whole.x.data, x_bytes) == 0);
    free(before);
    test_tensor_free(&whole.out);
    test_tensor_free(&whole.x);
    test_tensor_free(&whole.pos);
}

static void spoil_door(const struct subject *s, unsigned door)
{
    for (size_t i = 0; i < LEN(any_door); i++)
        spoil(s, door, any_door[i], (int)i);
    for (size_t i = 0; door == LOCANT_DOOR_ROTATE && i < LEN(rotate_door); i++)
        spoil(s, door, rotate_door[i], 100 + (int)i);
}

static const unsigned doors[] = { LOCANT_DOOR_INPUT, LOCANT_DOOR_ROTATE,
                                  LOCANT_DOOR_SCORE };

static int has_doors(const struct subject *s)
{
    return (s->doors & ~(unsigned)LOCANT_DOOR_CONTENT) != 0;
}

static void spoil_one(const struct subject *s)
{
    unsigned door = doors[test_rand() % LEN(doors)];

    if (s->doors & door)
        spoil_door(s, door);
}

TEST(wrong_arguments_are_refused)
{
    traits_all(10, has_doors, spoil_one);
}

/* Doors an encoding lacks: a bias of 0 without any, refused otherwise. */
static void try_closed(const struct subject *s)
{
    for (size_t i = 0; i < LEN(doors); i++) {
        locant_status want = LOCANT_ERR_UNSUPPORTED;
        struct call c;

        if (s->doors & doors[i])
            continue;
        make(&c, s, doors[i]);
        ((double *)c.out.data)[0] = 7;
        if (s->doors == 0 && doors[i] == LOCANT_DOOR_SCORE)
            want = LOCANT_OK;
        if (ask(&c) != want)
            FAIL("%s: %s: %s", s->spec, name_of(doors[i]), locant_last_error());
        if (want != LOCANT_OK)
            check_sentence(&c, name_of(doors[i]));
        CHECK(((double *)c.out.data)[0] == (want == LOCANT_OK ? 0 : 7));
        test_tensor_free(&c.out);
        test_tensor_free(&c.x);
        test_tensor_free(&c.pos);
    }
}

TEST(closed_doors_are_refused)
{
    traits_all(10, any, try_closed);
}

/* An odd number of channels has one without a partner. */
TEST(odd_channels_are_refused)
{
    static const char *const specs[] = { "rope",
                                         "rope(pairing=interleaved)",
                                         "xpos",
                                         "rope2d",
                                         "mrope",
                                         "rope-mixed",
                                         "rope(side=trailing)",
                                         "grape-m",
                                         "fope(length=64)",
                                         "rope-imaginary" };
    const int64_t n = TOKENS;
    OWNED(locant_tensor) x = TENSOR(F64, 1, TOKENS, 7);
    OWNED(locant_tensor) pos = TENSOR(I64, n);

    memset(pos.data, 0, (size_t)n * sizeof(int64_t));
    for (size_t i = 0; i < LEN(specs); i++) {
        OWNED(locant_encoding) *e = test_create(specs[i]);
        OWNED(locant_tensor) out = TENSOR(F64, 1, TOKENS, 7);
        double first = *(double *)out.data;
        locant_tensor params[2] = { x, x };
        locant_status status;

        status = locant_encoding_rotate(&out, &x, e, &pos, params, 0);

        if (status != LOCANT_ERR_SHAPE || *(double *)out.data != first)
            FAIL("%s: 7 channels: %s: %s", specs[i], locant_status_name(status),
                 locant_last_error());
    }
}
