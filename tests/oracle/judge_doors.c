/* judge_doors.c - doors that are shut say so and write nothing. */
#include "judge.h"
#include <string.h>

struct doors_case {
    locant_encoding *e;
    locant_tensor out2, out3, positions, dout;
    char before[4096];
    unsigned doors;
};

/* UNSUPPORTED, a sentence with the spec's name, and the same bytes as before */
static void shut(const struct doors_case *d, locant_status got,
                 const locant_tensor *out, size_t bytes)
{
    const char *name = locant_encoding_info_of(d->e)->name;

    if (got != LOCANT_ERR_UNSUPPORTED ||
        strstr(locant_last_error(), name) == NULL)
        FAIL("%s: got %s: %s", name, locant_status_name(got),
             locant_last_error());
    CHECK(memcmp(out->data, d->before, bytes) == 0);
}

/* Without any door the bias is defined: 0. */
static void adds_nothing(struct doors_case *d, const locant_tensor *pos)
{
    CHECK_OK(locant_encoding_bias(&d->out3, d->e, pos, pos, NULL));
    for (int i = 0; i < 2 * 4 * 4; i++)
        CHECK(((const float *)d->out3.data)[i] == 0);
}

static void knock(struct doors_case *d)
{
    size_t bytes2 = 4 * 8 * sizeof(float), bytes3 = 2 * 4 * 4 * sizeof(float);
    locant_tensor *o2 = &d->out2, *pos = &d->positions, *dout = &d->dout;

    memcpy(d->before, d->out2.data, bytes2);
    if (!(d->doors & LOCANT_DOOR_INPUT)) {
        shut(d, locant_encoding_table(o2, d->e, pos, NULL), o2, bytes2);
        shut(d, locant_encoding_table_backward(o2, dout, d->e, pos, NULL), o2,
             bytes2);
    }
    if (!(d->doors & LOCANT_DOOR_ROTATE)) {
        shut(d, locant_encoding_rotate(o2, dout, d->e, pos, NULL, 0), o2,
             bytes2);
        shut(d,
             locant_encoding_rotate_backward(o2, NULL, dout, NULL, d->e, pos,
                                             NULL, 0),
             o2,
             bytes2);
    }
    memcpy(d->before, d->out3.data, bytes3);
    if (d->doors == 0)
        adds_nothing(d, pos);
    else if (!(d->doors & LOCANT_DOOR_SCORE))
        shut(d, locant_encoding_bias(&d->out3, d->e, pos, pos, NULL),
             &d->out3, bytes3);
}

void judge_closed_doors(const struct oracle *o)
{
    int64_t shape2[2] = { 4, 8 }, shape3[3] = { 2, 4, 4 };
    struct oracle_choice c;
    struct doors_case d = { .doors = o->doors };

    CHECK(o->choose(&c, 0, 8));
    d.e = judge_create(c.spec);
    d.out2 = test_tensor(LOCANT_F32, 2, shape2);
    d.dout = test_tensor(LOCANT_F32, 2, shape2);
    d.out3 = test_tensor(LOCANT_F32, 3, shape3);
    d.positions = judge_positions(4, 0, 0);
    knock(&d);
    test_tensor_free(&d.out2);
    test_tensor_free(&d.dout);
    test_tensor_free(&d.out3);
    test_tensor_free(&d.positions);
    locant_encoding_free(d.e);
}
