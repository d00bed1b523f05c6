/* The part for a standalone process: it may exit, and signals that it receives are passed to its command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
#define FORWARDED (sizeof forwarded / sizeof *forwarded)

static volatile pid_t command;
/* Signals sent to the whole group while a command ran. */
static volatile sig_atomic_t told;
static struct sigaction kept[FORWARDED];
static sigset_t blocked, before;

void leave(int code) {
  exit(code);
}

size_t own_folder(char *path, size_t room) {
  ssize_t length = readlink("/proc/self/exe", path, room);
  size_t kept_length = length > 0 ? (size_t)length : 0;
  while (kept_length && path[kept_length - 1] != '/') kept_length--;
  return kept_length;
}

void before_read(int descriptor, bool soon) {
  (void)descriptor;
  (void)soon;
}

void await_ready(int descriptor, short events) {
  struct pollfd wanted = {descriptor, events, 0};
  poll(&wanted, 1, -1);
}

void interrupted(void) {}

void wait_for_the_end(void) {
  if (told) {
    signal(told, SIG_DFL);
    raise(told);
  }
  for (;;) pause();
}

int broken_pipe(const struct call *call) {
  (void)call;
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
  return 128 + SIGPIPE;
}

int out_of_the_way(int descriptor) {
  return descriptor;
}

/*
 * The process that started the leader of this session: the script's keeper. Uses only functions that are safe in signal
 * handlers.
 */
static pid_t starter(void) {
  char path[32] = "/proc/", digits[16], text[512];
  size_t at = sizeof digits, end = 6;
  pid_t parent = 0;
  for (pid_t rest = getsid(0); rest > 0; rest /= 10) digits[--at] = (char)('0' + rest % 10);
  while (at < sizeof digits) path[end++] = digits[at++];
  memcpy(path + end, "/stat", 6);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t length = read(file, text, sizeof text);
  close(file);
  /* "<pid> (<name>) <state> <parent> ": the name may contain anything. */
  while (length > 0 && text[length - 1] != ')') length--;
  for (length += 3; length > 3 && length < (ssize_t)sizeof text && text[length] >= '0' && text[length] <= '9'; length++)
    parent = parent * 10 + (text[length] - '0');
  return parent;
}

/*
 * A terminal or a keeper signals the whole group, so the command has it already; a second one would change the meaning.
 */
static void forward(int number, siginfo_t *info, void *context) {
  int saved = errno;
  (void)context;
  if (info->si_code == SI_KERNEL || info->si_pid == starter()) told = number;
  else if (command > 0) kill(command, number);
  errno = saved;
}

void hold_signals(void) {
  sigemptyset(&blocked);
  for (size_t i = 0; i < FORWARDED; i++) sigaddset(&blocked, forwarded[i]);
  sigprocmask(SIG_BLOCK, &blocked, &before);
}

void hand_on_signals(const struct inherited *inherited) {
  signal(SIGPIPE, inherited->ignored_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGCHLD, inherited->ignored_child ? SIG_IGN : SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}

void command_started(pid_t pid, int output) {
  struct sigaction pass = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO};
  (void)output;
  command = pid;
  for (size_t i = 0; i < FORWARDED; i++) {
    sigaction(forwarded[i], NULL, &kept[i]);
    /* Signals that the caller ignores, as a shell does for background jobs, stay ignored. */
    if (kept[i].sa_handler != SIG_IGN) sigaction(forwarded[i], &pass, NULL);
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
}

int await_command(pid_t pid) {
  siginfo_t info;
  int status = 0;
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) && errno == EINTR) continue;
  /* After it is reaped, its pid may belong to another process: no signal may be passed on in between. */
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

void command_over(void) {
  command = 0;
  for (size_t i = 0; i < FORWARDED; i++) sigaction(forwarded[i], &kept[i], NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
}
