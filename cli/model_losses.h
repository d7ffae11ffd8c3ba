/* model_losses.h - what models lose on texts, by position or by length */
#ifndef LOCANT_CLI_MODEL_LOSSES_H
#define LOCANT_CLI_MODEL_LOSSES_H
#include "cli.h"
#include "locant/models.h"

enum { MODEL_LOSSES_MODELS = 9, MODEL_LOSSES_ROWS = 48 };

/* One line of the table: positions first .. last, or texts of 'last' tokens. */
struct model_losses_row {
    int64_t first, last;
    int64_t units; /* rows of ids, or texts */
    double *mean;  /* [models, units] */
};

struct model_losses {
    const char *names[MODEL_LOSSES_MODELS];
    int models;
    struct model_losses_row rows[MODEL_LOSSES_ROWS];
    int n;
    const locant_group *group; /* NULL: one process */
    double *loss;              /* as many as ids */
    int64_t *cut; /* by length: texts of a length, one after the other */
};

/* The rows for texts [B, T]: positions 1, 2-3, 4-7, .. T - 1, or, with 'by' 1,
   lengths T, T/2, .. of at least 8; room for the models that t has. */
int model_losses_begin(struct model_losses *t, int by, int64_t B, int64_t T);

/* Can each model be opened, and read these ids?  What is wrong is found before
   anything is computed. */
int model_losses_check(const struct model_losses *t, const char *path,
                       const locant_tensor *ids);

/* Fill the rows: the model of 'path' as it is, and with each extension. */
int model_losses_fill(struct model_losses *t, const char *path,
                      const locant_tensor *ids, int by, locant_dtype dtype);

/* The mean of a model in a row; the mean of its difference from the first one,
   and the standard error of that: NAN of one unit. */
struct model_losses_cell {
    double mean, change, error;
};

struct model_losses_cell model_losses_cell_of(const struct model_losses_row *r,
                                              int m);
#endif
