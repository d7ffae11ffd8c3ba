/* show_layers.c - which encoding each layer of a model uses */
#include "language.h"
#include "show.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_LAYERS = 24 }; /* of an encoding for any number of layers */

static int64_t shown(const locant_encoding *e)
{
    const int64_t count = locant_encoding_layer_count(e);

    return count > 0 ? count : SHOWN_LAYERS;
}

static const locant_encoding *layer(const locant_encoding *e, int64_t l)
{
    return locant_encoding_layer_of(NULL, e, l, shown(e));
}

/* Is layer l the first that uses its encoding? */
static int is_new(const locant_encoding *e, int64_t l)
{
    for (int64_t i = 0; i < l; i++)
        if (layer(e, i) == layer(e, l))
            return 0;
    return 1;
}

/* "0-4 6-10 12": the layers that use the encoding of layer 'first'. */
static const char *layers_like(const locant_encoding *e, int64_t first)
{
    const char *text = "";

    for (int64_t l = first, end; l < shown(e); l = end) {
        end = l + 1;
        if (layer(e, l) != layer(e, first))
            continue;
        while (end < shown(e) && layer(e, end) == layer(e, l))
            end++;
        text = cli_text("%s%s%" PRId64, text, *text != 0 ? " " : "", l);
        if (end - l > 1)
            text = cli_text("%s-%" PRId64, text, end - 1);
    }
    return text;
}

void show_layers(const locant_encoding *e, show_layers_line *line)
{
    if (layer(e, 0) == e)
        return;
    for (int64_t l = 0; l < shown(e); l++)
        if (is_new(e, l))
            line(l == 0, cli_text(cli_translate("%s of %lld: %s"),
                                  layers_like(e, l), (long long)shown(e),
                                  locant_encoding_spec(layer(e, l))));
}

json_t *show_layers_json(const locant_encoding *e)
{
    json_t *specs = json_array();

    if (layer(e, 0) != e)
        for (int64_t l = 0; l < shown(e); l++)
            json_array_append_new(
                specs, json_string(locant_encoding_spec(layer(e, l))));
    return specs;
}
