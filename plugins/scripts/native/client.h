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

/* One run of this program. */
struct call {
  int argc;
  char **argv;
  const char *path; /* of the socket */
  int socket;
  struct buffer received;
  struct inherited inherited;
  struct outcome outcome;
  bool ran;    /* a command was run for this call */
  bool echoed; /* and its stdout went into the log meanwhile */
};

/*
 * Runs a command and waits until its stdout is closed and it has ended. With `live`, stdout passes through to our own
 * while it is captured. SIGTERM, SIGINT, SIGHUP and SIGQUIT go on to the command.
 */
void run_command(char **argv, char **environment, long long limit, bool live, const struct inherited *inherited,
                 struct outcome *outcome);

/* No verb, or no script run: becomes the full command-line program with the same arguments, or says why not. */
int become_cli(const struct call *call);
/* The same, after verbs have been turned away. */
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
