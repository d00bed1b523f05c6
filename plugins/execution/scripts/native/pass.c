#define _GNU_SOURCE
#include "pass.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"

/* The variable that has bash load what prepares it. The script sees none of it, prepared or not. */
#define HOOK "BASH_ENV="

struct variables {
  char **items;
  size_t count;
};

/* Its length with the `=`; 0 where there is none. */
static size_t name_length(const char *variable) {
  const char *equals = strchr(variable, '=');
  return equals && equals != variable ? (size_t)(equals - variable) + 1 : 0;
}

static bool sound(struct variables variables) {
  for (size_t i = 0; i < variables.count; i++)
    if (!name_length(variables.items[i])) return false;
  return true;
}

/* True when one of them begins with these bytes. */
static bool any(struct variables variables, const char *start, size_t length) {
  for (size_t i = 0; i < variables.count; i++)
    if (!strncmp(variables.items[i], start, length)) return true;
  return false;
}

static bool is_hook(const char *variable) {
  return !strncmp(variable, HOOK, strlen(HOOK));
}

static void compare(struct pass *pass, struct variables given, struct variables wanted) {
  pass->set = take(wanted.count + 1, sizeof *pass->set);
  pass->unset = take(given.count + 1, sizeof *pass->unset);
  for (size_t i = 0; i < wanted.count; i++) {
    char *variable = wanted.items[i];
    if (!is_hook(variable) && !any(given, variable, strlen(variable) + 1)) pass->set[pass->set_count++] = variable;
  }
  for (size_t i = 0; i < given.count; i++) {
    char *variable = given.items[i];
    if (!is_hook(variable) && !any(wanted, variable, name_length(variable))) pass->unset[pass->unset_count++] = variable;
  }
  for (size_t i = 0; i < pass->unset_count; i++) pass->unset[i][name_length(pass->unset[i]) - 1] = 0;
}

static struct variables split(char *text, size_t length) {
  size_t count = 1;
  for (size_t i = 0; i < length; i++) count += !text[i];
  struct variables texts = {take(count, sizeof *texts.items), 0};
  for (char *at = text; at <= text + length; at += strlen(at) + 1) texts.items[texts.count++] = at;
  return texts;
}

int pass_read(struct pass *pass, char *text, size_t length) {
  struct variables all = split(text, length);
  *pass = (struct pass){.cwd = text};
  char *end = text;
  size_t count = all.count > 1 ? strtoul(all.items[1], &end, 10) : 0;
  int failed = all.count < 2 || *end || end == all.items[1] || count > all.count - 2;
  if (!failed) {
    struct variables given = {all.items + 2, count}, wanted = {all.items + 2 + count, all.count - 2 - count};
    failed = !sound(given) || !sound(wanted);
    if (!failed) compare(pass, given, wanted);
  }
  free(all.items);
  return failed ? -1 : 0;
}

void pass_free(struct pass *pass) {
  free(pass->set);
  free(pass->unset);
  *pass = (struct pass){0};
}
