/*
 * task_hypotheses.c - hypotheses about encodings on tasks, from how encodings
 * work and from published results with larger models. No test here confirms
 * them.
 */
#include "results_tasks.h"
#include <string.h>

#define HOLDS  "holds beyond the trained length"
#define INSIDE "at the trained length only"
#define FAILS  "fails"
#define OPEN   "open"

/* What is expected of one encoding on T1, on T2 and T11, on T9, on T13 and on
   T14, and why. */
/* clang-format off */
#define EACH(spec, one, two, nine, thirteen, fourteen, reason)                \
    { spec, "T1", one, reason }, { spec, "T2", two, reason },                 \
    { spec, "T11", two, reason }, { spec, "T9", nine, reason },               \
    { spec, "T13", thirteen, reason }, { spec, "T14", fourteen, reason }
/* clang-format on */

static const struct lct_hypothesis list[] = {
    EACH("none", "fails with one layer, " INSIDE " with several", INSIDE, OPEN,
         "fails beyond small t", INSIDE,
         "position is known only from averages over what came before"),
    EACH("learned", INSIDE, INSIDE, INSIDE, INSIDE, INSIDE,
         "a table: nothing beyond its end"),
    EACH("sinusoidal", INSIDE, INSIDE, INSIDE, INSIDE, INSIDE,
         "its slow sinusoids reach phases that training never showed"),
    EACH("rope", HOLDS, INSIDE, OPEN, FAILS, HOLDS,
         "fast pairs encode exact offsets, slow ones reach angles that "
         "training never showed"),
    EACH("rope(base=128)", HOLDS, OPEN, OPEN, FAILS, HOLDS,
         "more pairs complete a turn within the trained length: fewer "
         "angles that training never showed"),
    EACH("alibi", "fails for k beyond its slopes", INSIDE,
         "fails where the read is far away", FAILS, HOLDS,
         "weights fall with distance: a soft window"),
    EACH("t5", "holds where k has a bucket of its own", OPEN, OPEN, FAILS,
         HOLDS, "far distances share buckets"),
    EACH("kerple", "fails for large k", "above alibi far away", "above alibi",
         FAILS, HOLDS, "weights fall with distance, but slowly"),
    EACH("fire", OPEN, OPEN, OPEN, OPEN, HOLDS,
         "distances are divided by the position, so offsets drift beyond the "
         "trained length"),
    EACH("cope", OPEN, OPEN, HOLDS, HOLDS, OPEN,
         "it counts tokens by their content, not their positions"),
    EACH("xpos", HOLDS, INSIDE, OPEN, FAILS, HOLDS,
         "rotation whose scores decay with distance"),
};

const struct lct_hypothesis *lct_hypothesis_of(const char *task,
                                               const char *spec)
{
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const size_t n = strlen(list[i].task);

        if (strcmp(list[i].spec, spec) == 0 &&
            strncmp(list[i].task, task, n) == 0 &&
            (task[n] == '\0' || task[n] == '.'))
            return &list[i];
    }
    return NULL;
}
