/* main.c - find the command, parse its arguments, set up the library, run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "language.h"

const struct cli_command *const cli_commands[] = {
    &cli_list,      &cli_show,   &cli_table,      &cli_rotate, &cli_bias,
    &cli_attend,    &cli_angles, &cli_similarity, &cli_resize, &cli_graph,
    &cli_positions, &cli_report, &cli_figure,     &cli_train,  &cli_eval,
    &cli_tasks,     &cli_probe,  &cli_model,      &cli_runs,   &cli_study,
    &cli_tutorial,  &cli_bench,  &cli_selftest,   &cli_doctor, NULL
};

/*
 * If stdin, stdout or stderr is closed, the next file that is opened gets its
 * number, and messages would be written into that file.
 */
static void occupy_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        /* for the wrong direction, so that reads and writes still fail */
        if (fcntl(fd, F_GETFD) == -1 &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(CLI_INPUT);
    }
}

static int set_isa(const char *name)
{
    const char *known, *list = "";
    int available, found = 0;

    for (int i = 0; (known = locant_isa_at(i, &available)) != NULL; i++) {
        list = cli_join(list, known);
        found |= strcmp(known, name) == 0;
    }
    if (!found)
        return cli_refuse("--isa '%s': should be one of %s", name, list);
    if (locant_set_isa(name) != LOCANT_OK)
        return cli_refuse("--isa '%s': %s", name, locant_last_error());
    return CLI_OK;
}

static int set_up(const struct cli *cli)
{
    CLI_TRY(cli_status(locant_set_threads((int)cli->threads)));
    return cli->isa != NULL ? set_isa(cli->isa) : CLI_OK;
}

/* A command that has verbs, without one: its help, if that is asked for. */
static int run_verbs(const struct cli_command *command, int argc, char **argv)
{
    static const struct cli_option none[] = { OPT_END };
    const struct cli_command self = { .name = command->name,
                                      .usage = "VERB [ARGUMENTS]",
                                      .options = none };
    struct cli cli;

    CLI_TRY(cli_parse(&cli, &self, argc, argv));
    cli_set_language(cli.lang);
    if (!cli.help)
        return cli_refuse("%s: needs a verb; 'locant %s --help' lists them",
                          command->name, command->name);
    cli_help_command(command);
    return CLI_OK;
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli cli;

    if (command->verbs != NULL)
        return run_verbs(command, argc, argv);
    CLI_TRY(cli_parse(&cli, command, argc, argv));
    cli_set_language(cli.lang);
    if (cli.help) {
        cli_help_command(command);
        return CLI_OK;
    }
    if (command->computes)
        CLI_TRY(set_up(&cli));
    return cli.action != NULL ? cli.action->run(&cli) : command->run(&cli);
}

static int help(int argc, char **argv)
{
    static const struct cli_option none[] = { OPT_END };
    static const struct cli_command self = {
        .name = "help", .usage = "[COMMAND]", .options = none, .max_words = 2
    };
    const struct cli_command *command;
    struct cli cli;
    int used;

    CLI_TRY(cli_parse(&cli, &self, argc, argv));
    cli_set_language(cli.lang);
    if (cli.n_words == 0) {
        cli_help();
        return CLI_OK;
    }
    CLI_TRY(cli_find(&command, &used, (int)cli.n_words, cli.words));
    if ((size_t)used < cli.n_words)
        return cli_refuse("help: unexpected argument '%s'; usage: locant help "
                          "[COMMAND]",
                          cli.words[used]);
    cli_help_command(command);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    const struct cli_command *command;
    const char *name = argc > 1 ? argv[1] : "--help";
    int used;

    if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
        return help(argc - 2 > 0 ? argc - 2 : 0, argv + 2);
    if (strcmp(name, "--version") == 0) {
        printf("locant %s\n", locant_version());
        return CLI_OK;
    }
    CLI_TRY(cli_find(&command, &used, argc - 1, (const char *const *)argv + 1));
    return run_command(command, argc - 1 - used, argv + 1 + used);
}

int main(int argc, char **argv)
{
    int status;

    occupy_standard_files();
    signal(SIGPIPE, SIG_IGN);
    /* With 'ulimit -f', writing then fails with an error message. */
    signal(SIGXFSZ, SIG_IGN);
    cli_observe_memory();
    status = run(argc, argv);
    cli_end();
    return cli_finish(status);
}
