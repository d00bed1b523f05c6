#ifndef SVC_IN_SHELL_H
#define SVC_IN_SHELL_H

#include <setjmp.h>

#include "client.h"
#include "host.h"

/* Where `leave` goes: to sigsetjmp's answer, the exit code + 1. */
extern sigjmp_buf way_out;

/* For the time of a call: nobody may be killed for writing into a pipe without a reader. */
void take_over_signals(struct inherited *inherited);
/* As they were before, whatever was under way. */
void restore_signals(void);

/* Runs a program with the arguments of the call as the shell would, in the foreground; answers its exit code. */
int run_program(const char *file, const struct call *call);

#endif
