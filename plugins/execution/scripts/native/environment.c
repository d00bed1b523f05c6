#define _GNU_SOURCE
#include <string.h>

#include "client.h"

char *variable_of(char **environment, const char *name) {
  size_t length = strlen(name);
  for (; *environment; environment++)
    if (!strncmp(*environment, name, length) && (*environment)[length] == '=') return *environment + length + 1;
  return NULL;
}

struct buffer variable(const char *name, const char *value) {
  struct buffer text = {0};
  buffer_text(&text, name);
  buffer_text(&text, "=");
  buffer_append(&text, value, strlen(value) + 1);
  return text;
}

static bool same_name(const char *one, const char *other) {
  size_t length = strcspn(one, "=");
  return !strncmp(one, other, length) && other[length] == '=';
}

char **environment_with(char **environment, const char *less, const struct buffer *set, size_t count) {
  size_t all = 0, kept = 0;
  while (environment[all]) all++;
  char **copy = take(all + count + 1, sizeof *copy);
  for (size_t i = 0; i < all; i++)
    if (!less || strncmp(environment[i], less, strlen(less))) copy[kept++] = environment[i];
  for (size_t i = 0; i < count; i++) {
    char *one = (char *)set[i].bytes;
    size_t at = 0;
    while (at < kept && !same_name(copy[at], one)) at++;
    copy[at] = one;
    if (at == kept) kept++;
  }
  return copy;
}
