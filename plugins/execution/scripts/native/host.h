#ifndef SVC_HOST_H
#define SVC_HOST_H

#include <signal.h>
#include <sys/types.h>

#include "client.h"

/*
 * The operations that the `svc` program and the shell builtin implement differently: client-host.c and in-shell-host.c.
 */

/* Ends the call: the process, or the builtin. */
_Noreturn void leave(int code);
/* The folder of svc.verbs and svc.cli with a final slash, at most `room` bytes; answers its length. */
size_t own_folder(char *path, size_t room);
/*
 * These three may leave when a signal asks for it: before a read whose answer may come `soon` (within tens of
 * microseconds), when a call would wait, and when one was interrupted.
 */
void before_read(int descriptor, bool soon);
void await_ready(int descriptor, short events);
void interrupted(void);
/* No answer will come: waits to be killed. */
_Noreturn void wait_for_the_end(void);
/* Nobody reads our stdout. Answers the exit code if the process continues. */
int broken_pipe(const struct call *call);
/* Moves a descriptor away from low numbers that the caller may use; -1 when it cannot. */
int out_of_the_way(int descriptor);

/* Before a command starts: no signal may arrive in between. */
void hold_signals(void);
/* In the command, before exec: sets the signal dispositions and the mask. */
void hand_on_signals(const struct inherited *inherited);
/* The command runs; `pid` is -1 when it does not. `output` is read until it ends. */
void command_started(pid_t pid, int output);
/* Waits for the end of the command and answers its status. */
int await_command(pid_t pid);
/* Restores the signal state. */
void command_over(void);

#endif
