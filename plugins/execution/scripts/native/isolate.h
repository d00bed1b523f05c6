#ifndef SVC_ISOLATE_H
#define SVC_ISOLATE_H

#include <stddef.h>
#include <sys/types.h>

/* Exit code of a program that could not be isolated; the report says why. */
#define ISOLATE_FAILED 125
#define ISOLATE_MOUNTS 256

enum network {
  SHARED, /* that of the machine */
  OWN_NETWORK, /* with nothing but a loopback interface of its own */
  NOT_HERE /* that of the machine, without the machine itself */
};

enum mount_kind {
  SHOWN, /* read-only, with what is mounted below it */
  OWN,   /* readable and writable */
  COVER, /* in place of what is shown there; nothing where nothing is */
  HIDDEN /* covered by an empty file or folder */
};

struct mount_point {
  const char *from, *to;
  enum mount_kind kind;
};

struct plan {
  /* An empty folder on which the new root is mounted. */
  const char *root;
  /* The program's folder, as it sees it. */
  const char *cwd;
  /* User and group of the program, where the agent is root; else 0. */
  uid_t user;
  enum network network;
  /* A control group to be made for `NOT_HERE`. */
  const char *group;
  struct mount_point points[ISOLATE_MOUNTS];
  size_t count;
  char **argv;
};

/* Makes the plan's folders all that there is. Ends the process when it cannot. */
void isolate_mounts(const struct plan *plan);

/* Puts this process into a new control group, of which no packet goes to this machine. */
void isolate_from_machine(const char *group);

/* Turns the loopback interface of a new network on. */
void isolate_own_network(void);

/* Refuses system calls for this process and all that it starts. */
void isolate_filter(void);

/* Writes step, errno and subject into the report and exits. */
_Noreturn void isolate_fail(const char *step, const char *subject);

#endif
