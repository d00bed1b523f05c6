/* One call of a verb as the agent and its caller see it; the protocol stands in plugins/execution/scripts/contract.ts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "client.h"
#include "host.h"
#include "json.h"
#include "reply.h"

#define LINE_LIMIT (64u << 20)
#define TRACE_DIGITS 32
#define SPAN_DIGITS 16
#define TRACE_LENGTH 35 /* the digits, a dash and two digits of flags */

_Noreturn static void lost(const struct call *call, const char *what, int error) {
  complain(what, " (", call->path, error ? ": " : "", error ? reason(error) : "",
           "). The agent has ended or abandoned this pass; the run continues when an agent claims it again, and "
           "recorded calls are not repeated.", NULL);
  leave(1);
}

_Noreturn static void not_understood(const char *what) {
  complain(what, "; the agent and this client are of different versions.", NULL);
  leave(1);
}

void unreachable_agent(const struct call *call, int error) {
  lost(call, "cannot reach the agent", error);
}

int open_socket(struct call *call) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(call->path) >= sizeof address.sun_path) return ENAMETOOLONG;
  strcpy(address.sun_path, call->path);
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  call->socket = made < 0 ? -1 : out_of_the_way(made);
  if (call->socket < 0) return errno;
  while (connect(call->socket, (struct sockaddr *)&address, sizeof address)) {
    int error = errno;
    if (error == EINTR) continue;
    close(call->socket);
    call->socket = -1;
    return error;
  }
  return 0;
}

/* The next line of the agent. */
static void receive(struct call *call, struct reply *reply) {
  struct buffer *in = &call->received;
  for (size_t seen = 0;;) {
    unsigned char *newline = in->length > seen ? memchr(in->bytes + seen, '\n', in->length - seen) : NULL;
    if (newline) {
      size_t length = (size_t)(newline - in->bytes);
      if (reply_parse(reply, in->bytes, length)) not_understood("the agent's answer cannot be read");
      buffer_drop(in, length + 1);
      break;
    }
    seen = in->length;
    if (in->length > LINE_LIMIT) lost(call, "the agent's answer is too long", 0);
    buffer_reserve(in, in->length > 8192 ? 1 << 18 : 8192);
    /* The result of a command is answered when the server has stored it. */
    before_read(call->socket, !call->ran);
    ssize_t got = read_some(call->socket, in->bytes + in->length, in->capacity - in->length);
    if (got <= 0) lost(call, "the agent closed the connection before it answered", got < 0 ? errno : 0);
    in->length += (size_t)got;
  }
  if (!reply->has_error) return;
  buffer_append(&reply->error, "", 1);
  complain((char *)reply->error.bytes, NULL);
  leave(1);
}

static void send_line(struct call *call, struct buffer *line) {
  int error = write_all(call->socket, line->bytes, line->length);
  buffer_free(line);
  if (error) lost(call, "the agent closed the connection", error);
}

/* The hello and the verb are sent together: writing the second needs no answer to the first. */
static void ask(struct call *call) {
  struct buffer line = {0};
  struct reply reply;
  char *cwd = getcwd(NULL, 0);
  if (!call->greeted) buffer_text(&line, "{\"id\":0,\"op\":\"hello\",\"protocol\":2}\n");
  buffer_text(&line, "{\"id\":1,\"op\":\"verb\",\"argv\":[");
  for (int i = 1; i < call->argc; i++) {
    if (i > 1) buffer_text(&line, ",");
    json_append(&line, call->argv[i], strlen(call->argv[i]));
  }
  buffer_text(&line, "],\"cwd\":");
  json_append(&line, cwd ? cwd : "", cwd ? strlen(cwd) : 0);
  buffer_text(&line, "}\n");
  free(cwd);
  send_line(call, &line);
  if (call->greeted) return;
  receive(call, &reply);
  if (!reply.ok) {
    complain("the agent does not speak protocol 2 of its socket; run an agent of this version.", NULL);
    leave(1);
  }
  reply_free(&reply);
  call->greeted = true;
}

/* True when our stdout goes to the script's log. */
static bool is_log(const struct reply *reply) {
  struct stat status;
  struct buffer mine = {0};
  if (!reply->log.length || fstat(1, &status)) return false;
  buffer_number(&mine, (long long)status.st_dev);
  buffer_text(&mine, ":");
  buffer_number(&mine, (long long)status.st_ino);
  buffer_append(&mine, "", 1);
  bool found = false;
  for (char *name = strtok((char *)reply->log.bytes, " "); name && !found; name = strtok(NULL, " "))
    found = !strcmp(name, (char *)mine.bytes);
  buffer_free(&mine);
  return found;
}

/* The agent answers in valid UTF-8. Where that repeats our own arguments, their original bytes are run. */
static char **command_of(const struct call *call, const struct reply *reply) {
  size_t count = reply->exec.count, before = reply->under.count;
  char **argv = take(before + count + 1, sizeof *argv), **own_part = argv + before;
  bool own = count < (size_t)call->argc;
  for (size_t i = 0; own && i < count; i++) {
    const char *mine = call->argv[(size_t)call->argc - count + i];
    struct buffer clean = {0};
    utf8_clean(&clean, mine, strlen(mine));
    own = clean.length + 1 == reply->exec.items[i].length &&
          !memcmp(clean.length ? clean.bytes : (unsigned char *)"", reply->exec.items[i].bytes, clean.length);
    buffer_free(&clean);
  }
  for (size_t i = 0; i < before; i++) argv[i] = (char *)reply->under.items[i].bytes;
  for (size_t i = 0; i < count; i++)
    own_part[i] = own ? call->argv[(size_t)call->argc - count + i] : (char *)reply->exec.items[i].bytes;
  return argv;
}

/* "TRACEPARENT=00-<trace>-<span>-<flags>" of SVC_TRACE="<trace>-<flags>"; the span of a step has the beginning of its key
 * for an id. False without a trace. */
static bool step_trace(const struct call *call, const struct reply *reply, struct buffer *text) {
  const char *trace = variable_of(call->environment, "SVC_TRACE");
  if (!trace || strlen(trace) != TRACE_LENGTH || trace[TRACE_DIGITS] != '-' || reply->key.length <= SPAN_DIGITS)
    return false;
  buffer_text(text, "TRACEPARENT=00-");
  buffer_append(text, trace, TRACE_DIGITS + 1);
  buffer_append(text, reply->key.bytes, SPAN_DIGITS);
  buffer_append(text, trace + TRACE_DIGITS, TRACE_LENGTH - TRACE_DIGITS + 1);
  return true;
}

static void run(struct call *call, const struct reply *reply) {
  struct buffer set[3] = {0};
  size_t count = 0;
  if (call->self) set[count++] = variable("_", call->self);
  set[count++] = variable("SVC_IDEMPOTENCY_KEY", (char *)reply->key.bytes);
  if (step_trace(call, reply, &set[count])) count++;
  char **argv = command_of(call, reply);
  char **environment = environment_with(call->environment, "SVC_", set, count);
  run_command(argv, environment, reply->limit, call->echoed, &call->inherited, &call->outcome);
  free(argv);
  free(environment);
  while (count) buffer_free(&set[--count]);
}

static void execute(struct call *call, const struct reply *reply) {
  struct buffer line = {0};
  struct outcome *outcome = &call->outcome;
  /* A second time: the next attempt. Nothing of the one before is echoed. */
  outcome->captured.length = outcome->error.length = 0;
  outcome->size = outcome->exit_code = 0;
  call->ran = true;
  call->echoed = is_log(reply);
  run(call, reply);
  buffer_text(&line, "{\"id\":1,\"op\":\"result\",\"exit\":");
  buffer_number(&line, outcome->exit_code);
  buffer_text(&line, ",\"stdout\":\"");
  base64_append(&line, outcome->captured.bytes, outcome->captured.length);
  buffer_text(&line, "\",\"size\":");
  buffer_number(&line, outcome->size);
  if (outcome->error.length) {
    buffer_text(&line, ",\"error\":");
    json_append(&line, (char *)outcome->error.bytes, outcome->error.length);
  }
  buffer_text(&line, "}\n");
  /* Output over the limit is not recorded, so it is not echoed. */
  if (outcome->size > (long long)outcome->captured.length) outcome->captured.length = 0;
  send_line(call, &line);
}

static void send_stdin(struct call *call, const struct reply *reply) {
  struct buffer data = {0}, line = {0};
  unsigned char beyond;
  while ((long long)data.length < reply->stdin_limit) {
    long long room = reply->stdin_limit - (long long)data.length;
    buffer_reserve(&data, (size_t)(room < 65536 ? room : 65536));
    before_read(0, false);
    ssize_t got = read_some(0, data.bytes + data.length, (size_t)(room < 65536 ? room : 65536));
    if (got < 0) {
      complain("cannot read standard input: ", reason(errno), NULL);
      buffer_free(&data);
      leave(1);
    }
    if (got == 0) break;
    data.length += (size_t)got;
  }
  size_t size = data.length;
  if ((long long)size == reply->stdin_limit) {
    before_read(0, false);
    if (read_some(0, &beyond, 1) > 0) size++;
  }
  buffer_text(&line, "{\"id\":1,\"op\":\"stdin\",\"data\":\"");
  base64_append(&line, data.bytes, data.length);
  buffer_text(&line, "\",\"size\":");
  buffer_number(&line, (long long)size);
  buffer_text(&line, "}\n");
  buffer_free(&data);
  send_line(call, &line);
}

static int finish(struct call *call, const struct reply *reply) {
  const struct buffer *text = reply->has_stdout || reply->refused ? &reply->out : &call->outcome.captured;
  bool shown = call->echoed || (reply->replayed && is_log(reply));
  int error = shown ? 0 : write_all(1, text->bytes, text->length);
  write_all(2, reply->err.bytes, reply->err.length);
  if (error == EPIPE && !call->inherited.ignored_pipe) return broken_pipe(call);
  if (error) complain("cannot write to standard output: ", reason(error), NULL);
  return error ? 1 : reply->exit;
}

int converse(struct call *call) {
  struct reply reply;
  ask(call);
  for (;;) {
    int code = HANDOFF;
    receive(call, &reply);
    bool last = reply.has_exit || reply.handoff;
    if (reply.has_exit) code = finish(call, &reply);
    else if (reply.handoff) code = HANDOFF;
    else if (reply.has_exec) execute(call, &reply);
    else if (reply.has_stdin) send_stdin(call, &reply);
    else if (reply.gone) wait_for_the_end();
    else not_understood("the agent's answer contains an unknown request");
    reply_free(&reply);
    if (last) return code;
  }
}
