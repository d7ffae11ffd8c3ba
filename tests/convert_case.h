/* convert_case.h - a model of one folder in another: what must be the same */
#ifndef CONVERT_CASE_H
#define CONVERT_CASE_H
#include "../src/families/position_plan.h"
#include "../src/families/weights.h"
#include "checkpoint_folder.h"
#include "locant/models.h"
#include "scratch_case.h"

/* Convert with the proof of --verify. */
static inline void converted(const char *from, const char *to,
                             locant_model_format format,
                             locant_model_pairing pairing)
{
    locant_convert_options o = LOCANT_CONVERT_OPTIONS_INIT;
    locant_conversion done;

    o.format = format;
    o.pairing = pairing;
    o.verify = 1;
    CHECK_OK(locant_model_convert(&done, scratch_file(&dir, from),
                                  scratch_file(&dir, to), &o));
    CHECK(done.worst >= 0 && done.worst <= 1e-6);
}

/* The same tensors with the same values; vectors may be of another type. */
static inline void check_same(const char *a, const char *b)
{
    const struct lct_weight *t, *u;
    struct lct_weights *v, *w;
    double x, y;

    CHECK_OK(lct_weights_open(&v, scratch_file(&dir, a)));
    CHECK_OK(lct_weights_open(&w, scratch_file(&dir, b)));
    for (size_t i = 0; (t = lct_weights_at(v, i)) != NULL; i++) {
        const int64_t n = (int64_t)(t->bytes / t->type->bytes);

        u = lct_weights_find(w, t->name);
        if (u == NULL)
            FAIL("%s: tensor %s is lost\n", a, t->name);
        CHECK(u->rank == t->rank &&
              memcmp(u->shape, t->shape, sizeof t->shape) == 0);
        CHECK(t->rank < 2 || strstr(t->name, "norm") != NULL ||
              u->type == t->type);
        for (int64_t k = 0; k < n; k++) {
            lct_weight_doubles(&x, t, k, 1);
            lct_weight_doubles(&y, u, k, 1);
            if (x != y)
                FAIL("%s: %s[%d]: %g, was %g\n", a, t->name, (int)k, y, x);
        }
    }
    CHECK(lct_weights_at(w, 0) != NULL);
    lct_weights_close(v);
    lct_weights_close(w);
}

static inline void check_positions(const char *a, const char *b)
{
    struct lct_position_plan p, q;
    char x[65], y[65];

    CHECK_OK(lct_position_plan_read(&p, scratch_file(&dir, a)));
    CHECK_OK(lct_position_plan_read(&q, scratch_file(&dir, b)));
    CHECK_OK(lct_position_plan_hash(x, &p));
    CHECK_OK(lct_position_plan_hash(y, &q));
    if (strcmp(x, y) != 0)
        FAIL("%s: %s, was %s\n", a, q.towers[0].layers[0].spec,
             p.towers[0].layers[0].spec);
    CHECK(q.dialect == LCT_DIALECT_HF5);
    lct_position_plan_free(&p);
    lct_position_plan_free(&q);
}
#endif
