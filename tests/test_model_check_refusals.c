/* needs: lab */
/* test_model_check_refusals.c - files that no check can read, and the names of
   known families in their messages */
#include "locant/models.h"
#include "testing.h"
#include <stdio.h>
#include <string.h>

static void refused(const char *text, locant_status status, const char *want)
{
    locant_findings f;

    CHECK_REFUSED(locant_model_check_text(&f, text, strlen(text), "x", NULL),
                  status, want);
}

/* The nearest one is named, then all of them: families, and classes. */
static void check_unknown(const char *type, const char *nearest)
{
    char text[64], want[128];
    const char *message;
    locant_findings f;

    snprintf(text, sizeof text, "{\"model_type\":\"%s\"}", type);
    snprintf(want, sizeof want,
             "x: model_type is '%s', which is no known family; did you mean "
             "'%s'? known: albert, ",
             type, nearest);
    CHECK(locant_model_check_text(&f, text, strlen(text), "x", NULL) ==
          LOCANT_ERR_FORMAT);
    message = locant_last_error();
    CHECK(strncmp(message, want, strlen(want)) == 0);
    CHECK(strstr(message, ", xlm-roberta, ") != NULL);
    CHECK(strcmp(message + strlen(message) - 8, ", zamba2") == 0);
}

TEST(files_that_cannot_be_read_are_refused)
{
    locant_check_options o = LOCANT_CHECK_OPTIONS_INIT;
    locant_findings f;

    refused("{}", LOCANT_ERR_FORMAT,
            "x: has no model_type, nor dim, n_layers and n_heads as a "
            "params.json has");
    check_unknown("llamma", "llama");
    check_unknown("lama2", "llama");
    check_unknown("qwen25", "qwen2");
    o.stack = (locant_stack)6;
    CHECK_REFUSED(locant_model_check_text(&f, "{}", 2, "x", &o),
                  LOCANT_ERR_PARAM,
                  "locant_model_check_text: stack is 6, expected 0 to 5");
    REFUSES(NULL, locant_model_check(NULL, "x", NULL), "out is NULL");
    REFUSES(NULL, locant_model_check(&f, NULL, NULL), "path is NULL");
}
