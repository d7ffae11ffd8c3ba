/*
 * cli.h - the command 'locant': tables of commands and their options, and the
 * functions that commands share.
 *
 * Results go to stdout, messages to stderr.  Help is generated from the tables.
 */
#ifndef LOCANT_CLI_H
#define LOCANT_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "locant.h"
#include "locant/figure.h"
#include "locant/files.h"
#include "locant/report.h"

enum { /* exit statuses */
       CLI_OK = 0,
       CLI_NO = 1,        /* the answer is no, or a check failed */
       CLI_USAGE = 2,     /* bad arguments, bad specs */
       CLI_INPUT = 3,     /* missing or malformed files, I/O */
       CLI_RESUMABLE = 75 /* stopped; the same command line continues */
};

enum cli_kind {              /* what an option writes at its offset */
                CLI_FLAG,    /* int 1 */
                CLI_TEXT,    /* const char * */
                CLI_FILE,    /* const char *, not empty and not "-" */
                CLI_INTEGER, /* int64_t */
                CLI_REAL,    /* double, finite */
                CLI_CHOICE,  /* int, index among 'value' split at '|' */
                CLI_LIST,    /* struct cli_list; may be repeated */
                CLI_MANY     /* struct cli_list; words up to the next option */
};

/* Pointers into argv. */
struct cli_list {
    const char **items;
    size_t n;
};

struct cli_option {
    const char *name; /* without dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    enum cli_kind kind;
    size_t offset;        /* into the command's struct options */
    const char *value;    /* "N", "FILE.npy", "exact|hf|ggml" */
    const char *fallback; /* as typed; NULL: zero */
    int64_t min, max;     /* INTEGER */
    int required;
    const char *doc;
    const char *actions; /* "export|import": only for these; NULL: all */
};

/*
 * A row of a table of options: name, member of struct options, placeholder for
 * the value, help; then any further members, as .letter = 'o', .fallback = "1",
 * .required = 1.
 */
/* clang-format off */
#define OPT(name_, kind_, member, value_, ...)                           \
    { .name = name_, .kind = kind_, .value = value_,                     \
      .offset = offsetof(struct options, member), .doc = __VA_ARGS__ }
/* clang-format on */
#define OPT_FLAG(name, member, ...)                                            \
    OPT(name, CLI_FLAG, member, NULL, __VA_ARGS__)
#define OPT_TEXT(name, member, value, ...)                                     \
    OPT(name, CLI_TEXT, member, value, __VA_ARGS__)
#define OPT_FILE(name, member, value, ...)                                     \
    OPT(name, CLI_FILE, member, value, __VA_ARGS__)
#define OPT_INTEGER(name, member, value, min_, max_, ...)                      \
    OPT(name, CLI_INTEGER, member, value, __VA_ARGS__, .min = min_, .max = max_)
#define OPT_REAL(name, member, value, ...)                                     \
    OPT(name, CLI_REAL, member, value, __VA_ARGS__)
#define OPT_CHOICE(name, member, value, ...)                                   \
    OPT(name, CLI_CHOICE, member, value, __VA_ARGS__)
#define OPT_LIST(name, member, value, ...)                                     \
    OPT(name, CLI_LIST, member, value, __VA_ARGS__)
#define OPT_MANY(name, member, value, ...)                                     \
    OPT(name, CLI_MANY, member, value, __VA_ARGS__)
/* clang-format off */
#define OPT_END { .name = NULL }
/* clang-format on */
/* The members of struct cli_command for the table 'options'. */
#define CLI_OPTIONS .options = options, .options_size = sizeof(struct options)

/* Options that several commands share. */
#define OPT_OUTPUT(member, value, doc)                                         \
    OPT_FILE("output", member, value, doc, .letter = 'o', .required = 1)
#define OPT_COLOR(member)                                                      \
    OPT_CHOICE("color", member, "auto|none|16|256|24bit",                      \
               "colours of the terminal; none: plain characters",              \
               .fallback = "auto")
#define OPT_DIR(member)                                                        \
    OPT_FILE("dir", member, "DIR", "folder of the run store",                  \
             .fallback = "locant-lab")
#define OPT_ANY_ISA(member)                                                    \
    OPT_FLAG("any-isa", member,                                                \
             "continue under another instruction set; bits will differ")

struct cli;

/* An action of a command, named by its first word. */
struct cli_action {
    const char *name;     /* NULL ends a table */
    const char *argument; /* "ID", "[ID]" or "[WORD...]"; NULL: none */
    int (*run)(const struct cli *cli);
};

struct cli_command {
    const char *name, *summary;
    const char *usage; /* lines of arguments, split at '\n' */
    const char *doc, *examples;
    const struct cli_option *options;
    size_t options_size;
    size_t min_words, max_words;
    int computes; /* takes --threads and --isa */
    int (*run)(const struct cli *cli);
    /* Replace 'run' and 'max_words'; the first action is the default. */
    const struct cli_action *actions;
    /* Commands of its own, as 'model check', whose names include its own; NULL
       at the end.  Replace everything but 'name', 'summary' and 'doc'. */
    const struct cli_command *const *verbs;
};

/* A parsed command line. */
struct cli {
    const struct cli_command *command;
    const struct cli_action *action; /* NULL if the command has none */
    void *options;      /* its struct options, zeroed, then filled */
    const char **words; /* arguments that are not options */
    size_t n_words;
    uint64_t given; /* bit i: option i of the command was typed */
    int json, help;
    int lang; /* 0 English, 1 Chinese, -1: not given */
    int64_t threads;
    const char *isa;
    int argc; /* words after the command; every cli_list has room for them */
};

/* The commands in the order of the help; ends with NULL. */
extern const struct cli_command *const cli_commands[];
extern const struct cli_command cli_list, cli_show, cli_table, cli_rotate,
    cli_bias, cli_attend, cli_angles, cli_similarity, cli_resize, cli_graph,
    cli_positions, cli_figure, cli_report, cli_train, cli_eval, cli_tasks,
    cli_probe, cli_model, cli_runs, cli_study, cli_tutorial, cli_bench,
    cli_selftest, cli_doctor;

/* ---------------------------------------------------------- args.c, help.c */

/* Parse the words after the command; returns an exit status. */
int cli_parse(struct cli *cli, const struct cli_command *command, int argc,
              char **argv);
int cli_given(const struct cli *cli, const char *option);
/* Refuse the command line unless the option was given. */
int cli_need(const struct cli *cli, const char *option);
/* Option i of a command: its own, then the common ones; NULL after the last. */
const struct cli_option *cli_option_at(const struct cli_command *c, size_t i);
/* Parse a whole number from 'min' to 'max'; returns 0 if there is none. */
int cli_parse_whole(int64_t *out, const char *text, int64_t min, int64_t max);

/* The nearest of 'names' (NULL at the end) within two edits, or NULL. */
const char *cli_nearest(const char *word, const char *const *names);
/* Print "unknown WHAT 'word'" and the nearest of 'names', or the command that
   lists them; returns CLI_USAGE. */
int cli_unknown(const char *what, const char *word, const char *const *names,
                const char *lister);
/*
 * Find the command that the first of n words names, or the first two, as 'model
 * check'; *used is how many.  A word that begins with '-' names none.  Prints
 * an error message if there is no such command.
 */
int cli_find(const struct cli_command **out, int *used, int n,
             const char *const *words);

/*
 * Join the lines of the first form in 'usage': a line that begins with a blank
 * continues the one before.  Returns how many bytes of 'usage' were read.
 */
size_t cli_usage_first(char *out, size_t size, const char *usage);
/*
 * Print words in lines of at most 'width' columns, indented by 'indent'.  'at'
 * columns of the first line are already printed.  Returns the columns of the
 * last line.
 */
size_t cli_wrap(const char *text, size_t at, size_t indent, size_t width);
void cli_help(void);
void cli_help_command(const struct cli_command *command);

/* -------------------------------------------------------------- errors.c */

/* Print "locant: " and the message on stderr; returns 'status'. */
int cli_fail(int status, const char *format, ...) LOCANT_PRINTF(2, 3);
#define cli_refuse(...) cli_fail(CLI_USAGE, __VA_ARGS__)
/* Print "locant: " and a message that is no failure. */
void cli_note(const char *format, ...) LOCANT_PRINTF(1, 2);
/* Print nothing from now on but by cli_speak(): neither messages nor progress,
   because another process of this command does. */
void cli_hush(void);
/* The last message of a hushed process; NULL if this is none. */
const char *cli_hushed(void);
/* Print "locant: " and the text, also of a hushed process. */
void cli_speak(const char *text);

/* Return the exit status of 'call' if it is not CLI_OK. */
/* clang-format off */
#define CLI_TRY(call)                            \
    do {                                         \
        int status_ = (call);                    \
        if (status_ != CLI_OK) return status_;   \
    } while (0)
/* clang-format on */

/*
 * Make foreign text safe for a terminal: valid UTF-8 stays, control characters
 * and other bytes become \n, \t, \x1b.  Error messages are made safe when they
 * are printed.  Code that prints other text of a store, a file, or a file name
 * calls this.  The result lives until the eighth call after this one.
 */
const char *cli_safe(const char *text);
/* printf() into at most 4095 bytes, which stay valid until later calls have
   written 56 KiB. */
const char *cli_text(const char *format, ...) LOCANT_PRINTF(1, 2);
/* The word as typed in a shell, in quotes if necessary; as cli_text(). */
const char *cli_quoted(const char *word);
/* "a, b" of "a" and "b", "b" of "" and "b"; as cli_text(). */
const char *cli_join(const char *list, const char *item);
/* Returns the exit status for 's'; unless 's' is OK, prints cli_message(). */
int cli_status(locant_status s);
/* The same after reading files: CLI_INPUT but for UNSUPPORTED, INTERRUPTED. */
int cli_status_input(locant_status s);
/* locant_last_error() without the name of a function. */
const char *cli_message(void);
/* Observe all allocations: once one has failed, cli_fail() and cli_finish()
   return CLI_INPUT. */
void cli_observe_memory(void);
bool cli_no_memory(void);
/* Flush stdout; returns 'status', or 3 if stdout could not be written. */
int cli_finish(int status);

/* -------------------------------------------------------------- owned.c */

/*
 * Functions of this command that open or allocate something register its
 * release with cli_at_end(), so a command may return anywhere.
 */

/* Call release(object) when the command ends, the latest object first.  Without
   memory to record the call, release the object now and return CLI_INPUT. */
int cli_at_end(void (*release)(void *), void *object);
/* Make the calls recorded by cli_at_end(). */
void cli_end(void);

/* Zeroed memory; NULL after an error message. */
void *cli_alloc(size_t n, size_t size);
/* A copy of n bytes with a terminating 0; NULL after an error message. */
char *cli_copy(const char *text, size_t n);
int cli_encoding_create(locant_encoding **out, const char *spec);
/* The same encoding for sequences of 'length'. */
int cli_encoding_resolve(locant_encoding **out, const locant_encoding *e,
                         int64_t length);
bool cli_has_store(const char *dir);
/* Print an error message if the folder has no run store. */
int cli_check_store(const char *dir);
enum cli_access { CLI_READ, CLI_WRITE };
/* Open the existing run store of a folder. */
int cli_store_open(locant_store **out, const char *dir, enum cli_access access);
/* Open a run store for writing; create it if there is none. */
int cli_store_make(locant_store **out, const char *dir);

/* -------------------------------------------------------------- arrays.c */

/* Read the .npy file 'path'; error messages name --option unless it is NULL. */
int cli_read(locant_tensor *out, const char *option, const char *path);
/* The same; the dtype must be in the set CLI_DTYPE(LOCANT_I64) | .. */
#define CLI_DTYPE(dtype) (1U << (dtype))
/* clang-format off */
#define CLI_FLOATS (CLI_DTYPE(LOCANT_F32) | CLI_DTYPE(LOCANT_F16) | \
                    CLI_DTYPE(LOCANT_BF16) | CLI_DTYPE(LOCANT_F64))
/* clang-format on */
int cli_read_as(locant_tensor *out, const char *option, const char *path,
                unsigned dtypes);
/* Allocate a dense array; refuse more memory than the machine has. */
int cli_new(locant_tensor *out, locant_dtype dtype, int rank,
            const int64_t *shape);
/* Make the positions first, first + 1, .. as I64 [n]. */
int cli_range(locant_tensor *out, int64_t first, int64_t n);
/* Read --positions P.npy: I64 [T], or F64 [T] or [T, axes], all finite. */
int cli_read_positions(locant_tensor *out, const char *path);
/* Write the array; report path, dtype and shape on stderr, or as JSON. */
int cli_write(const struct cli *cli, const char *path, const locant_tensor *t);
struct cli_output {
    const char *path;
    const locant_tensor *tensor;
};
/* The same for several arrays, after all paths are checked; several are one
   array of JSON. */
int cli_write_all(const struct cli *cli, const struct cli_output *list,
                  size_t n);
/* Report the path of a file that was written; it holds no array. */
int cli_report_file(const struct cli *cli, const char *path);
/* Bytes of memory of this machine. */
double cli_memory(void);
size_t cli_elements(const locant_tensor *t);
/* Element i of a dense array of I64, I32, F32 or F64. */
double cli_value(const locant_tensor *t, int64_t i);
/* Index of the first element that is not finite, or -1. */
int64_t cli_not_finite(const locant_tensor *t);
/* Check, before long work, that a file can be written at this path. */
int cli_check_output(const char *path);
/* Check that the folder exists or can be made. */
int cli_check_folder(const char *path);

/* ---------------------------------------------------------------- json.c */

/* Print and release the value; returns CLI_OK or CLI_INPUT. */
int cli_json(json_t *value);

/*
 * A JSON array with many items.  Each item becomes text when it is added: to
 * build a JSON tree of 50,000 runs takes longer than to read the runs.
 * Initialise with zeros.
 */
struct cli_json_rows {
    FILE *file;
    char *text;
    size_t size, n; /* bytes of text; items */
    int failed;
};
/* Add an item and release it. */
void cli_json_add(struct cli_json_rows *rows, json_t *item);
/* Print the array if 'status' is CLI_OK; release it.  Returns the status. */
int cli_json_print(struct cli_json_rows *rows, int status);

/* The number, or null if it is not finite. */
json_t *cli_real(double x);
json_t *cli_shape(const locant_tensor *t);
/* "[2, 3]", as cli_text(). */
const char *cli_shape_text(const locant_tensor *t);
/* "input, rotate" for bits LOCANT_DOOR_*, "none" for 0; as cli_text(). */
const char *cli_doors(unsigned doors);
const char *cli_traits(unsigned traits);

/* ------------------------------------------------------------ terminal.c */

/* How figures are drawn on stdout: in colour on a UTF-8 terminal that has
   colours, unless NO_COLOR is set. */
locant_terminal cli_colors(void);
/* Columns of lines on stdout, 40 to 1000: COLUMNS, the terminal's, or 80. */
int cli_columns(void);
/* Columns of a terminal; 0 if 'fd' is not one. */
int cli_width(int fd);
/* Print a text that the library made, then 'end'; releases the text. */
void cli_print_text(char *text, size_t size, const char *end);
/* Draw on stdout; 'color' is of OPT_COLOR, 'caption' may be NULL. */
locant_status cli_show_figure(const locant_figure *f, int color,
                              const char *caption);
/* Draw t [rows, columns] as a heat map with the titles of 'f', or print it as
   JSON if --json was given. */
int cli_show_cells(const struct cli *cli, const locant_figure *f,
                   const locant_tensor *t, int color);

#endif /* LOCANT_CLI_H */
