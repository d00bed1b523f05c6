#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "host.h"

int write_all(int descriptor, const void *bytes, size_t length) {
  const char *at = bytes;
  while (length) {
    ssize_t written = write(descriptor, at, length);
    if (written >= 0) {
      at += written;
      length -= (size_t)written;
    } else if (errno == EAGAIN) {
      await_ready(descriptor, POLLOUT);
    } else if (errno == EINTR) {
      interrupted();
    } else {
      return errno;
    }
  }
  return 0;
}

ssize_t read_some(int descriptor, void *bytes, size_t length) {
  for (;;) {
    ssize_t got = read(descriptor, bytes, length);
    if (got >= 0) return got;
    if (errno == EAGAIN) await_ready(descriptor, POLLIN);
    else if (errno == EINTR) interrupted();
    else return -1;
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
    case EFBIG: return "File too large";
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

/* Shares the parent's memory until exec: it may write only `failed`. */
static void become(char **argv, char **environment, int out, pid_t client, const struct inherited *inherited,
                   volatile int *failed) {
  /* A command without its client could continue while the script believes that it ended. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != client) _exit(1);
  if (dup2(out, 1) >= 0) {
    hand_on_signals(inherited);
    execvpe(argv[0], argv, environment);
  }
  *failed = errno;
  _exit(127);
}

static void capture(int from, long long limit, bool live, struct outcome *outcome) {
  static unsigned char chunk[65536];
  for (;;) {
    before_read(from, false);
    ssize_t got = read_some(from, chunk, sizeof chunk);
    if (got <= 0) return;
    long long room = limit - outcome->size;
    if (room > 0) buffer_append(&outcome->captured, chunk, (size_t)(got < room ? got : room));
    outcome->size += got;
    /* A failing log is no reason to lose the record. */
    if (live && write_all(1, chunk, (size_t)got)) live = false;
  }
}

static int make_pipe(int ends[2]) {
  if (pipe2(ends, O_CLOEXEC)) return errno;
  ends[0] = out_of_the_way(ends[0]);
  ends[1] = out_of_the_way(ends[1]);
  if (ends[0] >= 0 && ends[1] >= 0) return 0;
  for (int end = 0; end < 2; end++)
    if (ends[end] >= 0) close(ends[end]);
  return EMFILE;
}

/* The process of the command; -1 with the reason in `failed` when it did not start. */
static pid_t start(char **argv, char **environment, int out, const struct inherited *inherited, volatile int *failed) {
  pid_t client = getpid();
  pid_t pid = vfork();
  if (pid == 0) become(argv, environment, out, client, inherited, failed);
  if (pid < 0) *failed = errno;
  return pid;
}

void run_command(char **argv, char **environment, long long limit, bool live, const struct inherited *inherited,
                 struct outcome *outcome) {
  volatile int failed = 0;
  int ends[2];
  int error = make_pipe(ends);
  if (error) {
    not_started(outcome, argv[0], error);
    return;
  }
  hold_signals();
  pid_t pid = start(argv, environment, ends[1], inherited, &failed);
  close(ends[1]);
  command_started(pid, ends[0]);
  if (!failed) capture(ends[0], limit, live, outcome);
  close(ends[0]);
  int status = pid > 0 ? await_command(pid) : 0;
  command_over();
  outcome->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (failed) not_started(outcome, argv[0], failed);
}
