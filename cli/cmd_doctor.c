/* cmd_doctor.c - locant doctor: facts about this build and this machine. */
#include <stdio.h>
#include <string.h>

#include "mpi.h"

/* CMake sets it; a build by hand has no list. */
#ifndef LOCANT_DEPENDENCIES
#    define LOCANT_DEPENDENCIES "unknown"
#endif
#ifdef __clang__
#    define COMPILER __VERSION__
#else
#    define COMPILER "gcc " __VERSION__
#endif
#ifndef LOCANT_COMMIT
#    define LOCANT_COMMIT ""
#endif

static const struct cli_option options[] = { OPT_END };

static json_t *isas_json(void)
{
    json_t *rows = json_array();
    const char *name;
    int available;

    for (int i = 0; (name = locant_isa_at(i, &available)) != NULL; i++)
        json_array_append_new(
            rows, json_pack("{s:s, s:b}", "name", name, "runs", available));
    return rows;
}

static int print_json(const locant_corpus_info *corpus)
{
    json_t *headers = json_null();
    const char *why;

    if (corpus != NULL)
        headers = json_pack(
            "{s:I, s:I, s:s}", "files", (json_int_t)corpus->files, "bytes",
            (json_int_t)corpus->bytes, "sha256", corpus->sha256);
    return cli_json(json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:o, s:i, s:f, s:o, s:s?}", "version",
        locant_version(), "commit", LOCANT_COMMIT, "compiler", COMPILER,
        "dependencies", LOCANT_DEPENDENCIES, "isa", locant_isa(), "isas",
        isas_json(), "threads", locant_threads(), "memory_gib",
        cli_memory() / 0x1p30, "headers", headers, "mpi", cli_mpi_name(&why)));
}

static void print_text(const locant_corpus_info *corpus)
{
    const char *name, *why;
    int available;

    printf("version       %s%s%s\n", locant_version(),
           LOCANT_COMMIT[0] ? ", commit " : "", LOCANT_COMMIT);
    printf("compiler      %s\n", COMPILER);
    printf("dependencies  %s\n", LOCANT_DEPENDENCIES);
    for (int i = 0; (name = locant_isa_at(i, &available)) != NULL; i++)
        printf("%-13s %s: %s\n", i == 0 ? "kernels" : "", name,
               !available                        ? "this CPU does not run them"
               : strcmp(name, locant_isa()) == 0 ? "in use"
                                                 : "run here");
    printf("threads       %d\n", locant_threads());
    printf("memory        %.1f GiB\n", cli_memory() / 0x1p30);
    name = cli_mpi_name(&why);
    printf("mpi           %s\n", name != NULL ? name : why);
    if (corpus != NULL)
        printf("C headers     %zu files, %.1f MiB: enough for 'locant "
               "report'\n",
               corpus->files, (double)corpus->bytes / 0x1p20);
    else
        printf("C headers     %s\n", cli_safe(locant_last_error()));
}

static int run(const struct cli *cli)
{
    locant_corpus_options o = LOCANT_CORPUS_INIT;
    const locant_corpus_info *info;
    locant_corpus *corpus = NULL;
    int status = CLI_OK;

    if (locant_corpus_create(&corpus, &o) == LOCANT_ERR_NOMEM)
        return cli_status(LOCANT_ERR_NOMEM);
    info = locant_corpus_info_of(corpus); /* NULL if there is no corpus */
    if (cli->json)
        status = print_json(info);
    else
        print_text(info);
    locant_corpus_free(corpus);
    return status == CLI_OK && info == NULL ? CLI_NO : status;
}

const struct cli_command cli_doctor = {
    .name = "doctor",
    .summary = "what this build and this machine have",
    .usage = "[--json]",
    .doc = "Prints version, compiler, libraries, instruction sets, threads, "
           "memory, MPI,\nand whether this machine has enough C headers for "
           "'locant report' (exit 1 if\nnot).",
    .examples = "locant doctor\nlocant doctor --json",
    .options = options,
    .computes = 1,
    .run = run
};
