/*
 * numbers_training.c - puts means over heads of their statistics during
 * training, and the share of the encoding's own parameters in the gradient.
 */
#include "numbers.h"
#include "probe.h"
#include <math.h>

/* The mean over heads of values, or of magnitudes (of biases, which have both
   signs), or the share of heads that are sinks. */
enum mean { PLAIN, MAGNITUDE, SINKS };

static double mean_of(const json_t *heads, enum mean mean)
{
    const json_t *value;
    double sum = 0;
    size_t i;

    json_array_foreach(heads, i, value) {
        const double x = lct_number_of(value);

        sum += mean == MAGNITUDE ? fabs(x)
               : mean == SINKS   ? isnan(x) ? NAN : x > lct_sink_threshold
                                 : x;
    }
    return sum / (double)json_array_size(heads); /* NAN if there are no heads */
}

/* Mean norm over steps from + 1 .. to of the gradient of all parameters, or
   only of the encoding's own. NAN if there are no such steps. */
static double norm_of(const struct lct_result *x, bool encoding_only,
                      double from, double to)
{
    double sum = 0, n = 0;

    for (size_t k = 0; k < x->n_steps; k++)
        if (x->step[k] > from && x->step[k] <= to) {
            sum += encoding_only ? x->step_own_norm[k] : x->step_norm[k];
            n++;
        }
    return n > 0 ? sum / n : NAN;
}

static const struct {
    const char *key, *of;
    enum mean mean;
} head_means[] = {
    { "own", "self_bias", MAGNITUDE },
    { "previous", "previous_bias", MAGNITUDE },
    { "entropy", "entropy", PLAIN },
    { "distance", "distance", PLAIN },
    { "sink", "sink", PLAIN },
    { "sinks", "early_sink", SINKS },
};

void lct_put_training(struct lct_numbers *n, json_t *to,
                      const struct lct_group *g)
{
    const json_t *steps = json_object_get(g->probe, "training"), *one;
    const int64_t length = lct_probe_length(n->r->trained_length);
    json_t *course, *list, *share;
    double logs = 0, last = 0;
    size_t i;

    if (json_array_size(steps) == 0)
        return;
    course = lct_put_object(n, to, "training");
    list = lct_put_array(n, course, "step");
    json_array_foreach(steps, i, one)
        lct_add_count(n, list,
                      json_integer_value(json_object_get(one, "step")));
    for (size_t k = 0; k < sizeof head_means / sizeof head_means[0]; k++) {
        list = lct_put_array(n, course, head_means[k].key);
        json_array_foreach(steps, i, one)
            lct_add_real(n, list,
                         mean_of(json_object_get(one, head_means[k].of),
                                 head_means[k].mean));
    }
    if (g->n > 0) {
        list = lct_put_array(n, course, "gradient");
        share = lct_put_array(n, course, "gradient_share");
        json_array_foreach(steps, i, one) {
            const double step = lct_number_of(json_object_get(one, "step"));
            const double encoding = norm_of(&g->results[0], true, last, step);

            lct_add_real(n, list, encoding);
            lct_add_real(n, share,
                         encoding / norm_of(&g->results[0], false, last, step));
            last = step;
        }
    }
    /* Means over t = 1 .. length keys for equal weights 1/t: entropy ln t,
       distance (t - 1)/2. */
    for (int64_t t = 1; t <= length; t++)
        logs += log((double)t);
    lct_put_real(n, course, "even_entropy", logs / (double)length);
    lct_put_real(n, course, "even_distance", (double)(length - 1) / 4);
}
