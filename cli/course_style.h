/* course_style.h - the style sheet of the page of the tutorials. */
#ifndef LOCANT_CLI_COURSE_STYLE_H
#define LOCANT_CLI_COURSE_STYLE_H

/* Light, dark and printed; without that of figures. */
extern const char course_style[];

#endif /* LOCANT_CLI_COURSE_STYLE_H */
