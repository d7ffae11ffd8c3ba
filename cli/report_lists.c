/* report_lists.c - lists in the options of 'locant report': encodings, jobs,
   tasks, and runs with their text. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "report_lists.h"
#include "task.h"

/* --------------------------------------------------------------- encodings */

/* Copy the list up to the separator.  *list moves behind the separator, and
   becomes NULL at the end. */
static char *first_item(const char **list, char separator)
{
    const char *end = strchr(*list, separator);
    const size_t n = end != NULL ? (size_t)(end - *list) : strlen(*list);
    char *item = cli_copy(*list, n);

    *list = end != NULL ? end + 1 : NULL;
    return item;
}

/* Whether another word follows a complete spec: then a ';' is missing. */
static int lacks_semicolon(const char *spec)
{
    int depth = 0;
    char last = '+'; /* the last character that is not a blank */

    for (; *spec != '\0'; spec++) {
        const char next = spec[1 + strspn(spec + 1, " \t\n")];

        depth += *spec == '(';
        depth -= *spec == ')';
        if (!isspace((unsigned char)*spec))
            last = *spec;
        else if (last == '+')
            continue;
        if (depth == 0 && (*spec == ',' || isspace((unsigned char)*spec)) &&
            isalpha((unsigned char)next))
            return 1;
    }
    return 0;
}

static int check_spec(const char *spec)
{
    locant_encoding *e;

    if (lacks_semicolon(spec))
        return cli_refuse("--encodings '%s': should have ';' between specs: "
                          "'rope; alibi'",
                          spec);
    return cli_encoding_create(&e, spec);
}

int cli_report_specs(struct cli_report_specs *out, const char *list)
{
    const char *rest = list;

    while (rest != NULL) {
        char *item = first_item(&rest, ';'), *end;

        if (item == NULL)
            return CLI_INPUT;
        end = item + strlen(item);
        item += strspn(item, " \t\n");
        while (end > item && isspace((unsigned char)end[-1]))
            *--end = '\0';
        if (*item == '\0')
            continue;
        if (out->n == CLI_REPORT_SPECS)
            return cli_refuse("--encodings: more than %d encodings",
                              CLI_REPORT_SPECS);
        CLI_TRY(check_spec(item));
        out->items[out->n++] = item;
    }
    return out->n > 0 ? CLI_OK
                      : cli_refuse("--encodings '%s': should be specs with ';' "
                                   "between them",
                                   list);
}

/* ---------------------------------------------------------- jobs and tasks */

/* The long jobs of --with. */
static const struct {
    const char *name;
    unsigned job;
} jobs[] = {
    { "extension", LOCANT_WITH_EXTENSION },
    { "surface", LOCANT_WITH_SURFACE },
    { "tasks", LOCANT_WITH_TASKS },
};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

static int add_job(unsigned *out, const char *name)
{
    const char *names = "";

    for (size_t i = 0; i < JOBS; i++) {
        names = cli_join(names, jobs[i].name);
        if (strcmp(jobs[i].name, name) == 0) {
            *out |= jobs[i].job;
            return CLI_OK;
        }
    }
    return cli_refuse("--with '%s': should be one or more of %s", name, names);
}

int cli_report_jobs(unsigned *out, const char *list)
{
    *out = 0;
    while (list != NULL) {
        const char *name = first_item(&list, ',');

        CLI_TRY(name == NULL ? CLI_INPUT : add_job(out, name));
    }
    return CLI_OK;
}

int cli_report_tasks(const char *list, unsigned with)
{
    const locant_task_info *task;

    if (list != NULL && !(with & LOCANT_WITH_TASKS))
        return cli_refuse("--tasks is for --with tasks");
    while (list != NULL) {
        const char *id = first_item(&list, ',');

        CLI_TRY(id == NULL ? CLI_INPUT : cli_task_find(&task, "--tasks", id));
    }
    return CLI_OK;
}

/* -------------------------------------------------------------------- runs */

enum { MOST_RUNS = 4096 };

static const char separators[] = ", \t\n";

static int refuse(const char *item)
{
    return cli_refuse("--runs '%s': should be numbers of runs and ranges, such "
                      "as 3,5,7-20",
                      cli_safe(item));
}

/* Add the run or the range of an item such as "5" or "7-20". */
static int add_item(struct runs_ids *out, char *item)
{
    const char *whole = cli_text("%s", item);
    char *dash = strchr(item, '-');
    int64_t first, last;

    if (dash != NULL)
        *dash = '\0';
    if (!cli_parse_whole(&first, item, 1, INT64_MAX) ||
        !cli_parse_whole(&last, dash != NULL ? dash + 1 : item, 1, INT64_MAX) ||
        last < first)
        return refuse(whole);
    if (last - first >= MOST_RUNS)
        return cli_refuse("--runs '%s': %" PRId64 " runs, at most %d can be "
                          "compared",
                          whole, last - first + 1, MOST_RUNS);
    for (int64_t id = first; id <= last; id++)
        CLI_TRY(runs_add_id(out, id));
    return CLI_OK;
}

int cli_report_runs(struct runs_ids *out, const char *list)
{
    for (list += strspn(list, separators); *list != '\0';
         list += strspn(list, separators)) {
        const size_t n = strcspn(list, separators);
        char *item = cli_copy(list, n);

        CLI_TRY(item == NULL ? CLI_INPUT : add_item(out, item));
        list += n;
    }
    return out->n > 0 ? CLI_OK : refuse(list);
}

int cli_report_runs_text(locant_corpus **out, const struct cli_corpus *options,
                         const char *dir, int64_t run)
{
    locant_store *store;
    locant_status s;

    CLI_TRY(cli_check_store(dir));
    if (options->text.n > 0 || options->generated || options->kept)
        return cli_corpus_open(out, options, dir);
    *out = NULL;
    s = locant_store_open_readonly(&store, dir);
    if (s == LOCANT_OK)
        s = locant_store_corpus(out, store, run);
    locant_store_close(store);
    CLI_TRY(cli_status_input(s));
    return cli_corpus_free_at_end(*out);
}
