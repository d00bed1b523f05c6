/*
 * Runs one program apart from the rest of the machine: in PID, mount and IPC namespaces of its own, with a user
 * namespace where the agent is not root and as another user where it is. The program sees the folders it is given and
 * no others. Everything it leaves behind dies with it. README.md has the whole list.
 *
 *   isolate --root <folder> --report <file> [--user <id>] [--network none|<control group>] [--show <path>]… [--own <from> <to>]…
 *           [--cover <from> <to>]… [--hide <path>]… --cwd <folder> -- <program> [argument]…
 *
 * The program gets the variables whose names begin with SVCENV_, without that: nothing that somebody else chose is in the
 * environment of this one, which may be root.
 *
 * Exits as the program does, by the same signal too. What kept it from starting is one line in the report:
 * `<step> <errno> <subject>`. The line `ended 0 program` says that its end is its own: who is killed here leaves none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate.h"

#define PREFIX "SVCENV_"

extern char **environ;

static int report = -1;

_Noreturn void isolate_fail(const char *step, const char *subject) {
  int cause = errno;
  dprintf(report, "%s %d %s\n", step, cause, subject);
  _exit(ISOLATE_FAILED);
}

static void put(const char *file, const char *text) {
  int descriptor = open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || write(descriptor, text, strlen(text)) != (ssize_t)strlen(text)) isolate_fail("user", file);
  close(descriptor);
}

/* Inside, the agent's user is the same user as outside, and nobody else exists. */
static void map_user(uid_t user, gid_t group) {
  char map[64];
  put("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", (unsigned)user, (unsigned)user);
  put("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", (unsigned)group, (unsigned)group);
  put("/proc/self/gid_map", map);
}

static void part(const struct plan *plan) {
  uid_t user = geteuid();
  gid_t group = getegid();
  int spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | (plan->network == OWN_NETWORK ? CLONE_NEWNET : 0);
  if (unshare(user == 0 ? spaces : spaces | CLONE_NEWUSER)) isolate_fail("namespaces", "unshare");
  if (user != 0) map_user(user, group);
}

/* Nothing that the program starts can gain a privilege, whatever it executes. */
static void drop(const struct plan *plan) {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
    if (prctl(PR_CAPBSET_DROP, capability)) isolate_fail("privileges", "capabilities");
  if (plan->user && (syscall(SYS_setgroups, 0, NULL) || setresgid(plan->user, plan->user, plan->user) ||
                     setresuid(plan->user, plan->user, plan->user)))
    isolate_fail("privileges", "user");
  struct {
    unsigned version;
    int pid;
  } head = {0x20080522, 0};
  unsigned none[6] = {0};
  if (syscall(SYS_capset, &head, none)) isolate_fail("privileges", "capabilities");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) isolate_fail("privileges", "no_new_privs");
#ifdef SYS_keyctl
  /* A session keyring of its own; a kernel without keyrings has none to share. */
  if (syscall(SYS_keyctl, 1, NULL) < 0 && errno != ENOSYS && errno != EPERM) isolate_fail("privileges", "keyring");
#endif
}

/* The variables of the program, in the place of those of this one. */
static void take_environment(void) {
  size_t kept = 0, length = strlen(PREFIX);
  for (char **variable = environ; *variable; variable++)
    if (!strncmp(*variable, PREFIX, length)) environ[kept++] = *variable + length;
  environ[kept] = NULL;
}

static _Noreturn void become(const struct plan *plan) {
  sigset_t none;
  take_environment();
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(plan->argv[0], plan->argv);
  isolate_fail("program", plan->argv[0]);
}

/* The first process of the namespace: prepares it, starts the program and reaps. With it everything inside ends. */
static _Noreturn void guard(const struct plan *plan, int result) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  isolate_mounts(plan);
  if (chdir(plan->cwd)) isolate_fail("folder", plan->cwd);
  struct rlimit no_cores = {0, 0};
  setrlimit(RLIMIT_CORE, &no_cores);
  /* What it prints goes through pipes of the agent, which it may open by name too. */
  if (plan->user && (fchown(1, plan->user, plan->user) || fchown(2, plan->user, plan->user)))
    isolate_fail("privileges", "output");
  drop(plan);
  isolate_filter();
  /* Its memory and its files are not for the program, which may be the same user. */
  if (prctl(PR_SET_DUMPABLE, 0)) isolate_fail("privileges", "memory");
  /* A change of user forgets it. */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  pid_t program = fork();
  if (program < 0) isolate_fail("program", "fork");
  if (program == 0) become(plan);
  close(report);
  for (;;) {
    int status;
    pid_t ended = waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) _exit(ISOLATE_FAILED);
    if (ended != program) continue;
    if (write(result, &status, sizeof status) != sizeof status) _exit(ISOLATE_FAILED);
    _exit(0);
  }
}

/* Ends as the program did: who waits for this process sees its exit code or signal. */
static _Noreturn void end_like(int status) {
  if (!WIFSIGNALED(status)) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : ISOLATE_FAILED);
  struct rlimit none = {0, 0};
  sigset_t all;
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  _exit(128 + WTERMSIG(status));
}

static const char *next(char ***at) {
  if (!**at) {
    fprintf(stderr, "isolate: an option lacks its value\n");
    exit(ISOLATE_FAILED);
  }
  return *(*at)++;
}

static void add(struct mount_point *list, size_t *count, struct mount_point point) {
  if (*count == ISOLATE_MOUNTS) {
    fprintf(stderr, "isolate: too many paths\n");
    exit(ISOLATE_FAILED);
  }
  list[(*count)++] = point;
}

static void read_plan(struct plan *plan, char **at) {
  while (*at && strcmp(*at, "--")) {
    const char *option = *at++, *value = next(&at);
    if (!strcmp(option, "--root")) plan->root = value;
    else if (!strcmp(option, "--cwd")) plan->cwd = value;
    else if (!strcmp(option, "--network")) {
      plan->network = strcmp(value, "none") ? NOT_HERE : OWN_NETWORK;
      plan->group = value;
    } else if (!strcmp(option, "--user")) plan->user = (uid_t)strtoul(value, NULL, 10);
    else if (!strcmp(option, "--show")) add(plan->points, &plan->count, (struct mount_point){value, value, SHOWN});
    else if (!strcmp(option, "--own")) add(plan->points, &plan->count, (struct mount_point){value, next(&at), OWN});
    else if (!strcmp(option, "--cover")) add(plan->points, &plan->count, (struct mount_point){value, next(&at), COVER});
    else if (!strcmp(option, "--hide"))  add(plan->points, &plan->count, (struct mount_point){value, value, HIDDEN});
    else if (!strcmp(option, "--report")) report = open(value, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  plan->argv = *at ? at + 1 : at;
  if (report < 0 || !plan->root || !plan->cwd || !*plan->argv) {
    fprintf(stderr, "isolate: --root, --report, --cwd and a program are needed\n");
    exit(ISOLATE_FAILED);
  }
}

/* The arguments, no longer where /proc shows them: the program inside could read where the agent keeps what it hides. */
static char **take_arguments(int count, char **given) {
  char **taken = calloc((size_t)count + 1, sizeof *taken);
  for (int n = 0; taken && n < count; n++) {
    taken[n] = strdup(given[n]);
    if (!taken[n]) break;
    if (n > 0) memset(given[n], 0, strlen(given[n]));
  }
  if (taken && taken[count - 1]) return taken;
  fprintf(stderr, "isolate: no memory\n");
  exit(ISOLATE_FAILED);
}

int main(int argc, char **argv) {
  static struct plan plan;
  int result[2], status = 0;
  sigset_t all;
  read_plan(&plan, take_arguments(argc, argv) + 1);
  /* Signals are for the program, which is in the same process group. */
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  if (pipe2(result, O_CLOEXEC)) isolate_fail("namespaces", "pipe");
  if (plan.network == NOT_HERE) isolate_from_machine(plan.group);
  part(&plan);
  if (plan.network == OWN_NETWORK) isolate_own_network();
  pid_t first = fork();
  if (first < 0) isolate_fail("namespaces", "fork");
  if (first == 0) guard(&plan, result[1]);
  close(result[1]);
  while (waitpid(first, &status, 0) < 0 && errno == EINTR) continue;
  int ended;
  if (read(result[0], &ended, sizeof ended) == sizeof ended) {
    dprintf(report, "ended 0 program\n");
    end_like(ended);
  }
  end_like(status);
}
