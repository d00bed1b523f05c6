#ifndef SVC_PASS_H
#define SVC_PASS_H

#include <stddef.h>

/* What a bash is told that waits for its pass. All texts lie in the one that was read. */
struct pass {
  char *cwd;
  char **set; /* NAME=value: what differs from the environment of the preparation */
  size_t set_count;
  char **unset; /* names */
  size_t unset_count;
};

/*
 * Reads what `../warm/prepared-process.ts` writes, texts with a NUL between them: the folder, a number, so many variables
 * of the preparation, those of the pass. `text[length]` is a NUL; `text` is changed. Answers -1 for anything else.
 */
int pass_read(struct pass *pass, char *text, size_t length);
void pass_free(struct pass *pass);

#endif
