/* needs: lab */
/*
 * test_published_plans.c - published configurations, the keys that positions
 * depend on, and the specs they have.  Layers are few where only their pattern
 * matters.
 */
#include "../src/families/plan_spec.h"
#include "../src/families/position_plan.h"
#include "testing.h"
#include <stdio.h>
#include <string.h>

struct published {
    const char *name, *config;
    const char *spec; /* of the layers of the first tower */
    const char *input;
    const char *second; /* of the layers of the second tower; NULL: none */
};

static const struct published published[] = {
#include "published_plans.inc"
};

/* The canonical form of a spec. */
static void canonical(char *out, size_t size, const char *spec)
{
    locant_encoding *e;

    CHECK_OK(locant_encoding_create(&e, spec));
    snprintf(out, size, "%s", locant_encoding_spec(e));
    locant_encoding_free(e);
}

static bool right(const struct lct_tower *t, const char *name, const char *want)
{
    char canon[8192];
    char *got;
    bool same;

    canonical(canon, sizeof canon, want);
    CHECK_OK(lct_plan_spec_of_tower(&got, t, "x"));
    same = strcmp(got, canon) == 0;
    if (!same)
        fprintf(stderr, "%s: got %s\n  want %s\n", name, got, canon);
    locant_release(got);
    return same;
}

TEST(have_their_specs)
{
    int wrong = 0;

    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const struct published *row = &published[i];
        struct lct_position_plan p;
        struct lct_config c;
        locant_status s;
        char canon[256];

        CHECK_OK(
            lct_config_parse(&c, row->config, strlen(row->config), row->name));
        s = lct_position_plan_of(&p, &c);
        if (s != LOCANT_OK) {
            fprintf(stderr, "%s: %s\n", row->name, locant_last_error());
            wrong++;
            lct_config_free(&c);
            continue;
        }
        wrong += !right(&p.towers[0], row->name, row->spec);
        canonical(canon, sizeof canon, row->input ? row->input : "none");
        if (strcmp(canon, p.towers[0].input) != 0) {
            fprintf(stderr, "%s: got input %s\n", row->name, p.towers[0].input);
            wrong++;
        }
        if (row->second != NULL)
            wrong +=
                p.n_towers < 2 || !right(&p.towers[1], row->name, row->second);
        lct_position_plan_free(&p);
        lct_config_free(&c);
    }
    CHECK(wrong == 0);
}
