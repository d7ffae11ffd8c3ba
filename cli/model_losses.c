/* model_losses.c - see model_losses.h */
#include <math.h>
#include <string.h>

#include "model.h"
#include "model_losses.h"
#include "ranks.h"

enum { BATCH = 4096 }; /* tokens of a call */

/* Losses [B, T - 1] of ids [B, T], a few rows of each rank at a time. */
static int losses_of(double *out, const locant_group *group,
                     const locant_model *model, const int64_t *ids, int64_t B,
                     int64_t T)
{
    const int64_t step =
        (BATCH / T > 0 ? BATCH / T : 1) * (group != NULL ? group->size : 1);

    for (int64_t b = 0; b < B; b += step) {
        const int64_t n = B - b < step ? B - b : step;
        const int64_t in_shape[] = { n, T }, out_shape[] = { n, T - 1 };
        locant_tensor in = locant_dense((void *)(uintptr_t)(ids + b * T),
                                        LOCANT_I64, 2, in_shape);
        locant_tensor to =
            locant_dense(out + b * (T - 1), LOCANT_F64, 2, out_shape);
        locant_model_input input = LOCANT_MODEL_INPUT_INIT;
        locant_status status;

        input.ids = &in;
        input.group = group;
        status = locant_model_losses(&to, model, &input);
        CLI_TRY(group != NULL ? cli_ranks_status(group, status)
                              : cli_status_input(status));
    }
    return CLI_OK;
}

int model_losses_begin(struct model_losses *t, int by, int64_t B, int64_t T)
{
    if (by == 0) {
        for (int64_t p = 1; p < T; p *= 2)
            t->rows[t->n++] =
                (struct model_losses_row){ .first = p,
                                           .last = 2 * p - 1 < T ? 2 * p - 1
                                                                 : T - 1,
                                           .units = B };
    } else {
        int64_t length = T;

        while (length / 2 >= 8)
            length /= 2;
        for (; length <= T; length *= 2)
            t->rows[t->n++] = (struct model_losses_row){
                .first = length - (length / 4 > 0 ? length / 4 : 1),
                .last = length,
                .units = B * (T / length)
            };
    }
    for (int r = 0; r < t->n; r++) {
        t->rows[r].mean = cli_alloc((size_t)(t->rows[r].units * t->models),
                                    sizeof *t->rows[r].mean);
        if (t->rows[r].mean == NULL)
            return CLI_INPUT;
    }
    t->loss = cli_alloc((size_t)(B * T), sizeof *t->loss);
    if (by == 1)
        t->cut = cli_alloc((size_t)(B * T), sizeof *t->cut);
    return t->loss == NULL || (by == 1 && t->cut == NULL) ? CLI_INPUT : CLI_OK;
}

/* Mean of the losses of tokens first .. last of a text. */
static double mean_of(const double *loss, int64_t first, int64_t last)
{
    double sum = 0;

    for (int64_t p = first; p <= last; p++)
        sum += loss[p - 1];
    return sum / (double)(last - first + 1);
}

static int by_position(struct model_losses *t, int m, const locant_model *model,
                       const locant_tensor *ids)
{
    const int64_t B = ids->shape[0], T = ids->shape[1];
    double *loss = t->loss;

    CLI_TRY(losses_of(loss, t->group, model, ids->data, B, T));
    for (int r = 0; r < t->n; r++)
        for (int64_t b = 0; b < B; b++)
            t->rows[r].mean[m * t->rows[r].units + b] =
                mean_of(loss + b * (T - 1), t->rows[r].first, t->rows[r].last);
    return CLI_OK;
}

/* The texts of a length follow each other in a row; what is left over at its
   end is dropped. */
static int by_length(struct model_losses *t, int m, const locant_model *model,
                     const locant_tensor *ids)
{
    const int64_t B = ids->shape[0], T = ids->shape[1];
    const int64_t *all = ids->data;
    double *loss = t->loss;

    for (int r = 0; r < t->n; r++) {
        const int64_t L = t->rows[r].last, texts = T / L;
        double *mean = t->rows[r].mean + m * t->rows[r].units;

        for (int64_t b = 0; b < B; b++)
            memcpy(t->cut + b * texts * L, all + b * T,
                   (size_t)(texts * L) * sizeof *all);
        CLI_TRY(losses_of(loss, t->group, model, t->cut, B * texts, L));
        for (int64_t i = 0; i < B * texts; i++)
            mean[i] = mean_of(loss + i * (L - 1), t->rows[r].first, L - 1);
    }
    return CLI_OK;
}

static int open_model(locant_model **out, const struct model_losses *t, int m,
                      const char *path, locant_dtype dtype)
{
    locant_status s =
        locant_model_open_with(out, path, dtype, m > 0 ? t->names[m] : NULL);

    if (s == LOCANT_ERR_PARAM)
        return cli_refuse("--with %s", cli_message());
    return cli_model_status(s);
}

int model_losses_check(const struct model_losses *t, const char *path,
                       const locant_tensor *ids)
{
    const int64_t out_shape[] = { ids->shape[0], ids->shape[1] - 1 };
    locant_tensor out = locant_dense(t->loss, LOCANT_F64, 2, out_shape);
    locant_model_input input = LOCANT_MODEL_INPUT_INIT;

    input.ids = ids;
    for (int m = 0; m < t->models; m++) {
        locant_model *model;
        locant_status status;
        int64_t shape[3];
        int rank;

        CLI_TRY(open_model(&model, t, m, path, LOCANT_F32));
        status = locant_model_shape(shape, &rank, model, &input,
                                    LOCANT_MODEL_HIDDEN);
        if (status != LOCANT_OK) /* losses may have a reason of their own */
            status = locant_model_losses(&out, model, &input);
        locant_model_close(model);
        CLI_TRY(cli_status_input(status));
    }
    return CLI_OK;
}

int model_losses_fill(struct model_losses *t, const char *path,
                      const locant_tensor *ids, int by, locant_dtype dtype)
{
    for (int m = 0; m < t->models; m++) {
        locant_model *model;
        int status;

        CLI_TRY(
            cli_ranks_agree(t->group, open_model(&model, t, m, path, dtype)));
        status = by == 0 ? by_position(t, m, model, ids)
                         : by_length(t, m, model, ids);
        locant_model_close(model);
        CLI_TRY(status);
    }
    return CLI_OK;
}

struct model_losses_cell model_losses_cell_of(const struct model_losses_row *r,
                                              int m)
{
    const double n = (double)r->units;
    const double *first = r->mean, *mine = r->mean + m * r->units;
    struct model_losses_cell c = { 0 };
    double squares = 0;

    for (int64_t i = 0; i < r->units; i++) {
        c.mean += mine[i] / n;
        c.change += (mine[i] - first[i]) / n;
    }
    for (int64_t i = 0; i < r->units; i++)
        squares += pow(mine[i] - first[i] - c.change, 2);
    c.error = r->units > 1 ? sqrt(squares / (n - 1) / n) : NAN;
    return c;
}
