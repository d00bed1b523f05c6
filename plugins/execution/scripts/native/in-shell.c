/*
 * `svc` inside a running bash: the verb client as a loadable builtin, because starting a process for each call takes
 * most of a script's time. It behaves like the program. Cases that it cannot handle are passed to the program
 * (README.md lists them).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bash.h"
#include "in-shell.h"

static int call_svc(WORD_LIST *words);

static char *const long_doc[] = {"Calls a verb of the service; the same as the program of that name.", NULL};
__attribute__((visibility("default"))) struct builtin svc_struct = {"svc", call_svc, BUILTIN_ENABLED, long_doc, "svc [verb] [argument ...]", 0};

/* The shell's fork counter at its last fork, and the pid of this process. */
static struct {
  pid_t pid;
  int context, depth;
  bool called;
} fork_point;

/* The connection that the main shell keeps between calls. */
static struct {
  int socket;
  dev_t device;
  ino_t inode;
  char path[128];
} kept = {.socket = -1};

static struct call call;
static char client[4096];

size_t own_folder(char *path, size_t room) {
  Dl_info info;
  const char *slash = dladdr(&svc_struct, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  size_t length = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
  if (length > room) return 0;
  memcpy(path, info.dli_fname, length);
  return length;
}

/* True when it is still the connection, and not a descriptor that the script put in its place. */
static bool still_kept(void) {
  struct stat status;
  return kept.socket >= 0 && !fstat(kept.socket, &status) && S_ISSOCK(status.st_mode) &&
         status.st_dev == kept.device && status.st_ino == kept.inode;
}

static void drop_connection(void) {
  if (still_kept()) close(kept.socket);
  kept.socket = -1;
}

static void on_fork(void) {
  fork_point.pid = getpid();
  fork_point.context = variable_context;
  fork_point.depth = parse_and_execute_level;
  fork_point.called = false;
}

/* A subshell shares its parent's connection and would read the parent's answers. */
static bool in_main_shell(void) {
  return fork_point.pid == 0 && subshell_environment == 0;
}

static void keep_connection(void) {
  struct stat status;
  if (!in_main_shell() || kept.socket == call.socket || strlen(call.path) >= sizeof kept.path ||
      fstat(call.socket, &status))
    return;
  drop_connection();
  kept.socket = call.socket;
  kept.device = status.st_dev;
  kept.inode = status.st_ino;
  strcpy(kept.path, call.path);
}

/* Unexpected input means that the connection ended. */
static bool quiet(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Connects, or reuses an earlier connection; answers errno on failure. */
static int reach_agent(void) {
  call.greeted = in_main_shell() && !strcmp(kept.path, call.path) && still_kept();
  if (call.greeted && !quiet(kept.socket)) {
    drop_connection();
    call.greeted = false;
  }
  if (!call.greeted) return open_socket(&call);
  call.socket = kept.socket;
  return 0;
}

/* After a call that was abandoned in the middle. */
static void forget_connection(void) {
  if (call.socket >= 0 && call.socket == kept.socket) drop_connection();
  else if (call.socket >= 0) close(call.socket);
  call.socket = -1;
}

static void free_call(void) {
  buffer_free(&call.received);
  buffer_free(&call.outcome.captured);
  buffer_free(&call.outcome.error);
  free(call.argv);
}

static int talk(void) {
  if (!call.path || !*call.path) return without_agent(&call);
  int error = reach_agent();
  if (error) unreachable_agent(&call, error);
  int code = converse(&call);
  keep_connection();
  if (call.socket != kept.socket) close(call.socket);
  return code;
}

/* Asks the agent directly. */
static int ask_agent(void) {
  int left = sigsetjmp(way_out, 0);
  if (left) {
    forget_connection();
    restore_signals();
    return left - 1;
  }
  take_over_signals(&call.inherited);
  int code = talk();
  restore_signals();
  return code;
}

/*
 * A background job may be signalled by its pid, and the client must get that signal: where the program would replace
 * this process, exec it.
 */
static int in_background(void) {
  bool whole = subshell_environment & SUBSHELL_FORK && fork_point.pid == getpid() && !fork_point.called &&
               fork_point.context == variable_context && fork_point.depth == parse_and_execute_level;
  fork_point.called = true;
  if (whole) execve(client, call.argv, call.environment);
  return run_program(client, &call);
}

/* The `svc` on the PATH, if it is not the client. NULL: it is the client; empty: there is none. */
static const char *other_program(void) {
  static char known[8192], found[4096];
  struct stat mine, theirs;
  const char *path = get_string_value("PATH");
  if (!path) path = "";
  if (!strcmp(path, known)) return NULL;
  if (stat(client, &mine)) return "";
  for (const char *at = path, *end; *at; at = *end ? end + 1 : end) {
    end = strchrnul(at, ':');
    int length = (int)(end - at);
    if (length > 4000) continue;
    snprintf(found, sizeof found, "%.*s/svc", length ? length : 1, length ? at : ".");
    if (stat(found, &theirs) || !S_ISREG(theirs.st_mode) || access(found, X_OK)) continue;
    if (mine.st_dev != theirs.st_dev || mine.st_ino != theirs.st_ino) return found;
    if (strlen(path) < sizeof known) strcpy(known, path);
    return NULL;
  }
  return "";
}

static void read_words(WORD_LIST *words) {
  int count = 1;
  for (WORD_LIST *word = words; word; word = word->next) count++;
  call.argv = take((size_t)count + 1, sizeof *call.argv);
  call.argv[call.argc++] = "svc";
  for (; words; words = words->next) call.argv[call.argc++] = words->word->word;
}

static int answer(void) {
  const char *other = other_program();
  if (other && !*other) {
    const char *path = get_string_value("PATH");
    internal_error("svc: %s", path && *path ? "command not found" : reason(ENOENT));
    return 127;
  }
  if (other) return run_program(other, &call);
  if (subshell_environment & SUBSHELL_ASYNC) return in_background();
  int code = ask_agent();
  return code == HANDOFF ? run_program(client, &call) : code;
}

static int call_svc(WORD_LIST *words) {
  call = (struct call){.socket = -1, .self = client};
  maybe_make_export_env();
  call.environment = export_env;
  call.path = variable_of(export_env, "SVC_AGENT_SOCKET");
  read_words(words);
  int code = answer();
  free_call();
  return code;
}

/* `command -v svc` and `type svc` must name the program, as without the builtin. */
static sh_builtin_func_t *own_command, *own_type;

static int unseen(sh_builtin_func_t *ask, WORD_LIST *words) {
  struct builtin *svc = builtin_address_internal("svc", 1);
  int flags = svc ? svc->flags : 0;
  if (svc) svc->flags &= ~BUILTIN_ENABLED;
  int code = ask(words);
  svc = builtin_address_internal("svc", 1);
  if (svc) svc->flags = flags;
  return code;
}

static int type_instead(WORD_LIST *words) {
  return unseen(own_type, words);
}

static int command_instead(WORD_LIST *words) {
  for (WORD_LIST *word = words; word && word->word->word[0] == '-'; word = word->next) {
    if (!strcmp(word->word->word, "--")) break;
    if (strpbrk(word->word->word, "vV")) return unseen(own_command, words);
  }
  return own_command(words);
}

static sh_builtin_func_t *replace(char *name, sh_builtin_func_t *instead) {
  struct builtin *found = builtin_address_internal(name, 1);
  if (!found || !found->function) return NULL;
  sh_builtin_func_t *own = found->function;
  found->function = instead;
  return own;
}

/* Called by bash after loading; 0 refuses. */
__attribute__((visibility("default"))) int svc_builtin_load(char *name) {
  (void)name;
  size_t length = own_folder(client, sizeof client - 4);
  if (!length || pthread_atfork(NULL, NULL, on_fork)) return 0;
  strcpy(client + length, "svc");
  own_command = replace("command", command_instead);
  own_type = replace("type", type_instead);
  return own_command && own_type;
}
