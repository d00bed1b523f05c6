#ifndef SVC_HOST_H
#define SVC_HOST_H

#include <signal.h>
#include <sys/types.h>

#include "client.h"

/* What the program `svc` and the builtin of a shell do each in their own way: client-host.c and in-shell-host.c. */

/* Ends the call: the process, or the builtin. */
_Noreturn void leave(int code);
/* Folder of svc.verbs and svc.cli with a slash at its end, at most `room` bytes; its length. */
size_t own_folder(char *path, size_t room);
/*
 * These three may leave, when a signal asks for it: before a read, of what may come `soon`, within tens of
 * microseconds; when a call would wait; when one was interrupted.
 */
void before_read(int descriptor, bool soon);
void await_ready(int descriptor, short events);
void interrupted(void);
/* Nothing will be answered any more: waits to be killed. */
_Noreturn void wait_for_the_end(void);
/* Nobody reads our stdout; answers the exit code if it goes on. */
int broken_pipe(const struct call *call);
/* Moves a descriptor out of the way of those that the caller names by number; -1 when it cannot. */
int out_of_the_way(int descriptor);

/* Before a command is started: no signal may come between. */
void hold_signals(void);
/* In the command, sharing our memory: the dispositions and the mask that it must find. */
void hand_on_signals(const struct inherited *inherited);
/* It runs; `pid` is -1 when it does not, `output` is read until it ends. */
void command_started(pid_t pid, int output);
/* Waits for its end and answers its status. */
int await_command(pid_t pid);
/* Signals are as they were before. */
void command_over(void);

#endif
