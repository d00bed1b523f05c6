/*
 * Loaded into an agent or a server: other processes of the same user cannot read its memory any more, and the secrets of
 * its first environment, which /proc shows to them, are overwritten. Node has read them by then. It can also give memory
 * back to the system, which Node cannot.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>

/* Of Node-API, whose headers are not everywhere. */
extern int napi_create_function(void *environment, const char *name, size_t length, void *(*run)(void *, void *),
                                void *data, void **made);
extern int napi_set_named_property(void *environment, void *object, const char *name, void *value);

/* Some C libraries have none. */
extern int malloc_trim(size_t padding) __attribute__((weak));

#define EXPORT __attribute__((visibility("default")))

extern char **environ;

static const char *const secrets[] = {
    "SVC_TOKEN=", "SVC_MASTER_KEY=", "SVC_NEW_MASTER_KEY=", "SVC_DATABASE_URL=", "SVC_WAKE_URL=",
    "SVC_ARTIFACTS_S3_SECRET_ACCESS_KEY=", "SVC_OIDC_CLIENT_SECRET=", "SVC_CONNECTED_ACCOUNT_PROVIDERS=",
};

static void wipe(char *variable) {
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    size_t length = strlen(secrets[i]);
    if (strncmp(variable, secrets[i], length) == 0) explicit_bzero(variable + length, strlen(variable + length));
  }
}

/* Free memory between pieces that are in use stays with the process otherwise: a start leaves much of it. */
static void *give_back(void *environment, void *call) {
  (void)environment;
  (void)call;
  if (malloc_trim) malloc_trim(0);
  return NULL;
}

/* Node calls it when the library is loaded. */
EXPORT void *napi_register_module_v1(void *environment, void *exports) {
  void *made;
  if (napi_create_function(environment, "giveBack", strlen("giveBack"), give_back, NULL, &made) == 0)
    napi_set_named_property(environment, exports, "giveBack", made);
  for (char **variable = environ; *variable; variable++) wipe(*variable);
  prctl(PR_SET_DUMPABLE, 0);
  return exports;
}
