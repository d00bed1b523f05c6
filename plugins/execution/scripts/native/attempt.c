/*
 * `svc-attempt <attempt> <timeout ms> <grace ms> <command>…`: runs one attempt of a step's command. The command sees its number
 * as ATTEMPT (0: it has none). With a timeout it has a process group of its own: when its time is over the group gets
 * SIGTERM, and SIGKILL when it is still there after the grace period, and this exits with 124.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define USAGE 125
#define TIMED_OUT 124
/* How often it is looked whether a group is empty. */
#define LOOK_MS 20

/* What the command inherits. */
struct inherited {
  sigset_t mask;
  bool ignores_pipe, ignores_child;
};

struct attempt {
  pid_t group;
  int output;   /* the command's stdout; -1 when all its writers are gone */
  int signals;
  int status;
  bool ended;   /* not reaped yet: until then nobody else can get the number of its group */
  bool reaped;
  bool late;    /* its time is over */
  bool killed;
  long long due;
};

static int not_started(const char *name) {
  int error = errno;
  bool missing = error == ENOENT || error == ENOTDIR;
  bool unknown = error == ENOENT && !strchr(name, '/');
  fprintf(stderr, "svc: %s: %s\n", name, unknown ? "command not found" : strerror(error));
  return missing ? 127 : 126;
}

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

_Noreturn static void become(char **command, int output, pid_t parent, const struct inherited *inherited) {
  /* Without this process nobody would end it in time. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);
  signal(SIGPIPE, inherited->ignores_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGCHLD, inherited->ignores_child ? SIG_IGN : SIG_DFL);
  sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
  if (dup2(output, 1) >= 0) execvp(command[0], command);
  _exit(not_started(command[0]));
}

/* Signals come through a descriptor from here on. */
static int take_signals(struct inherited *inherited) {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int *number = (const int[]){SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD, 0}; *number; number++)
    sigaddset(&taken, *number);
  inherited->ignores_pipe = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  inherited->ignores_child = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
  sigprocmask(SIG_BLOCK, &taken, &inherited->mask);
  return signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int start(struct attempt *attempt, char **command) {
  struct inherited inherited;
  int ends[2];
  pid_t own = getpid();
  attempt->signals = take_signals(&inherited);
  if (attempt->signals < 0 || pipe2(ends, O_CLOEXEC)) return -1;
  attempt->group = fork();
  if (attempt->group == 0) become(command, ends[1], own, &inherited);
  if (attempt->group < 0) return -1;
  /* The command does it too: whoever is first. */
  setpgid(attempt->group, attempt->group);
  close(ends[1]);
  attempt->output = ends[0];
  return 0;
}

static void drop_output(struct attempt *attempt) {
  close(attempt->output);
  attempt->output = -1;
}

static void pass_on(struct attempt *attempt) {
  static char chunk[65536];
  ssize_t got = read(attempt->output, chunk, sizeof chunk);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    drop_output(attempt);
    return;
  }
  for (ssize_t at = 0; at < got;) {
    ssize_t written = write(1, chunk + at, (size_t)(got - at));
    if (written >= 0) at += written;
    else if (errno == EAGAIN) poll(&(struct pollfd){1, POLLOUT, 0}, 1, -1);
    else if (errno != EINTR) {
      drop_output(attempt);
      return;
    }
  }
}

static bool has_ended(const struct attempt *attempt) {
  siginfo_t child = {0};
  return waitid(P_PID, (id_t)attempt->group, &child, WEXITED | WNOHANG | WNOWAIT) == 0 && child.si_pid != 0;
}

static void take_signal(struct attempt *attempt) {
  struct signalfd_siginfo info;
  while (read(attempt->signals, &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) kill(-attempt->group, (int)info.ssi_signo);
    else if (!attempt->ended) attempt->ended = has_ended(attempt);
  }
}

static void reap(struct attempt *attempt) {
  while (!attempt->reaped && (waitpid(attempt->group, &attempt->status, 0) == attempt->group || errno != EINTR))
    attempt->reaped = true;
}

/* Without the command itself, which would count while it is not reaped. */
static bool left_behind(struct attempt *attempt) {
  reap(attempt);
  return kill(-attempt->group, 0) == 0;
}

static bool is_over(struct attempt *attempt) {
  if (!attempt->ended) return false;
  /* Who has left the group may hold the pipe for ever. */
  if (attempt->killed) return true;
  return attempt->output < 0 && !(attempt->late && left_behind(attempt));
}

static void hurry(struct attempt *attempt, long long grace) {
  if (now_ms() < attempt->due) return;
  if (attempt->late) attempt->killed = true;
  kill(-attempt->group, attempt->late ? SIGKILL : SIGTERM);
  attempt->late = true;
  attempt->due = now_ms() + grace;
}

static int supervise(char **command, long long timeout, long long grace) {
  struct attempt attempt = {.output = -1, .due = now_ms() + timeout};
  if (start(&attempt, command)) return not_started(command[0]);
  while (!is_over(&attempt)) {
    long long left = attempt.due - now_ms();
    if (attempt.late && left > LOOK_MS) left = LOOK_MS;
    struct pollfd wanted[2] = {{attempt.signals, POLLIN, 0}, {attempt.output, POLLIN, 0}};
    poll(wanted, 2, left < 0 ? 0 : left > 1000000 ? 1000000 : (int)left);
    if (wanted[1].revents) pass_on(&attempt);
    if (wanted[0].revents) take_signal(&attempt);
    if (!attempt.killed && !is_over(&attempt)) hurry(&attempt, grace);
  }
  if (attempt.late) return TIMED_OUT;
  reap(&attempt);
  return WIFSIGNALED(attempt.status) ? 128 + WTERMSIG(attempt.status) : WEXITSTATUS(attempt.status);
}

int main(int argc, char **argv) {
  if (argc < 5) return USAGE;
  long long timeout = atoll(argv[2]), grace = atoll(argv[3]);
  char **command = argv + 4;
  if (strcmp(argv[1], "0")) setenv("ATTEMPT", argv[1], 1);
  if (timeout > 0) return supervise(command, timeout, grace);
  execvp(command[0], command);
  return not_started(command[0]);
}
