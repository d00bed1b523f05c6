/*
 * One keeper stands between the spawner and each process that it starts. As a child subreaper it becomes the parent of
 * everything that the process leaves behind, even detached, and can kill it. Only the keeper reaps the process: a group
 * is never signalled after its number may have been reused.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frames.h"
#include "spawner.h"

#define CONTROL 3
#define GIVEN 4
/* A process that is stuck in the kernel must not be awaited without end. */
#define PATIENCE_MS 10000
#define RETRY_MS 20

extern char **environ;

void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  for (int descriptor = first; descriptor < (most > 0 && most < 65536 ? most : 65536); descriptor++) close(descriptor);
}

static void tell(int32_t kind, int32_t a, int32_t b) {
  struct note note = {kind, a, b};
  while (send(CONTROL, &note, sizeof note, MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
}

static pid_t parent_of(const char *pid) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return -1;
  text[length] = 0;
  /* The name in parentheses may contain anything, even parentheses. */
  const char *after = strrchr(text, ')');
  int parent = -1;
  if (!after || sscanf(after + 1, " %*c %d", &parent) != 1) return -1;
  return parent;
}

int kill_children(int (*spare)(pid_t)) {
  DIR *processes = opendir("/proc");
  pid_t me = getpid();
  struct dirent *entry;
  int found = 0;
  while (processes && (entry = readdir(processes))) {
    pid_t pid = atoi(entry->d_name);
    if (pid > 0 && parent_of(entry->d_name) == me && !(spare && spare(pid)) && ++found) kill(pid, SIGKILL);
  }
  if (processes) closedir(processes);
  return found;
}

/* Of this process alone: the C library would tell threads, of which the keeper's memory is none. What it prints goes through
 * pipes that it may open by name too. */
static int become_user(const struct order *order) {
  if (order->user == AS_THE_SPAWNER) return 0;
  return fchown(1, order->user, order->group) || fchown(2, order->user, order->group) || syscall(SYS_setgroups, 0, NULL) ||
         syscall(SYS_setresgid, order->group, order->group, order->group) ||
         syscall(SYS_setresuid, order->user, order->user, order->user);
}

/* Runs in the keeper's memory until exec. */
static void become(const struct order *order, volatile int *stage, volatile int *failed) {
  sigset_t none;
  *stage = STAGE_PREPARE;
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  if (setsid() >= 0 && sigprocmask(SIG_SETMASK, &none, NULL) == 0 && become_user(order) == 0 &&
      (!order->prepared || dup2(GIVEN, GIVEN_DESCRIPTOR) >= 0)) {
    *stage = STAGE_DIRECTORY;
    if (chdir(order->cwd) == 0) {
      *stage = STAGE_PROGRAM;
      execvp(order->argv[0], order->argv);
    }
  }
  *failed = errno ? errno : EIO;
  _exit(127);
}

static pid_t start(const struct order *order) {
  volatile int stage = 0, failed = 0;
  environ = order->environment;
  pid_t leader = vfork();
  if (leader == 0) become(order, &stage, &failed);
  if (leader < 0) {
    stage = STAGE_PREPARE;
    failed = errno;
  }
  if (!failed) {
    tell(NOTE_STARTED, leader, 0);
    return leader;
  }
  tell(NOTE_FAILED, stage, failed);
  _exit(0);
}

static void wire(int control, int out, int err, int given) {
  int null = open("/dev/null", O_RDWR);
  /* All are above 3, because the spawner itself holds 0 to 3. */
  if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 || dup3(control, CONTROL, O_CLOEXEC) < 0)
    _exit(1);
  if (given >= 0 && given != GIVEN && dup2(given, GIVEN) < 0) _exit(1);
  close_from((given < 0 ? CONTROL : GIVEN) + 1);
  if (given >= 0) fcntl(GIVEN, F_SETFD, FD_CLOEXEC);
}

static int signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  sigemptyset(&all);
  sigaddset(&all, SIGCHLD);
  return signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Reaps ended children. Answers 1 while there are children. */
static int reap(pid_t *leader, int *ending) {
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
      /* The spawner need not wait until this process is gone too. */
      tell(NOTE_GONE, 0, 0);
      return 0;
    }
    if (info.si_pid == 0) return 1;
    if (info.si_pid == *leader) {
      kill(-*leader, SIGKILL);
      int signalled = info.si_code != CLD_EXITED;
      tell(NOTE_ENDED, signalled ? -1 : info.si_status, signalled ? info.si_status : 0);
      *leader = 0;
      *ending = 1;
    }
    waitpid(info.si_pid, NULL, 0);
  }
}

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* One command of the spawner. A closed pipe means: kill everything. */
static void obey(pid_t leader, int *ending) {
  int32_t number;
  ssize_t got = recv(CONTROL, &number, sizeof number, MSG_DONTWAIT);
  if (got == sizeof number) {
    if (leader) kill(-leader, number);
  } else if (got >= 0 || (errno != EAGAIN && errno != EINTR)) {
    *ending = 2;
  }
}

_Noreturn void keep(const struct order *order, int control, int out, int err, int given) {
  long long since = 0;
  int ending = 0;
  wire(control, out, err, given);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "svc-keeper");
  int ended = signals();
  pid_t leader = start(order);
  /* What is said ends with the process. */
  if (given >= 0) close(GIVEN);
  dup2(0, 1);
  dup2(0, 2);
  while (reap(&leader, &ending)) {
    if (ending) {
      if (!since) since = now_ms();
      if (leader) kill(-leader, SIGKILL);
      kill_children(NULL);
      if (now_ms() - since > PATIENCE_MS) break;
    }
    struct pollfd wanted[2] = {{ended, POLLIN, 0}, {ending == 2 ? -1 : CONTROL, POLLIN, 0}};
    poll(wanted, 2, ending ? RETRY_MS : -1);
    struct signalfd_siginfo drained[8];
    if (wanted[0].revents && read(ended, drained, sizeof drained) < 0 && errno != EAGAIN) _exit(1);
    if (wanted[1].revents) obey(leader, &ending);
  }
  _exit(0);
}
