#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

/* Reads a file beside this program; its texts end with NUL each. */
static struct buffer beside(const char *name) {
  struct buffer path = {0}, content = {0};
  buffer_reserve(&path, 4096);
  ssize_t length = readlink("/proc/self/exe", (char *)path.bytes, 4095);
  path.length = length > 0 ? (size_t)length : 0;
  while (path.length && path.bytes[path.length - 1] != '/') path.length--;
  buffer_append(&path, name, strlen(name) + 1);
  int file = open((char *)path.bytes, O_RDONLY | O_CLOEXEC);
  while (file >= 0) {
    buffer_reserve(&content, 4096);
    ssize_t got = read_some(file, content.bytes + content.length, 4096);
    if (got <= 0) break;
    content.length += (size_t)got;
  }
  if (file >= 0) close(file);
  buffer_free(&path);
  if (content.length && content.bytes[content.length - 1]) content.length = 0;
  return content;
}

int become_cli(const struct call *call) {
  struct buffer words = beside("svc.cli");
  size_t count = 0, at = 0;
  char **argv = take(words.length + (size_t)call->argc + 1, sizeof *argv);
  for (; at < words.length; at += strlen((char *)words.bytes + at) + 1) argv[count++] = (char *)words.bytes + at;
  if (count == 0) {
    complain("the file svc.cli beside this program is missing; start the agent again.", NULL);
    return 1;
  }
  for (int i = 1; i < call->argc; i++) argv[count++] = call->argv[i];
  signal(SIGPIPE, call->inherited.ignored_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGCHLD, call->inherited.ignored_child ? SIG_IGN : SIG_DFL);
  execvp(argv[0], argv);
  complain("cannot start the command-line program (", argv[0], ": ", reason(errno), "); start the agent again.", NULL);
  return 1;
}

int without_agent(const struct call *call) {
  struct buffer verbs = beside("svc.verbs");
  const char *verb = call->argc > 1 ? call->argv[1] : "";
  bool known = false;
  for (size_t at = 0; at < verbs.length; at += strlen((char *)verbs.bytes + at) + 1)
    known = known || !strcmp((char *)verbs.bytes + at, verb);
  buffer_free(&verbs);
  if (!known) return become_cli(call);
  complain("SVC_AGENT_SOCKET is not set: `svc ", verb,
           "` works only in a script run, and not inside a step body. Call it from the script itself, before or after "
           "the step; a step body hands values back on its standard output.", NULL);
  return 1;
}
