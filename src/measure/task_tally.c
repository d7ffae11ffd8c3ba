/* task_tally.c - counts right answers and items, in all and by place */
#include "tasks.h"

struct lct_tally *lct_tally_of(struct lct_tallies *all, int64_t place)
{
    for (int i = 0; i < all->n; i++)
        if (all->at[i].place == place)
            return &all->at[i];
    if (all->n == LCT_PLACES + 1)
        return NULL;
    all->at[all->n] = (struct lct_tally){ .place = place };
    return &all->at[all->n++];
}

void lct_tally_begin(struct lct_tallies *all)
{
    all->n = 1;
    all->at[0] = (struct lct_tally){ .place = -1 };
}

static void count(struct lct_tally *t, bool hit, double loss)
{
    t->asked++;
    t->wrong += !hit;
    t->loss += loss;
}

static void end_item(struct lct_tally *t)
{
    t->items += t->asked > 0;
    t->exact += t->asked > 0 && t->wrong == 0;
    t->tokens += t->asked;
    t->hits += t->asked - t->wrong;
    t->asked = t->wrong = 0;
}

bool lct_tally_add(struct lct_tallies *all, const struct lct_answers *a)
{
    for (int64_t i = 0; i < a->size; i++) {
        struct lct_tally *t;

        if (a->targets[i] < 0)
            continue;
        count(&all->at[0], a->hit[i], (double)a->loss[i]);
        if (a->places[i] < 0)
            continue;
        t = lct_tally_of(all, a->places[i]);
        if (t == NULL)
            return false;
        count(t, a->hit[i], (double)a->loss[i]);
    }
    for (int i = 0; i < all->n; i++)
        end_item(&all->at[i]);
    return true;
}

void lct_tally_sort(struct lct_tallies *all)
{
    for (int i = 2; i < all->n; i++)
        for (int j = i; j > 1 && all->at[j].place < all->at[j - 1].place; j--) {
            const struct lct_tally t = all->at[j];

            all->at[j] = all->at[j - 1];
            all->at[j - 1] = t;
        }
}
