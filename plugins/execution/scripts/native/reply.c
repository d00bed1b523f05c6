#include "reply.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

#define ARGUMENT_LIMIT 100000

/* A string for C functions: NUL-terminated, without a NUL inside. */
static int text_member(struct json *json, struct buffer *out) {
  out->length = 0;
  if (json_string(json, out)) return -1;
  if (out->length && memchr(out->bytes, 0, out->length)) return -1;
  buffer_append(out, "", 1);
  return 0;
}

static int plain_member(struct json *json, struct buffer *out) {
  out->length = 0;
  return json_string(json, out);
}

static int base64_member(struct json *json, struct buffer *out) {
  struct buffer text = {0};
  out->length = 0;
  int failed = json_string(json, &text) || base64_decode(out, text.bytes, text.length);
  buffer_free(&text);
  return failed ? -1 : 0;
}

static int flag_member(struct json *json, bool *out) {
  *out = !json_word(json, "true");
  return *out ? 0 : json_word(json, "false");
}

static int range_member(struct json *json, long long least, long long most, long long *out) {
  return json_integer(json, out) || *out < least || *out > most ? -1 : 0;
}

static void words_free(struct words *words) {
  for (size_t i = 0; i < words->count; i++) buffer_free(&words->items[i]);
  free(words->items);
  *words = (struct words){0};
}

static int words_member(struct json *json, struct words *out) {
  size_t room = 0;
  words_free(out);
  if (json_take(json, '[')) return -1;
  while (json_take(json, ']')) {
    if (out->count && json_take(json, ',')) return -1;
    if (out->count == ARGUMENT_LIMIT) return -1;
    if (out->count == room) {
      struct buffer *wider = take(room ? room * 2 : 16, sizeof *wider);
      if (room) memcpy(wider, out->items, room * sizeof *wider);
      free(out->items);
      out->items = wider;
      room = room ? room * 2 : 16;
    }
    struct buffer *word = &out->items[out->count++];
    if (text_member(json, word)) return -1;
  }
  return out->count ? 0 : -1;
}

static bool same(const struct buffer *name, const char *text) {
  return name->length == strlen(text) && !memcmp(name->bytes, text, name->length);
}

/* An error is a text, or an object with `message` and `next`. */
static int error_member(struct json *json, struct buffer *out) {
  struct buffer name = {0}, message = {0}, next = {0};
  int failed = 0;
  if (json_peek(json) == '"') return plain_member(json, out);
  if (json_take(json, '{')) return -1;
  for (bool first = true; !failed && json_take(json, '}'); first = false) {
    name.length = 0;
    failed = (!first && json_take(json, ',')) || json_string(json, &name) || json_take(json, ':');
    if (failed) break;
    if (same(&name, "message")) failed = plain_member(json, &message);
    else if (same(&name, "next")) failed = plain_member(json, &next);
    else failed = json_skip(json);
  }
  out->length = 0;
  buffer_append(out, message.bytes, message.length);
  if (next.length) {
    buffer_text(out, " ");
    buffer_append(out, next.bytes, next.length);
  }
  buffer_free(&name);
  buffer_free(&message);
  buffer_free(&next);
  return failed ? -1 : 0;
}

static int member(struct json *json, const struct buffer *name, struct reply *reply) {
  long long number = 0;
  if (!json_word(json, "null")) return 0;
  if (same(name, "exit")) {
    if (range_member(json, 0, 255, &number)) return -1;
    reply->exit = (int)number;
    reply->has_exit = true;
    return 0;
  }
  if (same(name, "stdout")) return reply->has_stdout = true, base64_member(json, &reply->out);
  if (same(name, "stderr")) return plain_member(json, &reply->err);
  if (same(name, "replayed")) return flag_member(json, &reply->replayed);
  if (same(name, "exec")) return reply->has_exec = true, words_member(json, &reply->exec);
  if (same(name, "under")) return words_member(json, &reply->under);
  if (same(name, "key")) return reply->has_key = true, text_member(json, &reply->key);
  if (same(name, "limit")) return reply->has_limit = true, range_member(json, 0, 1LL << 30, &reply->limit);
  if (same(name, "log")) return text_member(json, &reply->log);
  if (same(name, "stdin")) return reply->has_stdin = true, range_member(json, 0, 1LL << 30, &reply->stdin_limit);
  if (same(name, "handoff")) return flag_member(json, &reply->handoff);
  if (same(name, "gone")) return flag_member(json, &reply->gone);
  if (same(name, "ok")) return flag_member(json, &reply->ok);
  if (same(name, "code")) return reply->refused = true, json_skip(json);
  if (same(name, "error")) return reply->has_error = true, error_member(json, &reply->error);
  return json_skip(json);
}

int reply_parse(struct reply *reply, const unsigned char *line, size_t length) {
  struct json json = {line, line + length};
  struct buffer name = {0};
  int failed = json_take(&json, '{');
  *reply = (struct reply){0};
  for (bool first = true; !failed && json_take(&json, '}'); first = false) {
    name.length = 0;
    failed = (!first && json_take(&json, ',')) || json_string(&json, &name) || json_take(&json, ':') ||
             member(&json, &name, reply);
  }
  buffer_free(&name);
  if (failed || json_peek(&json) != -1) return -1;
  return reply->has_exec && !(reply->has_key && reply->has_limit) ? -1 : 0;
}

void reply_free(struct reply *reply) {
  words_free(&reply->exec);
  words_free(&reply->under);
  buffer_free(&reply->out);
  buffer_free(&reply->err);
  buffer_free(&reply->key);
  buffer_free(&reply->log);
  buffer_free(&reply->error);
}
