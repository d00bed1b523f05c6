#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"
#include "host.h"

struct buffer beside(const char *name) {
  struct buffer path = {0}, content = {0};
  buffer_reserve(&path, 4096 + strlen(name) + 1);
  path.length = own_folder((char *)path.bytes, 4096);
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

/* True for the verb that the arguments begin with; it may have two words. */
static bool is_called(const struct call *call, const char *verb) {
  const char *first = call->argc > 1 ? call->argv[1] : "";
  size_t length = strlen(first);
  if (strncmp(verb, first, length)) return false;
  return !verb[length] || (length && verb[length] == ' ' && call->argc > 2 && !strcmp(verb + length + 1, call->argv[2]));
}

int without_agent(const struct call *call) {
  struct buffer verbs = beside("svc.verbs"), verb = {0};
  for (size_t at = 0; at < verbs.length && !verb.length; at += strlen((char *)verbs.bytes + at) + 1)
    if (is_called(call, (char *)verbs.bytes + at))
      buffer_append(&verb, verbs.bytes + at, strlen((char *)verbs.bytes + at) + 1);
  buffer_free(&verbs);
  if (!verb.length) return HANDOFF;
  complain("SVC_AGENT_SOCKET is not set: `svc ", (char *)verb.bytes,
           "` works only in a script run, and not inside a step body. Call it from the script itself, before or after "
           "the step; a step body returns values on its standard output.", NULL);
  buffer_free(&verb);
  return 1;
}
