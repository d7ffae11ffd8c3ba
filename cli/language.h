/* language.h - the language of the command, and the width of its texts */
#ifndef LOCANT_LANGUAGE_H
#define LOCANT_LANGUAGE_H

#include <stddef.h>

#include "locant/figure.h"

#if defined(__GNUC__)
#    define LOCANT_FORMAT_ARG __attribute__((format_arg(1)))
#else
#    define LOCANT_FORMAT_ARG
#endif

/* Whether the locale asks for Chinese, in UTF-8; in terminal.c. */
int cli_locale_is_chinese(void);
/* Set the language: 0 English, 1 Chinese, -1 what the locale says. */
void cli_set_language(int lang);
int cli_chinese(void);
/* The text in the language of the command; 'english' itself if there is no
   translation. */
const char *cli_translate(const char *english) LOCANT_FORMAT_ARG;
/* The same for each of the words "a, b"; as cli_text(). */
const char *cli_translate_list(const char *words);
/* The Chinese whatever the language; NULL if there is none. */
const char *cli_find_chinese(const char *english);
/* Columns of n bytes of UTF-8: a Chinese character takes two. */
size_t cli_text_columns(const char *text, size_t n);
/* The text, filled up with blanks to so many columns; as cli_text(). */
const char *cli_padded(const char *text, int columns);
/* Replace the texts of a figure that is drawn by those in the language of the
   command.  The figure of a library is copied first. */
int cli_figure_text(locant_figure *f);
/* Before a picture is written: if no font has Chinese, say so on stderr and go
   on in English. */
int cli_figure_font(void);
/* Bytes up to the first blank or place between Chinese characters where a line
   may end. */
size_t cli_piece(const char *text);

#endif
