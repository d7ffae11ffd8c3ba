/* plan_names.c - see plan_names.h */
#include "plan_names.h"
#include "../core/error.h"
#include <stdio.h>
#include <string.h>

const char *lct_plan_names_last(const char *key)
{
    const char *dot = strrchr(key, '.');

    return dot != NULL ? dot + 1 : key;
}

static void rename_note(struct lct_plan_note *note,
                        const struct lct_plan_names *names)
{
    char name[LCT_PLAN_NAME] = "";

    if (note->origin == LCT_DERIVED)
        return;
    if (!names->name(name, names->context, note->key)) {
        note->origin = LCT_DERIVED;
        name[0] = '\0';
    } else {
        note->origin =
            names->has(names->context, name) ? LCT_GIVEN : LCT_CLASS_DEFAULT;
    }
    snprintf(note->key, sizeof note->key, "%s", name);
}

void lct_plan_names_notes(struct lct_position_plan *p,
                          const struct lct_plan_names *names)
{
    for (int i = 0; i < p->n_towers; i++)
        for (size_t k = 0; k < p->towers[i].n_notes; k++)
            rename_note(&p->towers[i].notes[k], names);
}

void lct_plan_names_drop(struct lct_position_plan *p, const char *field)
{
    for (int i = 0; i < p->n_towers; i++) {
        struct lct_tower *t = &p->towers[i];
        size_t kept = 0;

        for (size_t k = 0; k < t->n_notes; k++)
            if (strcmp(t->notes[k].field, field) != 0)
                t->notes[kept++] = t->notes[k];
        t->n_notes = kept;
    }
}

/* Bytes of the key that a text begins with: letters, digits, '_', '.' within;
   a word without '_' is none. */
static size_t key_length(const char *text)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strspn(text, word);

    while (text[n] == '.' && strspn(text + n + 1, word) > 0)
        n += 1 + strspn(text + n + 1, word);
    return n;
}

locant_status lct_plan_names_fail(locant_status status,
                                  const struct lct_plan_names *names)
{
    const char *from = locant_last_error(), *colon = strstr(from, ": ");
    char message[1024], key[128], name[LCT_PLAN_NAME];
    size_t n = colon != NULL ? (size_t)(colon - from) : 0; /* a path stays */

    if (n >= sizeof message)
        return status;
    memcpy(message, from, n);
    message[n] = '\0';
    for (from += n; *from != '\0' && n + LCT_PLAN_NAME + 2 < sizeof message;) {
        const size_t length = key_length(from);

        if (length == 0) {
            message[n++] = *from++;
            message[n] = '\0';
            continue;
        }
        snprintf(key, sizeof key, "%.*s", (int)length, from);
        if (memchr(from, '_', length) == NULL ||
            !names->name(name, names->context, key))
            snprintf(name, sizeof name, "%.63s", key);
        n += (size_t)snprintf(message + n, sizeof message - n, "%s", name);
        from += length;
    }
    return locant_fail(status, "%s", message);
}
