/* report_part.c - see report_part.h */
#include "report_part.h"
#include "job.h"
#include "launcher.h"
#include <inttypes.h>

/* Refuse 'option' together with one of 'others'. */
static int refuse_others(const struct cli *cli, const char *option,
                         const char *const *others, const char *why)
{
    for (; cli_given(cli, option) && *others != NULL; others++)
        if (cli_given(cli, *others))
            return cli_refuse("--%s %s, so --%s cannot be given", option, why,
                              *others);
    return CLI_OK;
}

int cli_report_check_part(const struct cli *cli, const char *part)
{
    static const char *const of_page[] = { "runs",      "with",   "tasks",
                                           "minutes",   "export", "output",
                                           "make-plan", NULL };
    static const char *const planned[] = { "preset",  "encodings", "seeds",
                                           "minutes", "optimizer", "vocabulary",
                                           "runs",    NULL };
    static const char *const of_plan[] = { "runs",    "with",   "tasks",
                                           "minutes", "export", "output",
                                           "plan",    NULL };

    int i, n;

    CLI_TRY(refuse_others(cli, "part", of_page,
                          "trains one part of the runs and writes no page"));
    CLI_TRY(refuse_others(cli, "make-plan", of_plan, "trains nothing"));
    CLI_TRY(refuse_others(cli, "plan", planned, "decides what is trained"));
    return part != NULL ? cli_part(&i, &n, part)
                        : cli_check_single("--part auto");
}

int cli_report_part(const struct cli *cli, const locant_corpus *corpus,
                    const locant_report_options *options, const char *text)
{
    int64_t runs;
    int part, parts;

    CLI_TRY(cli_part(&part, &parts, text));
    CLI_TRY(cli_job_status(
        locant_report_part(&runs, corpus, options, part, parts)));
    if (cli->json)
        return cli_json(json_pack(
            "{s:i, s:i, s:I, s:s}", "part", part, "parts", parts, "runs",
            (json_int_t)runs, "directory",
            cli_text("%s/part-%d-of-%d", options->directory, part, parts)));
    printf("part %d of %d: %" PRId64 " runs in %s/part-%d-of-%d\n", part, parts,
           runs, cli_safe(options->directory), part, parts);
    return CLI_OK;
}

int cli_report_make_plan(const struct cli *cli, const locant_corpus *corpus,
                         const locant_report_options *options, const char *path)
{
    int rates;

    CLI_TRY(cli_check_output(path));
    CLI_TRY(cli_status_input(
        locant_report_make_plan(&rates, path, corpus, options)));
    if (cli->json)
        return cli_json(
            json_pack("{s:s, s:b}", "plan", path, "rates_chosen", rates));
    printf("plan: %s%s\n", cli_safe(path),
           rates ? ""
                 : ", for the round that tries learning rates: --dir has not "
                   "all of its runs");
    return CLI_OK;
}
