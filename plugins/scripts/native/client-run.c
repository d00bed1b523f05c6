#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
#define FORWARDED (sizeof forwarded / sizeof *forwarded)

static volatile pid_t command;

/* Who started the leader of this session: the keeper of the script. Only what a signal handler may call. */
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
  /* "<pid> (<name>) <state> <parent> ": the name may hold anything. */
  while (length > 0 && text[length - 1] != ')') length--;
  for (length += 3; length > 3 && length < (ssize_t)sizeof text && text[length] >= '0' && text[length] <= '9'; length++)
    parent = parent * 10 + (text[length] - '0');
  return parent;
}

/* A terminal and a keeper signal the whole group, so the command has had it; twice would mean another thing to it. */
static void forward(int number, siginfo_t *info, void *context) {
  int kept = errno;
  (void)context;
  if (command > 0 && info->si_code != SI_KERNEL && info->si_pid != starter()) kill(command, number);
  errno = kept;
}

static void wait_for(int descriptor, short events) {
  struct pollfd wanted = {descriptor, events, 0};
  poll(&wanted, 1, -1);
}

int write_all(int descriptor, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length) {
    ssize_t written = write(descriptor, at, length);
    if (written >= 0) {
      at += written;
      length -= (size_t)written;
    } else if (errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

ssize_t read_some(int descriptor, void *bytes, size_t length) {
  for (;;) {
    ssize_t got = read(descriptor, bytes, length);
    if (got >= 0) return got;
    if (errno == EAGAIN) wait_for(descriptor, POLLIN);
    else if (errno != EINTR) return -1;
  }
}

void complain(const char *text, ...) {
  struct buffer line = {0};
  va_list rest;
  va_start(rest, text);
  buffer_text(&line, "svc: ");
  for (const char *part = text; part; part = va_arg(rest, const char *)) buffer_text(&line, part);
  va_end(rest);
  buffer_text(&line, "\n");
  write_all(2, line.bytes, line.length);
  buffer_free(&line);
}

const char *reason(int error) {
  switch (error) {
    case ENOENT: return "No such file or directory";
    case EACCES: return "Permission denied";
    case EPERM: return "Operation not permitted";
    case ENOTDIR: return "Not a directory";
    case EISDIR: return "Is a directory";
    case ENOEXEC: return "Exec format error";
    case E2BIG: return "Argument list too long";
    case ELOOP: return "Too many levels of symbolic links";
    case ENAMETOOLONG: return "File name too long";
    case ETXTBSY: return "Text file busy";
    case ENOMEM: return "Cannot allocate memory";
    case EAGAIN: return "Resource temporarily unavailable";
    case EMFILE: case ENFILE: return "Too many open files";
    case ECONNREFUSED: return "Connection refused";
    case ECONNRESET: return "Connection reset by peer";
    case EPIPE: return "Broken pipe";
    case EBADF: return "Bad file descriptor";
    case ENOSPC: return "No space left on device";
    case EIO: return "Input/output error";
    default: return strerror(error);
  }
}

static void not_started(struct outcome *outcome, const char *name, int error) {
  bool unknown = error == ENOENT && !strchr(name, '/');
  outcome->exit_code = error == ENOENT || error == ENOTDIR ? 127 : 126;
  buffer_text(&outcome->error, name);
  buffer_text(&outcome->error, ": ");
  buffer_text(&outcome->error, unknown ? "command not found" : reason(error));
}

/* Shares the parent's memory until it has become the command: touches nothing but `failed`. */
static void become(char **argv, char **environment, int out, pid_t client, const sigset_t *mask,
                   const struct inherited *inherited, volatile int *failed) {
  /* A command without its client could go on while the script believes it has ended. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != client) _exit(1);
  signal(SIGPIPE, inherited->ignored_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGCHLD, inherited->ignored_child ? SIG_IGN : SIG_DFL);
  if (dup2(out, 1) >= 0) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(argv[0], argv, environment);
  }
  *failed = errno;
  _exit(127);
}

static void capture(int from, long long limit, bool live, struct outcome *outcome) {
  static unsigned char chunk[65536];
  for (;;) {
    ssize_t got = read_some(from, chunk, sizeof chunk);
    if (got <= 0) return;
    long long room = limit - outcome->size;
    if (room > 0) buffer_append(&outcome->captured, chunk, (size_t)(got < room ? got : room));
    outcome->size += got;
    /* A log that cannot be written is no reason to lose the record. */
    if (live && write_all(1, chunk, (size_t)got)) live = false;
  }
}

static void take_signals(struct sigaction *kept) {
  struct sigaction pass = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO};
  for (size_t i = 0; i < FORWARDED; i++) {
    sigaction(forwarded[i], NULL, &kept[i]);
    /* What the caller ignores, as a shell does for its background jobs, stays ignored. */
    if (kept[i].sa_handler != SIG_IGN) sigaction(forwarded[i], &pass, NULL);
  }
}

static int reap(pid_t pid, const sigset_t *blocked) {
  siginfo_t info;
  int status = 0;
  while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) && errno == EINTR) continue;
  /* Once reaped its number may be another's: no signal may be passed on in between. */
  sigprocmask(SIG_BLOCK, blocked, NULL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  command = 0;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void run_command(char **argv, char **environment, long long limit, bool live, const struct inherited *inherited,
                 struct outcome *outcome) {
  struct sigaction kept[FORWARDED];
  sigset_t blocked, mask;
  volatile int failed = 0;
  int ends[2];
  pid_t client = getpid();
  if (pipe2(ends, O_CLOEXEC)) {
    not_started(outcome, argv[0], errno);
    return;
  }
  sigemptyset(&blocked);
  for (size_t i = 0; i < FORWARDED; i++) sigaddset(&blocked, forwarded[i]);
  sigprocmask(SIG_BLOCK, &blocked, &mask);
  pid_t pid = vfork();
  if (pid == 0) become(argv, environment, ends[1], client, &mask, inherited, &failed);
  if (pid < 0) failed = errno;
  close(ends[1]);
  command = pid;
  take_signals(kept);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (!failed) capture(ends[0], limit, live, outcome);
  close(ends[0]);
  if (pid > 0) outcome->exit_code = reap(pid, &blocked);
  command = 0;
  for (size_t i = 0; i < FORWARDED; i++) sigaction(forwarded[i], &kept[i], NULL);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (failed) not_started(outcome, argv[0], failed);
}
