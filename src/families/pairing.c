/* pairing.c - see pairing.h */
#include "pairing.h"
#include "../core/text.h"
#include "../files/path.h"
#include "locant/encoding.h"
#include "spec_key.h"
#include "weights.h"
#include <stdio.h>
#include <string.h>

locant_status lct_pairing_of(enum lct_recorded_pairing *out, const char *word,
                             const char *name)
{
    *out = LCT_PAIRING_UNSAID;
    if (word == NULL)
        return LOCANT_OK;
    if (strcmp(word, "half") != 0 && strcmp(word, "interleaved") != 0)
        return locant_fail(LOCANT_ERR_FORMAT,
                           "%s: " LCT_WEIGHTS_PAIRING
                           " is '%.60s', expected half or interleaved",
                           lct_path_tail(name), word);
    *out = word[0] == 'h' ? LCT_PAIRING_HALF : LCT_PAIRING_INTERLEAVED;
    return LOCANT_OK;
}

static locant_status is_rotation(bool *out, const char *term, size_t n)
{
    char *copy = lct_copy_text(term, n);
    locant_encoding *e;
    locant_status status;

    if (copy == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a spec");
    status = locant_encoding_create(&e, copy);
    locant_release(copy);
    LCT_TRY(status);
    *out = (locant_encoding_doors(e) & LOCANT_DOOR_ROTATE) != 0;
    locant_encoding_free(e);
    return LOCANT_OK;
}

/* Find the term of a sum that rotates, or all of it: its first byte, and *n of
   them. */
static locant_status rotating_part(const char **out, size_t *n,
                                   const char *spec)
{
    bool found = false;

    for (*out = spec;; *out += *n + 1) {
        *n = lct_spec_key_length(*out);
        LCT_TRY(is_rotation(&found, *out, *n));
        if (found)
            return LOCANT_OK;
        if ((*out)[*n] != '+')
            break;
    }
    *out = spec;
    *n = strlen(spec);
    return LOCANT_OK;
}

locant_status lct_pairing_spec(char **out, const char *spec, bool interleaved)
{
    static const char key[] = "pairing=";
    const char *word = interleaved ? "interleaved" : "half", *part, *end;
    const size_t room = strlen(spec) + 32;
    const char *cut, *rest, *at;
    size_t n;

    LCT_TRY(rotating_part(&part, &n, spec));
    *out = locant_alloc(room);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a spec");
    end = part + n;
    at = strstr(part, key);
    cut = memchr(part, '(', n);
    if (at != NULL && at < end) { /* another word for the key */
        rest = at + strlen(key) + strcspn(at + strlen(key), ",)");
        snprintf(*out, room, "%.*s%s%s%s", (int)(at - spec), spec, key, word,
                 rest);
    } else if (cut != NULL) { /* one more key */
        snprintf(*out, room, "%.*s(%s%s,%s", (int)(cut - spec), spec, key, word,
                 cut + 1);
    } else { /* the only key */
        snprintf(*out, room, "%.*s(%s%s)%s", (int)(end - spec), spec, key, word,
                 end);
    }
    return LOCANT_OK;
}
