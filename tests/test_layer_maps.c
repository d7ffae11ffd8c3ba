/* test_layer_maps.c - layers(map=..): which encoding a layer uses */
#include "testing.h"
#include <stdio.h>
#include <string.h>

/* The initials of the layers' specs. */
static const char *letters(const char *spec, int64_t count)
{
    static char text[64];
    locant_encoding *e = test_create(spec);
    int64_t n = count < 0 ? -count : count;

    memset(text, 0, sizeof(text));
    for (int64_t l = 0; l < n; l++) {
        const locant_encoding *one =
            locant_encoding_layer_of(NULL, e, l, count < 0 ? 0 : count);

        text[l] = locant_encoding_spec(one)[0];
    }
    locant_encoding_free(e);
    return text;
}

static void check_letters(const char *spec, int64_t count, const char *want)
{
    const char *got = letters(spec, count);

    if (strcmp(got, want) != 0)
        printf("%s: %s, expected %s\n", spec, got, want);
    CHECK(strcmp(got, want) == 0);
}

static void check_canonical(const char *spec, const char *want)
{
    OWNED(locant_encoding) *e = test_create(spec);
    OWNED(locant_encoding) *again = test_create(locant_encoding_spec(e));

    if (strcmp(locant_encoding_spec(e), want) != 0)
        printf("%s\nexpected %s\n", locant_encoding_spec(e), want);
    CHECK(strcmp(locant_encoding_spec(e), want) == 0);
    CHECK(strcmp(locant_encoding_spec(again), want) == 0);
}

/* local: w(indow), global: r(ope); eight layers, from configs. */
TEST(maps_of_models)
{
#define KINDS "layers(local=window+rope,global=rope,"
    check_letters(KINDS "map=every(6,at=5,global,else=local):last(1,global))",
                  8, "wwwwwrwr"); /* Gemma 4 */
    check_letters(KINDS "map=every(3,at=0,global,else=local))", 8,
                  "rwwrwwrw"); /* ModernBERT */
    check_letters(KINDS "map=every(4,at=0,global,else=local))", 8,
                  "rwwwrwww"); /* Granite */
    check_letters("layers(map=list(hca:hca:hca:csa:hca:csa:hca:csa),"
                  "hca=rope(base=160000),csa=alibi)",
                  8, "rrrarara"); /* DeepSeek V4 */
    check_letters("layers(map=repo:first(5,rope),repo=none)", 8, "rrrrrnnn");
    check_letters("layers(types=sliding_attention:full_attention,"
                  "sliding_attention=window,full_attention=none)",
                  2, "wn");
#undef KINDS
}

TEST(later_terms_count)
{
    check_letters("layers(map=alibi:first(2,rope):last(2,none):first(1,t5))",
                  -8, "traaaaaa");
    check_letters("layers(map=alibi:first(2,rope):last(2,none):first(1,t5))", 8,
                  "traaaann");
    check_letters("layers(map=alibi:last(2,none),count=4)", -6, "aannnn");
    check_letters("layers(map=list(rope:alibi,repeat=yes))", 5, "rarar");
}

TEST(layers_without_a_term_have_no_encoding)
{
    check_letters("layers(map=every(3,rope))", 7, "nnrnnrn");
    check_letters("layers(map=first(2,alibi))", 4, "aann");
    check_letters("layers(map=list(rope:alibi))", -4, "rann");
    check_letters("layers(map=every(2,at=0,global,else=local),local=rope)", 4,
                  "nrnr");
}

/* The form with a period is a map. */
TEST(the_period_is_a_map)
{
    for (int period = 1; period < 7; period++) {
        char a[80], b[120], first[64];

        snprintf(a, sizeof(a), "layers(local=t5,global=alibi,period=%d)",
                 period);
        snprintf(b, sizeof(b),
                 "layers(map=every(%d,global,else=local),local=t5,"
                 "global=alibi)",
                 period);
        snprintf(first, sizeof(first), "%s", letters(a, 20));
        check_letters(b, 20, first);
    }
}

TEST(canonical_form)
{
    check_canonical("layers(local=rope,global=none,period=4)",
                    "layers(local=rope,global=none)");
    check_canonical(" layers( rope = rope , b=alibi(learned = yes),map = every "
                    "( 3 , rope , else = b ) : last ( 01 , rope ) )",
                    "layers(map=every(3,at=2,rope,else=b):last(1,rope),"
                    "b=alibi(learned=yes))");
    check_canonical("layers(types=a:b,a=rope,b=t5+rope)",
                    "layers(map=list(a:b),a=rope,b=t5+rope)");
    check_canonical("layers(map=list(rope:none,repeat=no),count=2)",
                    "layers(map=list(rope:none),count=2)");
    check_canonical("layers(map=list(rope:none,repeat=yes))",
                    "layers(map=list(rope:none,repeat=yes))");
}

TEST(counts_are_known)
{
    OWNED(locant_encoding) *a = test_create("layers(map=list(rope:none:rope))");
    OWNED(locant_encoding) *b = test_create("layers(map=last(1,rope),count=9)");
    OWNED(locant_encoding) *c = test_create("layers(map=last(1,rope))");
    OWNED(locant_encoding) *d = test_create("rope");

    CHECK(locant_encoding_layer_count(a) == 3);
    CHECK(locant_encoding_layer_count(b) == 9);
    CHECK(locant_encoding_layer_count(c) == 0);
    CHECK(locant_encoding_layer_count(d) == 0);
    CHECK(locant_encoding_layer_count(NULL) == 0);
    CHECK(locant_encoding_layer_of(NULL, d, 3, 8) == d);
}

/* Parameters of the named encodings follow one another. */
TEST(parameters_have_the_names_of_layers)
{
    OWNED(locant_encoding) *e =
        test_create("layers(map=list(near:far:near),near=t5,"
                    "far=rope+alibi(learned=yes))");
    locant_param_info p;
    int first;

    CHECK(locant_encoding_param(&p, e, 0, NULL));
    CHECK(strcmp(p.name, "near.table") == 0);
    CHECK(locant_encoding_param(&p, e, 1, NULL));
    CHECK(strncmp(p.name, "far.alibi.", 10) == 0);
    locant_encoding_layer_of(&first, e, 1, 0);
    CHECK(first == 1);
    locant_encoding_layer_of(&first, e, 2, 0);
    CHECK(first == 0);
}

TEST(lengths_are_resolved_in_layers)
{
    OWNED(locant_encoding) *e =
        test_create("layers(map=learned:first(1,b),b=learned)");
    locant_encoding *resolved = NULL;

    CHECK_OK(locant_encoding_resolve(&resolved, e, 64));
    CHECK(strcmp(locant_encoding_spec(resolved),
                 "layers(map=learned:first(1,b),b=learned(length=64),"
                 "learned=learned(length=64))") == 0);
    locant_encoding_free(resolved);
}

static void refuses(const char *spec, const char *want)
{
    locant_encoding *e;

    if (locant_encoding_create(&e, spec) != LOCANT_ERR_PARAM || e != NULL ||
        strstr(locant_last_error(), want) == NULL)
        printf("%s: %s\n", spec, locant_last_error());
    CHECK(locant_encoding_create(&e, spec) == LOCANT_ERR_PARAM);
    CHECK(strstr(locant_last_error(), want) != NULL);
}

TEST(refuses_bad_maps)
{
    refuses("layers(map=)", "expected a value");
    refuses("layers(map=every(0,rope))",
            "period '0' at byte 17 of the map of layers should be 1 .. ");
    refuses("layers(map=every(3,at=3,rope))", "at '3' at byte 22");
    refuses("layers(map=every(3,at=1,rope,els=rope))", "expected 'else='");
    refuses("layers(map=every(3))", "expected ','");
    refuses("layers(map=lst(rope))",
            "found 'l' at byte 11 of the spec, expected list(..)");
    refuses("layers(map=list(rope:))", "the name of an encoding of layers");
    refuses("layers(map=list(rope,repeat=maybe))", "expected yes or no");
    refuses("layers(map=first(1.5,rope))", "number of layers '1.5'");
    refuses("layers(map=first(1,rope)", "expected ',' or ')'");
    refuses("layers(map=golbal,local=rope)",
            "names 'golbal', which is neither given nor an encoding");
    refuses("layers(map=rope,b=t5)", "'b' of layers is given, but its map does "
                                     "not name it");
    refuses("layers(map=rope,local=t5)", "'local' of layers is given");
    refuses("layers(map=b,b=layers)", "b of layers is itself layers(..)");
    refuses("layers(map=layers)", "neither given nor an encoding");
    refuses("layers(map=rope,period=3)", "period and map of layers are both");
    refuses("layers(map=rope,types=rope)", "map and types of layers are both");
    refuses("layers(map=list(rope:rope),count=3)",
            "count of layers is 3, but its list names 2 layers");
    refuses("layers(map=list(rope:rope):list(rope))",
            "lists of 2 and 1 layers in one map");
    refuses("layers(count=3)", "count of layers is 3 without a map");
    refuses("layers(golbal=rope)",
            "unknown key 'golbal' of 'layers' without a map; did you mean "
            "'global'?");
    refuses("layers(map=a,a=rope,a=t5)",
            "key 'a' of 'layers' is given a second "
            "time at byte 20");
    refuses("layers(map=a:b:c:d:e:f:g:h:i:j:k,a=rope,b=rope,c=rope,d=rope,"
            "e=rope,f=rope,g=rope,h=rope,i=rope,j=rope,k=rope)",
            "more than 10 encodings in 'layers'");
    refuses("layers(map=a:b,a=randomized,b=cape)",
            "two encodings of layers choose positions");
}

TEST(refuses_maps_that_are_too_long)
{
    static char spec[4200];
    size_t n = (size_t)snprintf(spec, sizeof(spec), "layers(map=rope");

    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf(spec + n, sizeof(spec) - n, ":rope");
    snprintf(spec + n, sizeof(spec) - n, ")");
    refuses(spec, "the map of layers has more than 32 terms");
    n = (size_t)snprintf(spec, sizeof(spec), "layers(a=rope,map=list(a");
    for (int i = 0; i < 1030; i++)
        n += (size_t)snprintf(spec + n, sizeof(spec) - n, ":a");
    snprintf(spec + n, sizeof(spec) - n, "))");
    refuses(spec, "more than 1024 names");
}
