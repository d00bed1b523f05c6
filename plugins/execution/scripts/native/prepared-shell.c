/*
 * Called once, by a bash that was started before its script is known (`../warm/`): waits for the folder and the
 * environment of a pass and takes them over. Bash then opens its script as if it had just been started. Until the last
 * byte written here nothing of the script has run: whatever goes wrong ends the process, and the agent starts another.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bash.h"
#include "buffer.h"
#include "pass.h"
#include "spawner.h"

#define READY 'r'
#define TAKEN 't'
/* More than any agent sends. */
#define MOST (1u << 20)

static int take_pass(WORD_LIST *words);

static char *const long_doc[] = {"Waits for the pass of a script.", NULL};
__attribute__((visibility("default"))) struct builtin svc_pass_struct = {"svc_pass", take_pass, BUILTIN_ENABLED, long_doc, "svc_pass", 0};

static void say(char word) {
  while (write(GIVEN_DESCRIPTOR, &word, 1) != 1)
    if (errno != EINTR) _exit(1);
}

/* Exactly so many bytes. Without a pass this process ends: the agent has no use for it. */
static void read_whole(void *bytes, size_t length) {
  for (size_t at = 0; at < length;) {
    ssize_t got = read(GIVEN_DESCRIPTOR, (char *)bytes + at, length - at);
    if (got == 0) _exit(0);
    if (got < 0 && errno != EINTR) _exit(1);
    if (got > 0) at += (size_t)got;
  }
}

/* A builtin of bash, as the startup file would call it: its own way in stays the same from version to version. */
static void builtin(char *name, char *first, char **rest, size_t count) {
  struct builtin *found = builtin_address_internal(name, 1);
  WORD_DESC *texts = take(count + 1, sizeof *texts);
  WORD_LIST *words = take(count + 1, sizeof *words);
  for (size_t i = 0; i <= count; i++) {
    texts[i].word = i ? rest[i - 1] : first;
    words[i] = (WORD_LIST){i < count ? &words[i + 1] : NULL, &texts[i]};
  }
  if (!found || !found->function || found->function(words)) _exit(1);
  free(words);
  free(texts);
}

/* PWD says what a bash would find that starts here now: the folder may be another than that of the preparation. */
static void enter(const char *cwd) {
  const char *known = get_string_value("PWD");
  char *here = chdir(cwd) ? NULL : getcwd(NULL, 0);
  if (!known || !here || strcmp(known, here)) _exit(1);
  free(here);
}

static int take_pass(WORD_LIST *words) {
  (void)words;
  struct pass pass;
  unsigned char head[4];
  say(READY);
  read_whole(head, sizeof head);
  size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
  if (length > MOST) _exit(1);
  char *text = take(length + 1, 1);
  read_whole(text, length);
  if (pass_read(&pass, text, length)) _exit(1);
  enter(pass.cwd);
  if (pass.unset_count) builtin("unset", "-v", pass.unset, pass.unset_count);
  if (pass.set_count) builtin("export", "--", pass.set, pass.set_count);
  pass_free(&pass);
  free(text);
  say(TAKEN);
  close(GIVEN_DESCRIPTOR);
  return 0;
}
