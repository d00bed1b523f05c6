/*
 * `svc` on the PATH of a script: passes its arguments to the agent over $SVC_AGENT_SOCKET and follows its instructions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

extern char **environ;

/* A closed standard descriptor would be reused by the next open. Its stand-in fails as it would. */
static void keep_standard_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", (descriptor ? O_RDONLY : O_WRONLY) | O_CLOEXEC) < 0)
      _exit(1);
}

static void keep_dispositions(struct inherited *inherited) {
  inherited->ignored_pipe = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  inherited->ignored_child = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
}

/* Not a verb, or not in a script run: executes the full CLI with the same arguments, or says why not. */
static int become_cli(const struct call *call) {
  struct buffer words = beside("svc.cli");
  size_t count = 0, at = 0;
  char **argv = take(words.length + (size_t)call->argc + 1, sizeof *argv);
  for (; at < words.length; at += strlen((char *)words.bytes + at) + 1) argv[count++] = (char *)words.bytes + at;
  if (count == 0) {
    complain("the file svc.cli next to this program is missing; restart the agent.", NULL);
    return 1;
  }
  for (size_t i = 0; i < count; i++)
    if (argv[i][0] == '/' && access(argv[i], F_OK)) {
      complain("`svc ", call->argc > 1 ? call->argv[1] : "", "` is not available here: an isolated run has only the verbs of scripts "
               "and no other command.", NULL);
      return 1;
    }
  for (int i = 1; i < call->argc; i++) argv[count++] = call->argv[i];
  signal(SIGPIPE, call->inherited.ignored_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGCHLD, call->inherited.ignored_child ? SIG_IGN : SIG_DFL);
  execvp(argv[0], argv);
  complain("cannot start the command-line program (", argv[0], ": ", reason(errno), "); start the agent again.", NULL);
  return 1;
}

int main(int argc, char **argv) {
  struct call call = {.argc = argc, .argv = argv, .environment = environ, .socket = -1};
  call.path = variable_of(environ, "SVC_AGENT_SOCKET");
  keep_standard_descriptors();
  keep_dispositions(&call.inherited);
  int code, error = 0;
  if (!call.path || !*call.path) code = without_agent(&call);
  else if ((error = open_socket(&call))) unreachable_agent(&call, error);
  else code = converse(&call);
  return code == HANDOFF ? become_cli(&call) : code;
}
