/*
 * probe_partial.c - which frequencies of a rotation a trained model needs: the
 * loss when only the fastest pairs are rotated. This is p-RoPE of Barbero et
 * al. 2024, arXiv:2410.06205, section 6, in evaluation only.
 */
#include "../train/load_trained.h"
#include "evaluate.h"
#include "probe.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WINDOWS = 16 };

/* Number of targets at the end of a window. */
static int64_t targets_of(const struct lct_probe *p)
{
    return p->length < LCT_EVAL_TARGETS ? p->length : LCT_EVAL_TARGETS;
}

/* Mean loss per byte of the last targets of all windows of C tokens. Windows
   end where those of 'far' tokens do, so the targets are the same for every
   C. */
static locant_status find_loss(double *loss, struct lct_model *model,
                               const struct lct_probe *p, int64_t C,
                               int64_t far)
{
    int32_t tokens[LCT_PROBE_LONG], wanted[LCT_PROBE_LONG];
    const int64_t room = LCT_PROBE_LONG / C;

    *loss = 0;
    for (int64_t first = 0; first < WINDOWS; first += room) {
        const int64_t rows = first + room <= WINDOWS ? room : WINDOWS - first;
        double mean;

        for (int64_t r = 0; r < rows; r++) {
            int32_t window[LCT_PROBE_LONG + 1];
            const int32_t *from = window + far - C;

            lct_probe_copy_window(window, p, first + r, far + 1);
            memcpy(tokens + r * C, from, (size_t)C * sizeof *tokens);
            for (int64_t i = 0; i < C; i++)
                wanted[r * C + i] = i >= C - targets_of(p) ? from[i + 1] : -1;
        }
        LCT_TRY(lct_model_forward(model, tokens, wanted, rows, C, NULL, &mean));
        *loss += mean * (double)rows / WINDOWS;
    }
    *loss /= lct_probe_bytes(p, WINDOWS, far + 1, targets_of(p));
    return LOCANT_OK;
}

/* The run's encoding with only the first n of 'pairs' rotated; NULL if the
   encoding has no such scaling, or has a scaling already. */
static locant_encoding *rotate_only(const struct lct_probe *p, int64_t n,
                                    int64_t pairs)
{
    const char *spec = locant_encoding_spec(p->encoding);
    const char *name = locant_encoding_info_of(p->encoding)->name;
    const char *rest = spec + strlen(name);
    /* half a pair more, because the encoding rounds down */
    const double share = fmin(((double)n + .5) / (double)pairs, 1);
    locant_encoding *out = NULL;
    char text[512];

    if (strncmp(spec, name, strlen(name)) != 0 || strstr(spec, "scaling="))
        return NULL;
    snprintf(text, sizeof text, "%s(scaling=proportional(partial=%.17g)%s%s",
             name, share, *rest ? "," : ")", *rest ? rest + 1 : "");
    return locant_encoding_create(&out, text) == LOCANT_OK ? out : NULL;
}

/* Losses with n pairs rotated: loss[0] at the trained length, loss[1] at 'far'.
   *known is false if there is no such encoding. */
static locant_status find_losses(double *loss, bool *known, struct lct_probe *p,
                                 int64_t n, int64_t pairs, int64_t far)
{
    struct lct_model_config config = *lct_model_config_of(p->model);
    locant_encoding *e = rotate_only(p, n, pairs);
    struct lct_model *model = NULL;
    locant_status status;

    *known = e != NULL;
    if (e == NULL)
        return LOCANT_OK;
    config.encoding = e;
    status = lct_model_create(&model, &config, 1, LCT_PROBE_LONG, false);
    if (status == LOCANT_OK)
        status = lct_copy_trained(model, p->model, false);
    if (status == LOCANT_OK)
        status = find_loss(&loss[0], model, p, p->length, far);
    if (status == LOCANT_OK)
        status = find_loss(&loss[1], model, p, far, far);
    lct_model_free(model);
    locant_encoding_free(e);
    return status;
}

/* Put the losses with 0, 1, .. all pairs rotated. "last" is the index of the
   last rotated pair, -1 if none is rotated. */
static locant_status add_losses(json_t *out, struct lct_probe *p,
                                const struct lct_pairs *pairs)
{
    const int64_t far = lct_probe_far(p);
    json_t *last = json_array(), *at = json_array(), *beyond = json_array();
    locant_status status = LOCANT_OK;
    bool known = true;

    for (int64_t n = 0; n <= pairs->n; n++) {
        double loss[2];

        status = find_losses(loss, &known, p, n, pairs->n, far);
        if (status != LOCANT_OK || !known)
            break;
        json_array_append_new(last, json_integer((json_int_t)n - 1));
        json_array_append_new(at, lct_real_json(loss[0]));
        json_array_append_new(beyond, lct_real_json(loss[1]));
    }
    if (status == LOCANT_OK && known)
        status = lct_probe_add_members(
            out, json_pack("{s:I, s:I, s:I, s:o, s:O, s:O, s:O}", "length",
                           (json_int_t)p->length, "far", (json_int_t)far,
                           "targets", (json_int_t)(WINDOWS * targets_of(p)),
                           "predicted", lct_predicted_json(pairs, p), "last",
                           last, "loss", at, "loss_far", beyond));
    json_decref(last);
    json_decref(at);
    json_decref(beyond);
    return status;
}

/* Leave 'out' empty if no pairs are rotated, or the encoding cannot leave
   pairs out. */
locant_status lct_probe_partial(json_t *out, struct lct_probe *p)
{
    struct lct_pairs pairs;
    locant_status status = lct_probe_pairs(&pairs, p);

    if (status == LOCANT_OK && pairs.n > 0)
        status = add_losses(out, p, &pairs);
    lct_pairs_free(&pairs);
    return status;
}
