/* tutorial_rows.h - lists of the rows of the tutorials. */
#ifndef LOCANT_CLI_TUTORIAL_ROWS_H
#define LOCANT_CLI_TUTORIAL_ROWS_H

/* Print the rows: a line each; JSON, which returns an exit status;
   docs/tutorials.md. */
void tutorial_rows_text(int chinese);
int tutorial_rows_json(void);
void tutorial_rows_markdown(void);

#endif /* LOCANT_CLI_TUTORIAL_ROWS_H */
