/* check_report.c - collect findings, and compose their sentences */
#include "check_report.h"
#include "../core/text.h"
#include <stdio.h>
#include <string.h>

static const locant_check_info infos[] = {
#define CHECK(id, severity, title) { #id, LOCANT_FINDING_##severity, title },
#include "checks.def"
#undef CHECK
};

const locant_check_info *locant_model_check_at(size_t i)
{
    return i < LCT_CHECKS ? &infos[i] : NULL;
}

/* ------------------------------------------------------------------ drafts */

static char *copied(struct lct_report *r, const char *text)
{
    char *copy = lct_copy_text(text, strlen(text));

    if (copy == NULL)
        r->no_memory = true;
    return copy;
}

void lct_report_set(char **out, struct lct_report *r, const char *text)
{
    locant_release(*out);
    *out = copied(r, text);
}

static void drop(struct lct_draft *f)
{
    locant_release(f->key);
    locant_release(f->what);
    locant_release(f->mend);
    for (int i = 0; i < LCT_STACKS; i++)
        locant_release(f->computes[i]);
    json_decref(f->fixes);
}

void lct_report_free(struct lct_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        drop(r->drafts[i]);
        locant_release(r->drafts[i]);
    }
    locant_release(r->drafts);
    drop(&r->lost);
    memset(r, 0, sizeof *r);
}

struct lct_draft *lct_report_add(struct lct_report *r)
{
    struct lct_draft *f = locant_alloc(sizeof *f), **more = r->drafts;

    if (r->n == r->room && f != NULL) {
        more = locant_alloc((2 * r->room + 16) * sizeof *more);
        if (more != NULL) {
            if (r->n > 0)
                memcpy(more, r->drafts, r->n * sizeof *more);
            locant_release(r->drafts);
            r->drafts = more;
            r->room = 2 * r->room + 16;
        }
    }
    if (f == NULL || more == NULL) {
        locant_release(f);
        r->no_memory = true;
        return &r->lost;
    }
    r->drafts[r->n++] = f;
    return f;
}

void lct_check_fix(struct lct_draft *f, const char *path, json_t *value)
{
    if (f->fixes == NULL)
        f->fixes = json_array();
    if (json_array_append_new(f->fixes, json_pack("[s, o]", path, value)) != 0)
        f->report->no_memory = true; /* of an object that was not made, too */
}

void lct_check_remove(struct lct_draft *f, const char *path)
{
    lct_check_fix(f, path, json_null());
}

void lct_check_severity(struct lct_draft *f, locant_severity severity)
{
    f->severity = severity;
}

/* --------------------------------------------------------------- sentences */

static const char *const stack_names[LCT_STACKS] = {
    "", "transformers 4", "transformers 5", "vLLM", "llama.cpp", "MLX"
};

enum { SENTENCE = 4096 };

static bool same_text(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* "transformers 4 and 5, vLLM" of the stacks whose text is that of 'first'. */
static void append_stacks(char out[SENTENCE], const struct lct_draft *f,
                          int first)
{
    int n = 0, last = first;

    for (int i = first; i < LCT_STACKS; i++)
        if (same_text(f->computes[i], f->computes[first]))
            n++;
    if (n == LCT_STACKS - 1) {
        lct_append(out, SENTENCE, "Every stack");
        return;
    }
    for (int i = first; i < LCT_STACKS; i++) {
        if (!same_text(f->computes[i], f->computes[first]))
            continue;
        if (i == LOCANT_STACK_HF5 && last == LOCANT_STACK_HF4)
            lct_append(out, SENTENCE, " and 5");
        else
            lct_append(out, SENTENCE, "%s%s", i == first ? "" : ", ",
                       stack_names[i]);
        last = i;
    }
}

static void compose(char out[SENTENCE], const struct lct_draft *f, int stack)
{
    bool some = false;

    lct_append(out, SENTENCE, "%s.", f->what);
    for (int i = 0; i < LCT_STACKS; i++) {
        bool said = false;

        for (int j = 0; j < i && stack == LOCANT_STACK_TRUE; j++)
            said |= same_text(f->computes[j], f->computes[i]);
        if (said || f->computes[i] == NULL ||
            (stack != LOCANT_STACK_TRUE && stack != i))
            continue;
        lct_append(out, SENTENCE, some ? "; " : " ");
        if (stack != LOCANT_STACK_TRUE)
            lct_append(out, SENTENCE, "%s", stack_names[i]);
        else
            append_stacks(out, f, i);
        lct_append(out, SENTENCE, ": %s", f->computes[i]);
        some = true;
    }
    lct_append(out, SENTENCE, some ? "." : "");
}

/* ---------------------------------------------------------------- findings */

static unsigned concerned(const struct lct_draft *f)
{
    unsigned stacks = 0;

    for (int i = 0; i < LCT_STACKS; i++)
        if (f->computes[i] != NULL)
            stacks |= 1U << i;
    return stacks ? stacks : LCT_EVERY_STACK;
}

static void hand_over(locant_finding *out, struct lct_draft *f, int stack)
{
    char sentence[SENTENCE] = "";

    compose(sentence, f, stack);
    *out =
        (locant_finding){ .id = infos[f->id].id,
                          .severity = f->severity,
                          .stacks = concerned(f),
                          .fixes = f->fixes != NULL,
                          .sentence = copied(f->report, sentence),
                          .key = f->key,
                          .mend = f->mend ? f->mend : copied(f->report, "") };
    f->key = f->mend = NULL;
    for (int i = 1; i < LCT_STACKS; i++) {
        if (f->computes[i] == NULL)
            f->computes[i] = copied(f->report, "");
    }
    out->hf4 = f->computes[LOCANT_STACK_HF4];
    out->hf5 = f->computes[LOCANT_STACK_HF5];
    out->vllm = f->computes[LOCANT_STACK_VLLM];
    out->llama_cpp = f->computes[LOCANT_STACK_LLAMACPP];
    out->mlx = f->computes[LOCANT_STACK_MLX];
    memset(f->computes, 0, sizeof f->computes);
}

/* Errors first; of one severity, in the order of the checks. */
static bool before(const struct lct_draft *a, const struct lct_draft *b)
{
    return a->severity != b->severity ? a->severity > b->severity
                                      : a->id < b->id;
}

/* Stable, and short enough lists. */
static void sort(struct lct_report *r)
{
    for (size_t i = 1; i < r->n; i++) {
        struct lct_draft *f = r->drafts[i];
        size_t at = i;

        for (; at > 0 && before(f, r->drafts[at - 1]); at--)
            r->drafts[at] = r->drafts[at - 1];
        r->drafts[at] = f;
    }
}

locant_status lct_report_findings(locant_findings *out, struct lct_report *r,
                                  int stack)
{
    sort(r);
    out->at = locant_alloc((r->n + 1) * sizeof *out->at);
    out->n = 0;
    if (out->at == NULL)
        r->no_memory = true;
    for (size_t i = 0; i < r->n && !r->no_memory; i++) {
        if (stack != LOCANT_STACK_TRUE &&
            (concerned(r->drafts[i]) >> stack & 1) == 0)
            continue;
        hand_over(&out->at[out->n++], r->drafts[i], stack);
    }
    return r->no_memory ? LOCANT_ERR_NOMEM : LOCANT_OK;
}

void locant_findings_free(locant_findings *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < f->n; i++) {
        locant_finding *x = &f->at[i];
        char *const texts[] = { x->key, x->sentence, x->mend,      x->hf4,
                                x->hf5, x->vllm,     x->llama_cpp, x->mlx };

        for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
            locant_release(texts[j]);
    }
    locant_release(f->at);
    locant_release(f->checked);
    *f = (locant_findings){ 0 };
}

/* ------------------------------------------------------------------- fixes */

/* Set or remove 'path' ("a.b.c") of an object; objects on the way exist. */
static void change(json_t *object, const char *path, json_t *value)
{
    const char *dot;
    char name[96];

    while (object != NULL && (dot = strchr(path, '.')) != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
        object = json_object_get(object, name);
        path = dot + 1;
    }
    if (json_is_null(value))
        json_object_del(object, path);
    else
        json_object_set(object, path, value);
}

locant_status lct_report_fix(size_t *n, json_t *text,
                             const struct lct_report *r)
{
    *n = 0;
    for (size_t i = 0; i < r->n; i++) {
        size_t at;
        json_t *fix;

        *n += r->drafts[i]->fixes != NULL;
        json_array_foreach(r->drafts[i]->fixes, at, fix)
            change(text, json_string_value(json_array_get(fix, 0)),
                   json_array_get(fix, 1));
    }
    return r->no_memory ? LOCANT_ERR_NOMEM : LOCANT_OK;
}
