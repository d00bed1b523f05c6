/*
 * Loaded into an agent or a server: other processes of the same user cannot read its memory any more, and the secrets of
 * its first environment, which /proc shows to them, are overwritten. Node has read them by then.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/prctl.h>

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

static const char *const secrets[] = {
    "SVC_TOKEN=", "SVC_MASTER_KEY=", "SVC_DATABASE_URL=", "SVC_WAKE_URL=", "SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY=",
};

static void wipe(char *variable) {
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    size_t length = strlen(secrets[i]);
    if (strncmp(variable, secrets[i], length) == 0) explicit_bzero(variable + length, strlen(variable + length));
  }
}

/* Node calls it when the library is loaded. */
EXPORT void *napi_register_module_v1(void *environment, void *exports) {
  (void)environment;
  for (char **variable = environ; *variable; variable++) wipe(*variable);
  prctl(PR_SET_DUMPABLE, 0);
  return exports;
}
