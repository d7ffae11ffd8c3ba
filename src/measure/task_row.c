/* task_row.c - makes a row of a task, token by token */
#include "tasks.h"
#include <assert.h>

static void put(struct lct_row *r, int64_t i, int32_t target, int64_t place)
{
    r->targets[i] = target;
    if (r->places)
        r->places[i] = (int32_t)place;
}

void lct_row_append(struct lct_row *r, int32_t token)
{
    assert(r->at < r->size);
    r->tokens[r->at++] = token;
}

void lct_row_set_target(struct lct_row *r, int32_t token, int64_t place)
{
    put(r, r->at - 1, token, place);
}

void lct_row_append_answer(struct lct_row *r, int32_t token, int64_t place)
{
    lct_row_set_target(r, token, place);
    if (r->at < r->size)
        lct_row_append(r, token);
}

int32_t lct_row_draw(struct lct_row *r, int64_t n)
{
    return (int32_t)locant_random_below(&r->random, (uint64_t)n);
}

/* Fisher and Yates, stopped after n. */
void lct_row_draw_distinct(struct lct_row *r, int32_t *out, int64_t n,
                           int32_t count)
{
    int32_t pool[LCT_DISTINCT];

    for (int32_t i = 0; i < count; i++)
        pool[i] = i;
    for (int64_t i = 0; i < n; i++) {
        const int64_t j = i + lct_row_draw(r, count - i);

        out[i] = pool[j];
        pool[j] = pool[i];
    }
}

int64_t lct_octave(int64_t n)
{
    int64_t power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

void lct_task_make(struct lct_row *r, const struct lct_task *task)
{
    r->param = task->param;
    r->at = 0;
    for (int64_t i = 0; i < r->size; i++) {
        r->tokens[i] = 0;
        put(r, i, -1, -1);
    }
    task->make(r);
}
