/* model_waves.h - the wavelengths of a position plan, as a picture */
#ifndef LOCANT_CLI_MODEL_WAVES_H
#define LOCANT_CLI_MODEL_WAVES_H
#include "cli.h"

/* Draw those of 'plan', its JSON, on stdout or into the file 'path'. */
int model_waves_draw(const json_t *plan, const char *path, int color);
#endif
