#ifndef SVC_REPLY_H
#define SVC_REPLY_H

#include <stdbool.h>

#include "buffer.h"

/* A list of texts; each ends with NUL. */
struct words {
  struct buffer *items;
  size_t count;
};

/* One line of the agent, as described in contract.ts of the scripts plugin. */
struct reply {
  bool has_exit, has_stdout, replayed, has_exec, has_key, has_limit, has_stdin, handoff, gone, ok, has_error;
  bool refused; /* has `code`: nothing was recorded */
  int exit;
  long long limit;
  long long stdin_limit;
  struct buffer out;   /* decoded stdout */
  struct buffer err;   /* text for stderr */
  struct buffer key;   /* ends with NUL */
  struct buffer log;   /* ends with NUL: "<dev>:<ino>", several of them apart by spaces */
  struct buffer error; /* text */
  struct words exec;
  struct words under;  /* stand before the command */
};

/* Parses one line without its newline; -1 when it is not a valid reply. Must be freed in either case. */
int reply_parse(struct reply *reply, const unsigned char *line, size_t length);
void reply_free(struct reply *reply);

#endif
