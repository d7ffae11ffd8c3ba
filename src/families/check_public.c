/* check_public.c - locant_model_check() and locant_model_fix() */
#define _GNU_SOURCE
#include "check_model.h"
#include "check_write.h"
#include "../core/text.h"
#include "../files/path.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const locant_check_options defaults = LOCANT_CHECK_OPTIONS_INIT;

static locant_status check_options(const char *fn,
                                   const locant_check_options *o)
{
    if (o->struct_size != sizeof *o)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: struct_size is %zu, expected %zu; start from "
                           "LOCANT_CHECK_OPTIONS_INIT",
                           fn, o->struct_size, sizeof *o);
    if ((int)o->stack < 0 || o->stack > LOCANT_STACK_MLX)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: stack is %d, expected 0 to %d", fn,
                           (int)o->stack, LOCANT_STACK_MLX);
    return LOCANT_OK;
}

/* Check an opened model, and close it. */
static locant_status check(locant_findings *out, struct lct_check_model *m,
                           locant_status status,
                           const locant_check_options *options)
{
    struct lct_report report = { .n = 0 };
    char checked[512] = "";

    *out = (locant_findings){ 0 };
    if (status == LOCANT_OK)
        status = lct_check_model_run(&report, checked, m, options);
    if (status == LOCANT_OK)
        status = lct_report_findings(out, &report, (int)options->stack);
    if (status == LOCANT_OK) {
        out->checked = lct_copy_text(checked, strlen(checked));
        if (out->checked == NULL)
            status = LOCANT_ERR_NOMEM;
    }
    lct_report_free(&report);
    lct_check_model_close(m);
    if (status != LOCANT_OK)
        locant_findings_free(out);
    if (status == LOCANT_ERR_NOMEM)
        locant_fail(status, "locant_model_check: no memory for the findings");
    return status;
}

locant_status locant_model_check(locant_findings *out, const char *path,
                                 const locant_check_options *options)
{
    const char *fn = "locant_model_check";
    struct lct_check_model m;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, path);
    if (options == NULL)
        options = &defaults;
    LCT_TRY(check_options(fn, options));
    return check(out, &m, lct_check_model_open(&m, path), options);
}

locant_status locant_model_check_text(locant_findings *out, const char *text,
                                      size_t n, const char *name,
                                      const locant_check_options *options)
{
    const char *fn = "locant_model_check_text";
    struct lct_check_model m;

    LCT_NOT_NULL(fn, out);
    LCT_NOT_NULL(fn, text);
    LCT_NOT_NULL(fn, name);
    if (options == NULL)
        options = &defaults;
    LCT_TRY(check_options(fn, options));
    return check(out, &m, lct_check_model_parse(&m, text, n, name), options);
}

/* ---------------------------------------------------------------------- fix */

/* Make the changes of the findings in m->config once; *n is their number. */
static locant_status fix_once(size_t *n, struct lct_check_model *m)
{
    struct lct_report report = { .n = 0 };
    char checked[512];
    locant_status status = lct_check_model_run(&report, checked, m, &defaults);

    *n = 0;
    if (status == LOCANT_OK)
        status =
            lct_report_fix(n, (json_t *)(uintptr_t)m->config.text, &report);
    lct_report_free(&report);
    return status;
}

static locant_status fix_all(size_t *fixed, struct lct_check_model *m)
{
    /* one mend may show another fault; two that undo each other end here */
    enum { ROUNDS = 8 };
    size_t n = 1;

    *fixed = 0;
    if (m->config.dialect != LCT_DIALECT_HF4 &&
        m->config.dialect != LCT_DIALECT_HF5)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "%s: only a config.json is changed", m->config.file);
    for (int round = 0; round < ROUNDS && n > 0; round++) {
        LCT_TRY(fix_once(&n, m));
        *fixed += n;
    }
    return LOCANT_OK;
}

/* Refuse to write over the configuration of MODEL. */
static locant_status check_output(const char *fn, const char *path,
                                  const char *output)
{
    static const char *const names[] = { "", "/config.json", "/params.json" };
    struct stat a, b;
    char name[4096];

    if (stat(output, &a) != 0)
        return LOCANT_OK;
    for (size_t i = 0; i < 3; i++) {
        if (snprintf(name, sizeof name, "%s%s", path, names[i]) <
                (int)sizeof name &&
            stat(name, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return locant_fail(LOCANT_ERR_PARAM,
                               "%s: output %s is the configuration itself, "
                               "which is never written over",
                               fn, lct_path_tail(output));
    }
    return LOCANT_OK;
}

locant_status locant_model_fix(size_t *fixed, const char *path,
                               const char *output)
{
    const char *fn = "locant_model_fix";
    struct lct_check_model m;
    locant_status status;

    LCT_NOT_NULL(fn, fixed);
    LCT_NOT_NULL(fn, path);
    LCT_NOT_NULL(fn, output);
    LCT_TRY(check_output(fn, path, output));
    status = lct_check_model_open(&m, path);
    if (status == LOCANT_OK)
        status = fix_all(fixed, &m);
    if (status == LOCANT_OK && *fixed > 0)
        status = lct_check_write(output, m.config.root);
    lct_check_model_close(&m);
    if (status == LOCANT_ERR_NOMEM)
        locant_fail(status, "%s: no memory", fn);
    return status;
}
