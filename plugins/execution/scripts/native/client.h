#ifndef SVC_CLIENT_H
#define SVC_CLIENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "buffer.h"

/* How a command ended. */
struct outcome {
  int exit_code;          /* as a shell gives it: 128 + n after signal n, 127 and 126 when it did not start */
  long long size;         /* all bytes of its stdout */
  struct buffer captured; /* the first `limit` of them */
  struct buffer error;    /* why it did not start */
};

/* Signal dispositions of the caller, restored for a command. */
struct inherited {
  bool ignored_pipe;
  bool ignored_child;
};

/* One call of a verb. */
struct call {
  int argc;
  char **argv;
  char **environment;  /* of the caller */
  const char *path;    /* of the socket */
  const char *self;    /* `_` in the environment of a command; NULL leaves it as it is */
  int socket;
  bool greeted;        /* an earlier call has said hello on this connection */
  struct buffer received;
  struct inherited inherited;
  struct outcome outcome;
  bool ran;    /* a command was run for this call */
  bool echoed; /* and its stdout went into the log meanwhile */
};

/* Opens the connection; answers errno on failure. */
int open_socket(struct call *call);
/* Reports that the agent cannot be reached, and leaves. */
_Noreturn void unreachable_agent(const struct call *call, int error);

/* The agent does not know this verb: run the full CLI. */
#define HANDOFF (-1)
/* Asks the agent and follows its instructions. Answers the caller's exit code, or HANDOFF. */
int converse(struct call *call);

/*
 * Runs a command and waits until its stdout is closed and it has ended. With `live`, its stdout is also copied to ours
 * while it is captured.
 */
void run_command(char **argv, char **environment, long long limit, bool live, const struct inherited *inherited,
                 struct outcome *outcome);

/* The value of a variable in an environment; NULL when absent. */
char *variable_of(char **environment, const char *name);
/* NAME=value with the final NUL. */
struct buffer variable(const char *name, const char *value);
/*
 * A copy that the caller frees: without variables that begin with `less` (NULL: keeps all), and with `count` variables
 * set.
 */
char **environment_with(char **environment, const char *less, const struct buffer *set, size_t count);

/* A file beside the client that contains NUL-terminated texts. */
struct buffer beside(const char *name);
/* Refuses a verb without an agent and says why. Answers HANDOFF for anything that is not a verb. */
int without_agent(const struct call *call);

/* Writes everything; answers errno on failure. Waits where the descriptor would not block. */
int write_all(int descriptor, const void *bytes, size_t length);
/* Reads; waits and is not interrupted. */
ssize_t read_some(int descriptor, void *bytes, size_t length);

/* Prints "svc: ", the texts (the last is NULL) and a newline to stderr. */
void complain(const char *text, ...);
/* The C library's error text, the same in every locale. */
const char *reason(int error);

#endif
