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

locant_status lct_pairing_read(enum lct_pairing *out, const char *path)
{
    struct lct_weights *w;
    locant_status status = lct_weights_open(&w, path);

    *out = LCT_PAIRING_UNSAID;
    if (status != LOCANT_OK)
        return status == LOCANT_ERR_NOMEM ? status : LOCANT_OK;
    status =
        lct_pairing_of(out, lct_weights_metadata(w, LCT_WEIGHTS_PAIRING), path);
    lct_weights_close(w);
    return status;
}

locant_status lct_pairing_spec(char **out, const char *spec, bool interleaved)
{
    static const char key[] = "pairing=";
    const char *open = strchr(spec, '('), *at = strstr(spec, key);
    const char *word = interleaved ? "interleaved" : "half";
    const size_t room = strlen(spec) + 32;

    *out = locant_alloc(room);
    if (*out == NULL)
        return locant_fail(LOCANT_ERR_NOMEM, "no memory for a spec");
    if (at != NULL)
        snprintf(*out, room, "%.*s%s%s%s", (int)(at - spec), spec, key, word,
                 at + strlen(key) + strcspn(at + strlen(key), ",)"));
    else if (open != NULL)
        snprintf(*out, room, "%.*s(%s%s,%s", (int)(open - spec), spec, key,
                 word, open + 1);
    else
        snprintf(*out, room, "%s(%s%s)", spec, key, word);
    return LOCANT_OK;
}
