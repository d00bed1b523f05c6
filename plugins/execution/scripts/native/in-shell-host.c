/*
 * The part for a call inside a shell. The shell owns the signals: they are handled as if the shell waited for a
 * program. SIGCHLD is blocked while a command runs, or the shell would reap it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bash.h"
#include "in-shell.h"

/*
 * Scripts use low descriptor numbers, and bash considers close-on-exec descriptors above 10 its own: it would restore
 * such a one after `exec 200>file`. Few scripts use numbers just below the usual limit.
 */
#define OURS 960
/* How long to poll for an answer before the shell sleeps. */
#define LOOK_OUT_NS 100000L

sigjmp_buf way_out;

static struct {
  bool taken, held;
  struct sigaction pipe, interrupt;
  bool ignoring_interrupts;
  sigset_t before; /* the mask of the shell */
  int output;      /* read until the command ends; -1 when none runs */
} state = {.output = -1};

void leave(int code) {
  siglongjmp(way_out, code + 1);
}

int out_of_the_way(int descriptor) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, OURS);
  for (int least = OURS / 2; moved < 0 && least >= 10; least /= 2) moved = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
  int error = errno;
  close(descriptor);
  errno = error;
  return moved;
}

/* The signal that ended the shell. The shell handles it as soon as it runs its own code again. */
static int ended_by(void) {
  return terminating_signal;
}

/* The same, and signals that would kill the program while the shell waits with a trap. */
static int told_to_end(void) {
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (pending_traps[numbers[i]]) return numbers[i];
  return ended_by();
}

void interrupted(void) {
  if (ended_by()) leave(128 + ended_by());
}

static void wait_ready(int descriptor, short events, int (*told)(void)) {
  struct pollfd wanted = {descriptor, events, 0};
  sigset_t all, now;
  int ready = -1;
  sigfillset(&all);
  while (ready < 0) {
    sigprocmask(SIG_SETMASK, &all, &now);
    /* No signal is lost between this check and the wait. */
    int number = told();
    if (!number) ready = ppoll(&wanted, 1, NULL, &now);
    int error = errno;
    sigprocmask(SIG_SETMASK, &now, NULL);
    if (number) leave(128 + number);
    if (ready < 0 && error != EINTR) return;
  }
}

/*
 * A recorded result arrives within tens of microseconds, and sleeping and waking would cost as much again. With a
 * second processor for the agent, this polls for a moment first. Longer waits are not polled: that would only take
 * processor time from others.
 */
static void look_out(int descriptor) {
  static long processors;
  struct pollfd wanted = {descriptor, POLLIN, 0};
  struct timespec now, since;
  if (!processors) processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (processors < 2) return;
  clock_gettime(CLOCK_MONOTONIC, &since);
  do {
    if (poll(&wanted, 1, 0) || ended_by()) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - since.tv_sec) * 1000000000L + now.tv_nsec - since.tv_nsec < LOOK_OUT_NS);
}

void before_read(int descriptor, bool soon) {
  if (soon) look_out(descriptor);
  wait_ready(descriptor, POLLIN, ended_by);
}

void await_ready(int descriptor, short events) {
  wait_ready(descriptor, events, ended_by);
}

void wait_for_the_end(void) {
  for (;;) wait_ready(-1, 0, told_to_end);
}

int broken_pipe(const struct call *call) {
  (void)call;
  return 128 + SIGPIPE;
}

void take_over_signals(struct inherited *inherited) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, child;
  sigaction(SIGPIPE, &ignore, &state.pipe);
  sigaction(SIGCHLD, NULL, &child);
  inherited->ignored_pipe = state.pipe.sa_handler == SIG_IGN;
  inherited->ignored_child = child.sa_handler == SIG_IGN;
  state.taken = true;
}

void restore_signals(void) {
  if (state.output >= 0) close(state.output);
  command_over();
  if (state.taken) sigaction(SIGPIPE, &state.pipe, NULL);
  state.taken = false;
}

void hold_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &state.before);
  state.held = true;
}

void hand_on_signals(const struct inherited *inherited) {
  struct sigaction plain = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN}, now;
  for (int number = 1; number < NSIG; number++)
    if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
      sigaction(number, &plain, NULL);
  /* The shell ignores it for itself; a command ignores it when the script said so. */
  if (!signal_is_ignored(SIGQUIT)) sigaction(SIGQUIT, &plain, NULL);
  sigaction(SIGPIPE, inherited->ignored_pipe ? &ignore : &plain, NULL);
  sigaction(SIGCHLD, inherited->ignored_child ? &ignore : &plain, NULL);
  sigprocmask(SIG_SETMASK, &state.before, NULL);
}

void command_started(pid_t pid, int output) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigset_t mask = state.before;
  state.output = pid > 0 ? output : -1;
  /* A waiting shell survives an interrupt that its command handled. */
  state.ignoring_interrupts = !signal_is_trapped(SIGINT);
  if (state.ignoring_interrupts) sigaction(SIGINT, &ignore, &state.interrupt);
  sigaddset(&mask, SIGCHLD);
  sigprocmask(SIG_SETMASK, &mask, NULL);
}

int await_command(pid_t pid) {
  int status = 0;
  state.output = -1;
#ifdef SYS_pidfd_open
  int handle = (int)syscall(SYS_pidfd_open, pid, 0);
  if (handle >= 0) {
    state.output = handle;
    wait_ready(handle, POLLIN, ended_by);
    state.output = -1;
    close(handle);
  }
#endif
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) interrupted();
  return status;
}

void command_over(void) {
  state.output = -1;
  if (state.ignoring_interrupts) sigaction(SIGINT, &state.interrupt, NULL);
  state.ignoring_interrupts = false;
  if (state.held) sigprocmask(SIG_SETMASK, &state.before, NULL);
  state.held = false;
}

static int run_there(const char *file, const struct call *call, char **environment) {
  struct inherited inherited;
  volatile int failed = 0;
  take_over_signals(&inherited);
  hold_signals();
  pid_t pid = vfork();
  if (pid == 0) {
    hand_on_signals(&inherited);
    execve(file, call->argv, environment);
    failed = errno;
    _exit(127);
  }
  if (pid < 0) failed = errno;
  command_started(pid, -1);
  int status = 0;
  if (pid > 0) status = await_command(pid);
  bool died_of_interrupt = state.ignoring_interrupts && WIFSIGNALED(status) && WTERMSIG(status) == SIGINT;
  restore_signals();
  if (died_of_interrupt) raise(SIGINT);
  if (!failed) return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  internal_error("%s: %s", file, reason(failed));
  return failed == ENOENT ? 127 : 126;
}

int run_program(const char *file, const struct call *call) {
  int code = sigsetjmp(way_out, 0);
  if (code) {
    restore_signals();
    return code - 1;
  }
  struct buffer self = variable("_", file);
  char **environment = environment_with(call->environment, NULL, &self, 1);
  code = run_there(file, call, environment);
  free(environment);
  buffer_free(&self);
  return code;
}
