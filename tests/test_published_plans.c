/* needs: lab */
/*
 * test_published_plans.c - published configurations, of which
 * published_plans.json keeps the keys that positions depend on, and the specs
 * they have.  Its "source" is the thread that quotes the file, "class" for the
 * defaults of transformers 5.23, or "memory".
 */
#include "../src/families/plan_spec.h"
#include "../src/families/position_plan.h"
#include "testing.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The canonical form of a spec. */
static void canonical(char *out, size_t size, const char *spec)
{
    locant_encoding *e;

    CHECK_OK(locant_encoding_create(&e, spec));
    CHECK((size_t)snprintf(out, size, "%s", locant_encoding_spec(e)) < size);
    locant_encoding_free(e);
}

/* Print what differs, to see all rows that are wrong at once. */
static bool same(const char *name, const char *what, const char *got,
                 const char *spec)
{
    char want[8192];

    canonical(want, sizeof want, spec);
    if (strcmp(got, want) == 0)
        return true;
    fprintf(stderr, "%s: %s are\n  %s, expected\n  %s\n", name, what, got,
            want);
    return false;
}

static bool layers(const struct lct_tower *t, const char *name,
                   const char *spec)
{
    char *got;
    bool right;

    CHECK_OK(lct_plan_spec_of_tower(&got, t, name));
    right = same(name, t->name, got, spec);
    locant_release(got);
    return right;
}

static const char *text(const json_t *row, const char *key)
{
    return json_string_value(json_object_get(row, key));
}

/* Is the plan of this row right? */
static bool right(const json_t *row, const struct lct_position_plan *p)
{
    const char *name = text(row, "name"), *input = text(row, "input");
    const json_t *scale = json_object_get(row, "scale");
    bool yes = layers(&p->towers[0], name, text(row, "layers"));

    yes &= same(name, "input", p->towers[0].input, input ? input : "none");
    if (text(row, "second") != NULL)
        yes &= p->n_towers == 2 &&
               layers(&p->towers[1], name, text(row, "second"));
    /* One rounding of the JSON and one of the square root. */
    if (scale != NULL)
        yes &= fabs(p->towers[0].layers[0].scale / json_number_value(scale) -
                    1) < 4e-16;
    return yes;
}

TEST(have_their_specs)
{
    json_error_t e;
    json_t *rows =
        json_load_file(LOCANT_SOURCE "/tests/published_plans.json", 0, &e);
    int wrong = 0;

    CHECK(json_array_size(rows) > 80);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        char *config = json_dumps(json_object_get(row, "config"), 0);
        struct lct_position_plan p;
        struct lct_config c;

        CHECK_OK(
            lct_config_parse(&c, config, strlen(config), text(row, "name")));
        if (lct_position_plan_of(&p, &c) != LOCANT_OK) {
            fprintf(stderr, "%s\n", locant_last_error());
            wrong++;
        } else {
            wrong += !right(row, &p);
        }
        lct_position_plan_free(&p);
        lct_config_free(&c);
        free(config);
    }
    json_decref(rows);
    CHECK(wrong == 0);
}
