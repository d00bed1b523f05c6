#ifndef SVC_IN_SHELL_H
#define SVC_IN_SHELL_H

#include <setjmp.h>

#include "client.h"
#include "host.h"

/* The target of `leave`: sigsetjmp answers the exit code + 1. */
extern sigjmp_buf way_out;

/* During a call: writing to a closed pipe must not kill the shell. */
void take_over_signals(struct inherited *inherited);
/* Restored, whatever was in progress. */
void restore_signals(void);

/* Runs a program in the foreground with the arguments of the call, as the shell would; answers its exit code. */
int run_program(const char *file, const struct call *call);

#endif
