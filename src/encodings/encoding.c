/* encoding.c - create, resolve, free and query encodings; their schedules */
#include "length_limit.h"
#include "spec.h"
#include "../angle/schedule.h"
#include "locant/rotate.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const locant_encoding_info *locant_encoding_at(int i)
{
    for (int n = 0; lct_encodings[n] != NULL; n++)
        if (n == i)
            return &lct_encodings[n]->info;
    return NULL;
}

locant_status locant_encoding_create(locant_encoding **out, const char *spec)
{
    static const char fn[] = "locant_encoding_create";

    if (out != NULL)
        *out = NULL;
    if (out == NULL || spec == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           out == NULL ? "out" : "spec");
    return lct_spec_parse(out, fn, spec, lct_encodings);
}

/* Set the lengths that were left out, in nested encodings first; then print the
   spec again. */
static locant_status set_length(locant_encoding *e, int64_t length)
{
    int own = lct_key_find(e->row, "length");
    size_t n;

    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (e->nested[k] != NULL)
            LCT_TRY(set_length(e->nested[k], length));
    if (own >= 0 && isnan(e->value[own]))
        e->value[own] = (double)length;
    locant_release(e->spec);
    n = lct_spec_print(NULL, 0, e);
    e->spec = locant_alloc(n + 1);
    if (e->spec == NULL)
        return locant_fail(LOCANT_ERR_NOMEM,
                           "locant_encoding_resolve: no memory for the spec");
    lct_spec_print(e->spec, n + 1, e);
    return LOCANT_OK;
}

locant_status locant_encoding_resolve(locant_encoding **out,
                                      const locant_encoding *e, int64_t length)
{
    static const char fn[] = "locant_encoding_resolve";
    locant_encoding *draft = NULL;
    locant_status status;

    if (out != NULL)
        *out = NULL;
    if (out == NULL || e == NULL)
        return locant_fail(LOCANT_ERR_NULL, "%s: %s is NULL", fn,
                           out == NULL ? "out" : "e");
    if (length < 1)
        return locant_fail(LOCANT_ERR_PARAM,
                           "%s: length is %" PRId64 ", expected at least 1", fn,
                           length);
    LCT_TRY(lct_spec_parse(&draft, fn, e->spec, lct_encodings));
    status = set_length(draft, length);
    if (status == LOCANT_OK)
        status = lct_spec_parse(out, fn, draft->spec, lct_encodings);
    locant_encoding_free(draft);
    return status;
}

/* Release the schedules of an encoding and of all nested in it. */
static void release_schedules(locant_encoding *e)
{
    struct lct_schedule *s = atomic_load(&e->schedules);

    for (int k = 0; k < LCT_MAX_KEYS; k++)
        if (e->nested[k] != NULL)
            release_schedules(e->nested[k]);
    while (s != NULL) {
        struct lct_schedule *next = s->next;

        locant_release(s);
        s = next;
    }
}

void lct_encoding_release(locant_encoding *e)
{
    if (e == NULL)
        return;
    for (int k = 0; k < LCT_MAX_KEYS; k++) {
        lct_encoding_release(e->nested[k]);
        locant_release(e->list[k]);
        locant_release(e->text[k]);
    }
    locant_release(e->spec);
    locant_release(e->state);
    locant_release(e);
}

void locant_encoding_free(locant_encoding *e)
{
    if (e == NULL)
        return;
    release_schedules(e);
    lct_encoding_release(e);
}

const char *locant_encoding_spec(const locant_encoding *e)
{
    return e == NULL ? "" : e->spec;
}

const locant_encoding_info *locant_encoding_info_of(const locant_encoding *e)
{
    return e == NULL ? NULL : &e->part[0].e->row->info;
}

unsigned locant_encoding_doors(const locant_encoding *e)
{
    return e == NULL ? 0 : e->doors;
}

unsigned locant_encoding_traits(const locant_encoding *e)
{
    return e == NULL ? 0 : e->traits;
}

int locant_encoding_axes(const locant_encoding *e)
{
    int most = 1;

    if (e == NULL)
        return most;
    for (int i = 0; i < e->parts; i++) {
        int axes = lct_own_axes(e->part[i].e);

        most = axes > most ? axes : most;
    }
    for (int k = 0; e->row->layers != NULL && k < LCT_MAX_KEYS; k++) {
        int axes = locant_encoding_axes(e->nested[k]);

        most = axes > most ? axes : most;
    }
    return most;
}

int64_t locant_encoding_rotated_width(const locant_encoding *e,
                                      int64_t head_dim)
{
    const struct lct_part *part =
        e == NULL ? NULL : lct_part_of(e, LOCANT_DOOR_ROTATE);

    return part == NULL || part->e->row->rotate.width == NULL
               ? head_dim
               : part->e->row->rotate.width(part->e, head_dim);
}

/* Does a part or a layer refuse this position? */
static bool refuses(const locant_encoding *e, int64_t pos)
{
    if (e->row->layers != NULL) {
        for (int k = 0; k < LCT_MAX_KEYS; k++)
            if (e->nested[k] != NULL && refuses(e->nested[k], pos))
                return true;
        return false;
    }
    for (int i = 0; i < e->parts; i++)
        if (lct_length_limit_check(e->part[i].e, "", &pos, 1, NULL) !=
            LOCANT_OK)
            return true;
    return false;
}

/* The least position that is refused; INT64_MAX: none. */
static int64_t search_limit(const locant_encoding *e)
{
    int64_t low = 0, high = INT64_MAX; /* accepted; refused */

    if (refuses(e, 0))
        return 0;
    if (!refuses(e, INT64_MAX - 1))
        return INT64_MAX;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (refuses(e, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* This is a query, so it must not change the last error message. */
int64_t locant_encoding_length_limit(const locant_encoding *e)
{
    char message[512];
    int64_t limit;

    if (e == NULL)
        return 0;
    snprintf(message, sizeof(message), "%s", locant_last_error());
    limit = search_limit(e);
    locant_fail(LOCANT_OK, "%s", message);
    return limit;
}

/* ---------------------------------------------------------------- schedules */

static const struct lct_schedule *
find_schedule(const locant_encoding *e, int64_t head_dim, int64_t length)
{
    const struct lct_schedule *s =
        atomic_load_explicit(&e->schedules, memory_order_acquire);

    while (s != NULL && (s->head_dim != head_dim || s->length != length))
        s = s->next;
    return s;
}

/* More lengths than a process uses side by side; each has its frequencies. */
enum { KEPT_LENGTHS = 8 };

/* How many of the kept schedules depend on a length. */
static int count_lengths(const locant_encoding *e)
{
    const struct lct_schedule *s =
        atomic_load_explicit(&e->schedules, memory_order_acquire);
    int n = 0;

    for (; s != NULL; s = s->next)
        n += s->length != 0;
    return n;
}

locant_status lct_schedule_of(const struct lct_schedule **out,
                              const locant_encoding *e, const char *fn,
                              int64_t head_dim, int64_t length)
{
    /* The list is a cache: adding to it does not change the encoding. */
    locant_encoding *cache = (locant_encoding *)e;
    struct lct_schedule *made;

    length = lct_schedule_length(e, length);
    *out = find_schedule(e, head_dim, length);
    if (*out != NULL)
        return LOCANT_OK;
    LCT_TRY(e->row->schedule.create(
        &made, &(struct lct_schedule_use){ e, fn, head_dim, length }));
    made->length = length;
    *out = made;
    made->owned = length != 0 && count_lengths(e) >= KEPT_LENGTHS;
    if (made->owned)
        return LOCANT_OK;
    made->next = atomic_load(&cache->schedules);
    while (!atomic_compare_exchange_weak(&cache->schedules, &made->next, made))
        ; /* two threads may make the same schedule; both stay in the list */
    return LOCANT_OK;
}

const struct lct_schedule *lct_schedule_kept(const locant_encoding *e,
                                             int64_t dim)
{
    const struct lct_schedule *s = find_schedule(e, dim, 0);

    assert(s != NULL);
    return s;
}

locant_status lct_schedule_make(struct lct_schedule **out,
                                const struct lct_schedule_use *u, double base,
                                int64_t pairs)
{
    *out = lct_schedule_create(base, pairs, u->dim);
    if (*out != NULL)
        return LOCANT_OK;
    return locant_fail(LOCANT_ERR_NOMEM,
                       "%s: no memory for %" PRId64 " frequencies", u->fn,
                       pairs);
}

locant_status lct_schedule_make_sines(struct lct_schedule **out,
                                      const struct lct_schedule_use *u,
                                      double base)
{
    int64_t sines = u->dim - u->dim / 2;

    LCT_TRY(lct_schedule_make(out, u, base, sines));
    if (u->dim % 2 != 0)
        for (int64_t c = 0; c < sines; c++)
            (*out)->frequency[c] = lct_phase_of(base, c, u->dim);
    return LOCANT_OK;
}

void lct_schedule_done(const struct lct_schedule *s)
{
    if (s != NULL && s->owned)
        locant_release((void *)s);
}
