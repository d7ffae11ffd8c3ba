/* pairing.c - see pairing.h */
#include "pairing.h"
#include "../files/path.h"
#include "weights.h"
#include <stdio.h>
#include <string.h>

locant_status lct_pairing_of(enum lct_pairing *out, const char *word,
                             const char *name)
{
    *out = LCT_PAIRING_UNSAID;
    if (word == NULL)
        return LOCANT_OK;
    if (strcmp(word, "half") != 0 && strcmp(word, "interleaved") != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: " LCT_WEIGHTS_PAIRING
                           ": '%.60s', half or interleaved expected",
                           lct_path_tail(name), word);
    *out = word[0] == 'h' ? LCT_PAIRING_HALF : LCT_PAIRING_INTERLEAVED;
    return LOCANT_OK;
}

/* One past the end of the part of a sum that begins at 'at'. */
static const char *part_end(const char *at)
{
    int depth = 0;

    for (; *at != 0 && (depth > 0 || *at != '+'); at++)
        depth += (*at == '(') - (*at == ')');
    return at;
}

/* Is the part of that name? */
static bool is_part(const char *part, const char *name)
{
    const size_t n = strlen(name);

    return strncmp(part, name, n) == 0 && strchr("(+", part[n]) != NULL;
}

/* Where the part with a pairing begins: rope(..) or mrope(..); NULL: there is
   none. */
static const char *find_part(const char *spec)
{
    const char *at = spec;

    while (!is_part(at, "rope") && !is_part(at, "mrope")) {
        at = part_end(at);
        if (*at == 0)
            return NULL;
        at++;
    }
    return at;
}

/* out [room] = the part with that pairing. */
static void put_part(char *out, size_t room, const char *part, size_t n,
                     const char *pairing)
{
    static const char key[] = "pairing=";
    const char *open = memchr(part, '(', n), *at = strstr(part, key);

    if (at != NULL && at < part + n) {
        const char *after = at + strlen(key) + strcspn(at + strlen(key), ",)");

        snprintf(out, room, "%.*s%s%s%.*s", (int)(at - part), part, key,
                 pairing, (int)(part + n - after), after);
    } else if (open != NULL) {
        snprintf(out, room, "%.*s(%s%s,%.*s", (int)(open - part), part, key,
                 pairing, (int)(part + n - open - 1), open + 1);
    } else {
        snprintf(out, room, "%.*s(%s%s)", (int)n, part, key, pairing);
    }
}

locant_status lct_pairing_encoding(locant_encoding **out, const char *spec,
                                   bool interleaved)
{
    const char *part = find_part(spec), *end;
    const size_t room = strlen(spec) + 32;
    char *text, *changed;
    locant_status status;
    int n;

    *out = NULL;
    if (part == NULL)
        return locant_fail(LOCANT_ERR_UNSUPPORTED,
                           "the spec %.100s has no pairing", spec);
    text = locant_alloc(room);
    changed = locant_alloc(room);
    status = text && changed
                 ? LOCANT_OK
                 : locant_fail(LOCANT_ERR_NOMEM, "no memory for a spec");
    if (status == LOCANT_OK) {
        end = part_end(part);
        put_part(changed, room, part, (size_t)(end - part),
                 interleaved ? "interleaved" : "half");
        n = snprintf(text, room, "%.*s%s%s", (int)(part - spec), spec, changed,
                     end);
        status = n > 0 ? locant_encoding_create(out, text) : LOCANT_ERR_PARAM;
    }
    locant_release(text);
    locant_release(changed);
    return status;
}

const struct lct_tower *lct_pairing_tower(const struct lct_position_plan *p)
{
    for (int i = 0; i < p->n_towers; i++)
        for (int64_t l = 0; l < p->towers[i].n_layers; l++)
            if (find_part(p->towers[i].layers[l].spec) != NULL)
                return &p->towers[i];
    return NULL;
}
