/* test_pictures.c - every encoding has its pictures, and they show what is */
/* needs: lab */
#include "page_group.h"

#include "model_specs.h"
#include "report/page.h"
#include "report/weights.h"

/* Pictures of one encoding; what they are of, by their titles. */
static char *pictures_of(const char *spec)
{
    struct lct_group g = { .n = 0 };
    struct lct_results r = { .groups = &g,
                             .n = 1,
                             .layers = 4,
                             .heads = HEADS,
                             .width = WIDTH,
                             .trained_length = 32 };
    struct lct_html h = { .data = NULL };
    char *page;

    make_encoding(&g, spec, 32);
    CHECK_OK(lct_page_encodings(&h, &r));
    CHECK_OK(lct_html_status(&h));
    page = calloc(h.size + 1, 1);
    CHECK(page != NULL);
    memcpy(page, h.data, h.size);
    lct_html_free(&h);
    for (int k = 0; k < g.n_params; k++)
        free(g.params[k].data);
    return page;
}

TEST(every_encoding_has_its_pictures)
{
    static const char *const doors[] = { "input", "rotate", "score",
                                         "content" };
    const char *spec;

    for (size_t i = 0; (spec = model_spec(i)) != NULL; i++) {
        FREED_BY(free_memory) char *page = pictures_of(spec);
        locant_encoding *e;

        if (strstr(page, "No figures: "))
            FAIL("%s: %s", spec, strstr(page, "No figures: "));
        e = test_create(spec);
        for (int d = 0; d < 4; d++) {
            char heading[40];

            snprintf(heading, sizeof heading, "At the %s door", doors[d]);
            if ((locant_encoding_doors(e) >> d & 1) !=
                (strstr(page, heading) != NULL))
                FAIL("%s: '%s' is missing, or there by mistake", spec, heading);
        }
        locant_encoding_free(e);
    }
}

/* A length of 4096 took 1.6 GB at 4 heads. */
TEST(weights_have_a_bounded_size)
{
    assert_int_equal(lct_weights_length(4, 64), 64);
    assert_int_equal(lct_weights_length(1024, 64), 64);
    assert_int_equal(lct_weights_length(4, 1024), 1024);
    assert_int_equal(lct_weights_length(4, 1025), 1024);
    assert_int_equal(lct_weights_length(4, 4096), 1024);
    assert_int_equal(lct_weights_length(3, 4096), 1182);
    assert_int_equal(lct_weights_length(64, INT64_MAX), 256);
}

/* Hooks are found by what they do. */
TEST(pictures_show_what_there_is)
{
    static const struct {
        const char *spec, *caption;
        size_t times;
    } list[] = {
        { "window(size=4)+rope", "hidden by the encoding", 2 },
        { "rope", "hidden by the encoding", 0 },
        { "streaming(sinks=2,window=4)", "hidden by the encoding", 2 },
        { "longlora(group=8)+rope", "hidden by the encoding", 2 },
        { "chunked(size=8)+rope", "hidden by the encoding", 2 },
        { "layers(local=window(size=4)+rope,global=none,period=2)",
          "From layer", 2 },
        { "layers(local=window(size=4)+rope,global=none,period=2)",
          "hidden by the encoding", 2 },
        { "temperature(floor=4)+rope", "and the key at its own position", 1 },
        { "rope", "and the key at its own position", 0 },
        { "alibi", "and the key at its own position", 0 },
        { "randomized(length=64)+rope", "positions of evaluation", 1 },
        { "rope", "positions of evaluation", 0 },
        { "shaw(distance=4)", "query of one head gives", 1 },
        { "rope", "the weights as numbers", 1 },
        { "none", "order does not matter", 1 },
        { "rope", "order matters", 1 },
        { "sinusoidal", "order matters", 1 },
        { "learned(length=16)", "order matters", 1 },
        { "none", "scaled to the size of the content", 0 },
        { "sinusoidal", "scaled to the size of the content", 1 },
        { "rope", "keeps pairs that rotate often", 1 },
        { "rope(scaling=linear(factor=2))", "keeps pairs that rotate", 0 },
        { "alibi", "is a hand that rotates", 0 },
        { "rope", "is a hand that rotates", 1 },
        { "rope2d(height=3,width=4)", "keys of ones everywhere", 1 },
        { "pope", "A query and a key of all ones", 1 },
    };

    for (size_t i = 0; i < LEN(list); i++) {
        FREED_BY(free_memory) char *page = pictures_of(list[i].spec);

        if (count(page, list[i].caption) != list[i].times)
            FAIL("%s: '%s' is there %zu times, expected %zu", list[i].spec,
                 list[i].caption, count(page, list[i].caption), list[i].times);
    }
}
