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

/* Dispositions that the caller had and a command must find again. */
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

/* Opens the connection; errno when it cannot. */
int open_socket(struct call *call);
/* Says that the agent cannot be reached, and leaves. */
_Noreturn void unreachable_agent(const struct call *call, int error);

/* The agent knows no such verb: the full command-line program is meant. */
#define HANDOFF (-1)
/* Asks the agent and does what it says. Answers the exit code for the caller, or HANDOFF. */
int converse(struct call *call);

/*
 * Runs a command and waits until its stdout is closed and it has ended. With `live`, stdout passes through to our own
 * while it is captured.
 */
void run_command(char **argv, char **environment, long long limit, bool live, const struct inherited *inherited,
                 struct outcome *outcome);

/* The value of a variable in an environment; NULL when it is not there. */
char *variable_of(char **environment, const char *name);
/* NAME=value, with the NUL at its end. */
struct buffer variable(const char *name, const char *value);
/* A copy to be freed, less what begins with `less` (NULL: nothing), in which `count` variables are set. */
char **environment_with(char **environment, const char *less, const struct buffer *set, size_t count);

/* A file beside the client; its texts end with NUL each. */
struct buffer beside(const char *name);
/* Without an agent a verb is turned away: says why. Answers HANDOFF for anything that is no verb. */
int without_agent(const struct call *call);

/* Writes all of it; errno when it cannot. Waits where the descriptor would not. */
int write_all(int descriptor, const void *bytes, size_t length);
/* Read that waits and is not interrupted. */
ssize_t read_some(int descriptor, void *bytes, size_t length);

/* stderr: "svc: " and the texts, the last is NULL; then a newline. */
void complain(const char *text, ...);
/* The words of the C library, the same in every locale. */
const char *reason(int error);

#endif
