/*
 * launcher.c - see launcher.h
 *
 * mpirun of Open MPI and of MPICH, srun, Slurm's arrays and Kubernetes' indexed
 * jobs tell a process its number in variables of its environment.
 * SLURM_NTASKS is none of them: batch scripts have it, too, and so they have
 * SLURM_PROCID, but not SLURM_STEP_NUM_TASKS.
 */
#include "launcher.h"
#include "locant/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct launcher {
    const char *rank, *size; /* variables; size NULL: the launcher says none */
    const char *first;       /* variable of the least rank; NULL: it is 0 */
    int starts_all;          /* processes of one job, not jobs of their own */
} launchers[] = {
    { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, 1 },
    { "PMI_RANK", "PMI_SIZE", NULL, 1 },
    { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", NULL, 1 },
    { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
      0 },
    { "JOB_COMPLETION_INDEX", NULL, NULL, 0 },
};
enum { LAUNCHERS = sizeof launchers / sizeof launchers[0] };

/* The number in a variable; 'otherwise' if there is none. */
static int64_t number_of(const char *variable, int64_t otherwise)
{
    const char *text = variable != NULL ? getenv(variable) : NULL;
    int64_t n;

    return text != NULL && cli_parse_whole(&n, text, 0, INT32_MAX) ? n
                                                                   : otherwise;
}

int64_t cli_launched(const char **variable)
{
    for (int i = 0; i < LAUNCHERS; i++) {
        const int64_t n = number_of(launchers[i].size, 1);

        if (!launchers[i].starts_all || n < 2)
            continue;
        if (number_of(launchers[i].rank, 0) > 0)
            cli_hush();
        *variable = launchers[i].size;
        return n;
    }
    return 1;
}

static int refuse_several(const char *why)
{
    const char *variable;
    const int64_t n = cli_launched(&variable);

    if (n == 1)
        return CLI_OK;
    return cli_refuse("%s is %" PRId64 ": a launcher has started this command "
                      "%" PRId64 " times, and %s",
                      variable, n, n, why);
}

int cli_check_single(const char *add)
{
    return refuse_several(cli_text("each would do the same; add %s", add));
}

int cli_check_alone(void)
{
    return refuse_several("it runs in one process");
}

/* The launcher of this process: one that started several, if there is one. */
static const struct launcher *find_launcher(void)
{
    const struct launcher *found = NULL;

    for (int i = 0; i < LAUNCHERS; i++) {
        const struct launcher *l = &launchers[i];

        if (number_of(l->rank, -1) < 0 ||
            (l->size != NULL && number_of(l->size, 0) == 0))
            continue;
        if (found == NULL || number_of(found->size, 2) < 2)
            found = l;
    }
    return found;
}

/* "auto", or "auto/N" with N in *parts. */
static int find_part(int *part, int *parts, const char *text)
{
    const struct launcher *l = find_launcher();
    int64_t size;

    if (l == NULL)
        return cli_refuse("--part '%s': no launcher has set its variables; "
                          "give I/N",
                          text);
    size = *parts > 0 ? *parts : number_of(l->size, 0);
    *part = 1 + (int)(number_of(l->rank, 0) - number_of(l->first, 0));
    *parts = (int)size;
    if (size == 0)
        return cli_refuse("--part '%s': %s says which part this is, not of how "
                          "many; give auto/N",
                          text, l->rank);
    if (*part < 1 || *part > size)
        return cli_refuse("--part '%s': by %s this is part %d of %d", text,
                          l->rank, *part, *parts);
    return CLI_OK;
}

int cli_part(int *part, int *parts, const char *text)
{
    const char *slash = strchr(text, '/');
    const size_t n = slash != NULL ? (size_t)(slash - text) : strlen(text);
    const int is_auto = n == 4 && strncmp(text, "auto", n) == 0;
    int64_t i = 0, of = 0;

    if ((slash != NULL &&
         !cli_parse_whole(&of, slash + 1, 1, LOCANT_MOST_PARTS)) ||
        (!is_auto &&
         (slash == NULL ||
          !cli_parse_whole(&i, cli_text("%.*s", (int)n, text), 1, of))))
        return cli_refuse("--part '%s': should be I/N, a part from 1 to N; "
                          "auto; or auto/N",
                          text);
    *part = (int)i;
    *parts = (int)of;
    return is_auto ? find_part(part, parts, text) : CLI_OK;
}
