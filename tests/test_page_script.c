/* test_page_script.c - the script of the page, the policy that lets nothing but
   it run, and the numbers of the figures */
/* needs: lab, glib */
#define _GNU_SOURCE
#include "testing.h"
#include "page_results.h"
#include "report/page_script.h"
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char open_data[] =
    "<script type=\"application/json\" id=\"locant\">";
static const char open_script[] = "<script>", close_script[] = "</script>";

/* What stands between, as memory of its own; NULL: nothing. */
static char *between(const char *page, const char *open, const char *close)
{
    const char *from = strstr(page, open), *to;

    if (!from)
        return NULL;
    from += strlen(open);
    to = strstr(from, close);
    CHECK(to != NULL);
    return g_strndup(from, (gsize)(to - from));
}

static char *a_page(const char *spec)
{
    FREED_BY(free_results) struct lct_results r;
    char *page;

    make_results(&r);
    if (spec)
        snprintf(r.groups[0].spec, sizeof r.groups[0].spec, "%s", spec);
    page = page_with_script(&r);
    return page;
}

/* glib computes the digest, apart from what wrote it. */
TEST_WITH(make_folder, remove_folder, policy_knows_the_script)
{
    char *page = a_page(NULL), *script, *policy;
    guint8 digest[32];
    gsize size = sizeof digest;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    char *wanted;

    script = between(page, open_script, close_script);
    policy = between(page, "Content-Security-Policy\" content=\"", "\"");
    CHECK(count(page, "<script>") == (lct_page_bundle_size > 0));
    CHECK(count(page, close_script) == (lct_page_bundle_size > 0 ? 2 : 0));
    if (lct_page_bundle_size == 0) {
        CHECK(!strstr(policy, "script-src"));
    } else {
        g_checksum_update(sum, (guchar *)script, (gssize)strlen(script));
        g_checksum_get_digest(sum, digest, &size);
        wanted = g_base64_encode(digest, size);
        CHECK(count(policy, wanted) == 1 && count(policy, "sha256-") == 1);
        CHECK(strstr(script, "Mike Bostock"));
        g_free(wanted);
    }
    CHECK(!strstr(policy, "unsafe-eval") && count(policy, "unsafe") == 1);
    g_checksum_free(sum);
    g_free(script);
    g_free(policy);
    free(page);
}

/* The n-th figure of the page and of its data are of one kind and name. */
TEST_WITH(make_folder, remove_folder, data_is_that_of_the_figures)
{
    char *page = a_page(NULL), *text = between(page, open_data, close_script);
    const char *at = page;
    size_t i, figures = count(page, "<svg class=\"fig\"");
    json_t *root, *one;

    if (lct_page_bundle_size == 0)
        skip();
    root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    CHECK(root != NULL);
    CHECK(json_integer_value(json_object_get(root, "trained")) == TRAINED);
    CHECK(figures > 20);
    CHECK(json_array_size(json_object_get(root, "figures")) == figures);
    json_array_foreach(json_object_get(root, "figures"), i, one) {
        char wanted[160];
        at = strstr(at, "<svg class=\"fig\"") + 1;
        snprintf(wanted, sizeof wanted, "data-kind=\"%s\" data-name=\"%s\"",
                 json_string_value(json_object_get(one, "kind")),
                 json_string_value(json_object_get(one, "name")));
        if ((size_t)(strstr(at, wanted) - at) > 160)
            FAIL("figure %zu is no %s", i, wanted);
    }
    json_decref(root);
    g_free(text);
    free(page);
}

/* Of an encoding that does not exist: only curves of runs name it. */
TEST_WITH(make_folder, remove_folder, hostile_names_stay_data)
{
    static const char hostile[] = "</script><script>alert(1)</script><!--"
                                  "\xe2\x80\xa8\"\x01\xff";
    char *page = a_page(hostile), *text;
    json_t *root;

    CHECK(count(page, close_script) == (lct_page_bundle_size > 0 ? 2 : 0));
    CHECK(!strstr(page, "<script>alert"));
    text = between(page, open_data, close_script);
    if (text) {
        root = json_loads(text, 0, NULL);
        CHECK(root && !strchr(text, '<') && strstr(text, "\\u2028"));
        CHECK(strstr(text, "\\u003c/script\\u003e"));
        json_decref(root);
    }
    g_free(text);
    free(page);
}
