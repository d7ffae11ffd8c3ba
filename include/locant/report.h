/*
 * report.h - compare encodings: train small models of each, measure them, and
 * write one page.
 */
#ifndef LOCANT_REPORT_H
#define LOCANT_REPORT_H

#include "evaluate.h"

LOCANT_BEGIN_DECLS

typedef enum locant_preset {
    LOCANT_PRESET_SMOKE = 0, /* a minute; proves the path, not the science */
    LOCANT_PRESET_QUICK = 1, /* 8 encodings x 2 seeds: ten minutes */
    LOCANT_PRESET_HOUR  = 2,
    LOCANT_PRESET_FULL  = 3,
    /* sinusoidal, rope, alibi x 3 seeds; judged at twice the trained length */
    LOCANT_PRESET_HOMEWORK = 4
} locant_preset;

/* Further parts of a report, each a long job with its own section. */
enum {
    LOCANT_WITH_EXTENSION = 1, /* reading beyond the trained length with RoPE:
                                  PI, NTK, YaRN, ReRoPE, Self-Extend, .. */
    LOCANT_WITH_TASKS = 2,     /* models of the report's encodings trained on
                                  tasks and scored */
    LOCANT_WITH_SURFACE = 4    /* loss by (trained length, evaluated length) */
};

/* For locant_report_options: the optimizer or vocabulary of the preset. */
enum { LOCANT_OF_PRESET = -1 };

typedef struct locant_report_options {
    size_t        struct_size;
    locant_preset preset;
    const char *const *encodings; /* specs; NULL: the preset's */
    size_t        n_encodings;
    int           seeds;          /* 0: the preset's */
    const char   *directory;      /* of the store */
    const char   *path;           /* of the page; "locant-report.html" */
    const char   *commit;         /* provenance; NULL: the library version */
    locant_progress_fn progress;
    void         *context;
    unsigned      with;           /* LOCANT_WITH_..; 0: none */
    const char   *tasks;          /* "T1,T12"; NULL: the preset's */
    int           minutes;        /* time limit: the number of seeds is reduced,
                                     at least to two, until a forecast made at
                                     the start meets it; 0: the preset's limit,
                                     or none if 'seeds' is given */
    int           any_isa;        /* 1: locant_store_any_isa() */
    int           optimizer;      /* a locant_optimizer for every run, or
                                     LOCANT_OF_PRESET: tasks keep AdamW */
    int           vocabulary;     /* as in locant_train_options, or
                                     LOCANT_OF_PRESET */
    const char   *export_folder;  /* of LaTeX, CSV, BibTeX, and what to say of
                                     reproducibility; NULL: none */
    const int64_t *runs;          /* compare these finished runs, which differ
                                     only in encoding and seed, and train
                                     nothing; NULL: train */
    size_t        n_runs;         /* 1 .. 4096; 0: 'runs' is not read */
    const char   *plan;           /* file of locant_report_make_plan(), which
                                     decides preset, encodings, seeds, optimizer
                                     and vocabulary; NULL: none */
} locant_report_options;

#define LOCANT_REPORT_INIT                                             \
    { .struct_size = sizeof(locant_report_options),                    \
      .preset = LOCANT_PRESET_QUICK, .directory = "locant-lab",        \
      .path = "locant-report.html", .optimizer = LOCANT_OF_PRESET,     \
      .vocabulary = LOCANT_OF_PRESET }

/* One row of the table of results. */
typedef struct locant_report_row {
    char    encoding[256];
    int     seeds;
    int64_t length[LOCANT_EVAL_LENGTHS];
    double  loss[LOCANT_EVAL_LENGTHS];      /* mean over seeds, nats per byte */
    double  half_width[LOCANT_EVAL_LENGTHS]; /* 95 % t interval over seeds; NAN
                                                for one seed */
    double  gain;                           /* G(2048) = P4 - P1(2048) */
    int64_t parameters, encoding_parameters;
    double  train_tokens_per_second, eval_tokens_per_second;
    double  seconds;
    int64_t bytes;              /* memory of the model in training */
} locant_report_row;

enum { LOCANT_GATE_VALUES = 6 };

/*
 * One gate: a check without which the results of the page are not valid.  g7
 * passes if every claim of the page passes its corrected test, and does not
 * apply if there are no claims.  'text' is the id of the message, by which a
 * translation is found for the same values and specs.
 */
typedef struct locant_report_gate {
    char   name[8];      /* "g1" .. "g7" */
    int    passed;
    int    not_applicable; /* nothing to check: 'passed' is 1 */
    char   sentence[768]; /* in English */
    char   text[16];      /* "g2.best" */
    double value[LOCANT_GATE_VALUES];
    char   spec[2][256];
} locant_report_gate;

typedef struct locant_report {
    locant_report_row *rows;
    size_t             n_rows;
    locant_report_gate gates[7];
    locant_corpus_info corpus;
    double             seconds;
    int                vocabulary; /* 0: lengths are in bytes; else in tokens */
    char              *json; /* every number of the page: docs/NUMBERS.md */
} locant_report;

/*
 * Make the report: train the missing runs, evaluate, check the gates, write the
 * page.  Free *out, unless it is NULL, with locant_report_free().
 * Errors: as the functions above.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_report_run(locant_report *out, const locant_corpus *corpus,
                  const locant_report_options *options);
LOCANT_API void locant_report_free(locant_report *report);

/* ------------------------------------------------------ parts of a report */

/*
 * Several machines share out the runs of a report without messages: each trains
 * one part in a store of its own, locant_store_merge() joins the stores, and
 * locant_report_run() on the merged store trains what is missing and writes the
 * page.  A plan, one JSON file, gives all of them the same configuration.
 */
enum { LOCANT_MOST_PARTS = 100000 };

/*
 * Write the plan of a report into the file 'path'.  A preset that tries
 * learning rates goes in two rounds: the first plan has none, and parts try
 * them; when the store of options->directory has all of these runs, the plan
 * has the chosen rates, and parts train the seeds.
 *
 * rates_chosen  written unless NULL: 1 if the plan has rates, or needs none
 * Errors: those of locant_report_run() about its options; PARAM (minutes, with,
 * runs or export_folder are set).
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_report_make_plan(int *rates_chosen, const char *path,
                        const locant_corpus *corpus,
                        const locant_report_options *options);

/*
 * Train and evaluate part 'part' of 'parts' (1 .. parts) of a report, in the
 * store <options->directory>/part-<part>-of-<parts>, which only this process
 * may have open (locant_store_open_alone()).  No page is written.  Run j, seed
 * by seed and encoding by encoding, belongs to part 1 + j mod parts.
 *
 * runs  written unless NULL: the number of runs of this part
 * Errors: as locant_report_make_plan(); PARAM (part; a plan of another text),
 * UNSUPPORTED (another process has this part's store), INTERRUPTED.
 */
LOCANT_API LOCANT_MUST_CHECK locant_status
locant_report_part(int64_t *runs, const locant_corpus *corpus,
                   const locant_report_options *options, int part, int parts);

LOCANT_END_DECLS
#endif /* LOCANT_REPORT_H */
