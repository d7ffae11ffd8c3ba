/* group.c - see group.h */
#include "group.h"
#include <stdio.h>
#include <string.h>

locant_status lct_group_check(const char *fn, const locant_group *g)
{
    if (g == NULL)
        return LOCANT_OK;
    if (g->struct_size != sizeof *g)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: group->struct_size is %zu, expected %zu", fn,
                           g->struct_size, sizeof *g);
    if (g->size < 1 || g->size > LCT_GROUP_RANKS || g->rank < 0 ||
        g->rank >= g->size)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: rank %d of a group of %d, expected at most %d"
                           " ranks, counted from 0",
                           fn, g->rank, g->size, LCT_GROUP_RANKS);
    if (g->exchange == NULL && g->size > 1)
        return locant_fail(LOCANT_ERR_NULL, "%s: group->exchange is NULL", fn);
    return LOCANT_OK;
}

int lct_group_size(const locant_group *g)
{
    return g == NULL ? 1 : g->size;
}

int lct_group_rank(const locant_group *g)
{
    return g == NULL ? 0 : g->rank;
}

static locant_status watched_exchange(const locant_piece *send, size_t sends,
                                      const locant_piece *receive,
                                      size_t receives, void *context)
{
    struct lct_watched_group *w = context;
    const locant_status status = w->callers->exchange(
        send, sends, receive, receives, w->callers->context);

    w->broken |= status != LOCANT_OK;
    return status;
}

const locant_group *lct_group_watch(struct lct_watched_group *w,
                                    const locant_group *g)
{
    *w = (struct lct_watched_group){ .callers = g };
    if (lct_group_size(g) == 1)
        return NULL;
    w->group = (locant_group){ sizeof w->group, g->rank, g->size,
                               watched_exchange, w };
    return &w->group;
}

locant_status lct_group_broadcast(void *data, size_t bytes,
                                  const locant_group *g)
{
    const int size = lct_group_size(g), rank = lct_group_rank(g);
    const locant_piece from = { (rank - 1) / 2, data, bytes };
    locant_piece to[2];
    size_t n = 0;

    if (size == 1)
        return LOCANT_OK;
    for (int child = 2 * rank + 1; child <= 2 * rank + 2; child++)
        if (child < size)
            to[n++] = (locant_piece){ child, data, bytes };
    if (rank > 0)
        LCT_TRY(g->exchange(NULL, 0, &from, 1, g->context));
    return n > 0 ? g->exchange(to, n, NULL, 0, g->context) : LOCANT_OK;
}

locant_status lct_group_broadcast_from(void *data, size_t bytes, int from,
                                       const locant_group *g)
{
    const locant_piece to = { 0, data, bytes }, of = { from, data, bytes };

    if (lct_group_size(g) == 1)
        return LOCANT_OK;
    if (from > 0 && g->rank == from)
        LCT_TRY(g->exchange(&to, 1, NULL, 0, g->context));
    if (from > 0 && g->rank == 0)
        LCT_TRY(g->exchange(NULL, 0, &of, 1, g->context));
    return lct_group_broadcast(data, bytes, g);
}

/* The part of rank r, as a piece for or from 'peer'. */
static locant_piece part(char *data, const size_t *begin, int r, int peer)
{
    return (locant_piece){ peer, data + begin[r], begin[r + 1] - begin[r] };
}

static locant_status gather_directly(char *data, const size_t *begin,
                                     const locant_group *g)
{
    locant_piece send[LCT_GROUP_DIRECT], receive[LCT_GROUP_DIRECT];
    size_t n = 0;

    for (int peer = 0; peer < g->size; peer++) {
        if (peer == g->rank)
            continue;
        send[n] = part(data, begin, g->rank, peer);
        receive[n++] = part(data, begin, peer, peer);
    }
    return g->exchange(send, n, receive, n, g->context);
}

/* In step i each rank passes on the part of the rank i before it. */
static locant_status gather_in_ring(char *data, const size_t *begin,
                                    const locant_group *g)
{
    const int size = g->size, rank = g->rank;
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;

    for (int i = 0; i + 1 < size; i++) {
        const int owner = (rank + size - i) % size;
        const locant_piece to = part(data, begin, owner, next);
        const locant_piece from =
            part(data, begin, (owner + size - 1) % size, last);

        LCT_TRY(g->exchange(&to, 1, &from, 1, g->context));
    }
    return LOCANT_OK;
}

locant_status lct_group_gather(void *data, const size_t *begin,
                               const locant_group *g)
{
    if (lct_group_size(g) == 1)
        return LOCANT_OK;
    return g->size <= LCT_GROUP_DIRECT ? gather_directly(data, begin, g)
                                       : gather_in_ring(data, begin, g);
}

/* Round i of a group: what 'round' lists for the rank i after this one, and for
   the i-th before it. */
static void list_round(struct lct_group_list *list, int i,
                       lct_group_round round, void *context,
                       const locant_group *g)
{
    round(list, (g->rank + i) % g->size, (g->rank + g->size - i) % g->size,
          context);
}

void lct_group_list_rounds(struct lct_group_list *list, lct_group_round round,
                           void *context, const locant_group *g)
{
    for (int i = 1; i < lct_group_size(g); i++)
        list_round(list, i, round, context, g);
}

static locant_status exchange_listed(struct lct_group_list *list,
                                     const locant_group *g)
{
    const size_t sends = list->sends, receives = list->receives;

    list->sends = list->receives = 0;
    return sends + receives == 0 ? LOCANT_OK
                                 : g->exchange(list->send, sends, list->receive,
                                               receives, g->context);
}

locant_status lct_group_exchange_rounds(struct lct_group_list *list,
                                        lct_group_round round, void *context,
                                        const locant_group *g)
{
    if (lct_group_size(g) <= LCT_GROUP_DIRECT) {
        lct_group_list_rounds(list, round, context, g);
        return exchange_listed(list, g);
    }
    for (int i = 1; i < g->size; i++) {
        list_round(list, i, round, context, g);
        LCT_TRY(exchange_listed(list, g));
    }
    return LOCANT_OK;
}

/* All ranks return the failure 'number' of rank 'first'. */
static locant_status fail(uint32_t number, int first, const locant_group *g)
{
    const locant_status status =
        number > LOCANT_OK && number <= LOCANT_ERR_INTERRUPTED
            ? (locant_status)number
            : LOCANT_ERR_FORMAT;
    char message[LCT_GROUP_MESSAGE] = "";

    if (g->rank == first)
        snprintf(message, sizeof message, "%s", locant_last_error());
    LCT_TRY(lct_group_broadcast_from(message, sizeof message, first, g));
    message[LCT_GROUP_MESSAGE - 1] = 0;
    return first == 0 ? locant_fail(status, "%s", message)
                      : locant_fail(status, "rank %d: %s", first, message);
}

locant_status lct_group_tell(void *news, const size_t *begin,
                             locant_status status, const locant_group *g)
{
    uint32_t number = (uint32_t)status;
    char *at = news;

    if (lct_group_size(g) == 1)
        return status;
    memcpy(at + begin[g->rank], &number, LCT_GROUP_STATUS);
    LCT_TRY(lct_group_gather(news, begin, g));
    for (int r = 0; r < g->size; r++) {
        memcpy(&number, at + begin[r], LCT_GROUP_STATUS);
        if (number != LOCANT_OK)
            return fail(number, r, g);
    }
    return LOCANT_OK;
}

locant_status lct_group_agree(locant_status status, const locant_group *g)
{
    char news[LCT_GROUP_RANKS * LCT_GROUP_STATUS];
    size_t begin[LCT_GROUP_RANKS + 1];

    for (int r = 0; r <= lct_group_size(g); r++)
        begin[r] = (size_t)r * LCT_GROUP_STATUS;
    return lct_group_tell(news, begin, status, g);
}

void lct_group_hold(struct lct_held *h, locant_status status)
{
    if (status == LOCANT_OK || h->status != LOCANT_OK)
        return;
    h->status = status;
    snprintf(h->message, sizeof h->message, "%s", locant_last_error());
}

locant_status lct_group_held(const struct lct_held *h)
{
    return h->status == LOCANT_OK ? LOCANT_OK
                                  : locant_fail(h->status, "%s", h->message);
}
