/* run.c - the table of rows, and functions that run a row. */
#include "run.h"

#include <stdarg.h>

#include "tutorial.h"

const struct tutorial_row tutorial_rows[] = {
#define ROW(document, number, name, ...)                                       \
    { "S" #document "." #number, "s" #document "_" #number "_" #name,          \
      s##document##_##number##_##name, __VA_ARGS__ },
#include "rows.def"
#undef ROW
    { .id = NULL }
};

struct tutorial *running;

const char *tutorial_document(const struct tutorial_row *row)
{
    static const char *const documents[] = {
        "S0: a notebook in Chinese, PyTorch",
        "S1: a notebook in three sections", "S2: a chapter in Chinese, Java",
        "S3: a blog article", "S4: a course page in Chinese and English"
    };

    return documents[row->id[1] - '0'];
}

int tutorial_begins_document(const struct tutorial_row *row)
{
    return row == tutorial_rows || row[-1].id[1] != row->id[1];
}

void progress(const char *format, ...)
{
    char text[LONGEST], room[LONGEST];
    va_list args;

    if (!running->verbose)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "%s\n", text_in(running->language, room, text));
}

locant_status tutorial_run(struct tutorial *t)
{
    running = t;
    t->figures = t->checks = t->failed = t->mistakes = t->random = 0;
    t->status = LOCANT_OK;
    if (!print_begin(t))
        return locant_fail(LOCANT_ERR_NOMEM, "out of memory");
    if (setjmp(t->leave) == 0) {
        t->row->run();
        check_promises(t);
        print_end(t);
    }
    release_all(t);
    json_object_set_new(t->json, "failed", json_integer(t->failed));
    running = NULL;
    return t->status;
}
