/* task_row.c - a row of a task, word by word */
#include "tasks.h"
#include <assert.h>

static void put(struct lct_row *r, int64_t i, int32_t target, int64_t place)
{
    r->targets[i] = target;
    if (r->places)
        r->places[i] = (int32_t)place;
}

void lct_row_append(struct lct_row *r, int32_t word)
{
    assert(r->at < r->size);
    r->tokens[r->at++] = word;
}

void lct_row_set_target(struct lct_row *r, int32_t word, int64_t place)
{
    put(r, r->at - 1, word, place);
}

void lct_row_append_answer(struct lct_row *r, int32_t word, int64_t place)
{
    lct_row_set_target(r, word, place);
    if (r->at < r->size)
        lct_row_append(r, word);
}

int32_t lct_row_draw(struct lct_row *r, int64_t n)
{
    return (int32_t)locant_random_below(&r->random, (uint64_t)n);
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
