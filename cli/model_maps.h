/* model_maps.h - what 'locant model probe' measures, as two heat maps */
#ifndef LOCANT_CLI_MODEL_MAPS_H
#define LOCANT_CLI_MODEL_MAPS_H
#include "cli.h"

/* Columns of the map of attention by distance or, if 'pairs' is 1, of pairs of
   channels: those of the head that has most; 0: there is nothing to draw. */
size_t model_maps_columns(const json_t *layers, int pairs);

/* Draw both of 'probe', its JSON: on stdout or into the file 'path'. */
int model_maps_draw(const json_t *probe, const char *path, int color);
#endif
