/* tasks.h - solvers of the tasks by rule, which know nothing of their makers */
#ifndef ORACLE_TASKS_H
#define ORACLE_TASKS_H
#include <stdint.h>

/*
 * The word that has to follow tokens[0 .. i] of a row of 'size' tokens, or -1
 * where the task asks for none.  It reads nothing after tokens[i].
 */
typedef int32_t (*oracle_solver)(const int32_t *tokens, int64_t i,
                                 int64_t size);

/* The solver of a task by id; NULL where answers are a matter of chance. */
oracle_solver oracle_task(const char *id);
#endif
