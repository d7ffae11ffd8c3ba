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

/* Bytes of the word that a text begins with: letters, digits, '_', and '.'
   within. */
static size_t word_length(const char *text)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t n = strspn(text, word);

    while (text[n] == '.' && strspn(text + n + 1, word) > 0)
        n += 1 + strspn(text + n + 1, word);
    return n;
}

/* The file's name of the key that a text begins with; false if its first word,
   of *length bytes, is none.  Words without '_' are English. */
static bool name_at(char name[LCT_PLAN_NAME], size_t *length, const char *text,
                    const struct lct_plan_names *names)
{
    char key[128];

    *length = word_length(text);
    if (*length >= sizeof key || memchr(text, '_', *length) == NULL)
        return false;
    snprintf(key, sizeof key, "%.*s", (int)*length, text);
    return names->name(name, names->context, key);
}

enum { MESSAGE = 3072 };

/* Add so many bytes, or those that fit; returns the length. */
static size_t append(char message[MESSAGE], size_t n, const char *text,
                     size_t bytes)
{
    bytes = bytes < MESSAGE - 1 - n ? bytes : MESSAGE - 1 - n;
    memcpy(message + n, text, bytes);
    message[n + bytes] = '\0';
    return n + bytes;
}

locant_status lct_plan_names_fail(locant_status status,
                                  const struct lct_plan_names *names)
{
    const char *from = locant_last_error(), *colon = strstr(from, ": ");
    size_t length = colon != NULL ? (size_t)(colon - from) : 0; /* a path */
    char message[MESSAGE], name[LCT_PLAN_NAME];
    size_t n = append(message, 0, from, length);

    for (from += length; *from != '\0'; from += length) {
        if (name_at(name, &length, from, names)) {
            n = append(message, n, name, strlen(name));
        } else {
            length += length == 0;
            n = append(message, n, from, length);
        }
    }
    return locant_fail(status, "%s", message);
}
