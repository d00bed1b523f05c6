#ifndef SVC_BASH_H
#define SVC_BASH_H

#include <signal.h>

/*
 * The part of bash's loadable-builtin interface that is used here, for bash 4 and later. Its headers are rarely
 * installed. These structures have not changed since bash 2, and every symbol is checked when the builtin is loaded.
 */
typedef struct word_desc {
  char *word;
  int flags;
} WORD_DESC;

typedef struct word_list {
  struct word_list *next;
  WORD_DESC *word;
} WORD_LIST;

typedef int sh_builtin_func_t(WORD_LIST *);

struct builtin {
  char *name;
  sh_builtin_func_t *function;
  int flags;
  char *const *long_doc;
  const char *short_doc;
  char *handle;
};

#define BUILTIN_ENABLED 0x01

#define SUBSHELL_ASYNC 0x01
#define SUBSHELL_FORK 0x08

extern char **export_env;
extern int subshell_environment;
extern int variable_context;
extern int parse_and_execute_level;
extern volatile sig_atomic_t terminating_signal;
extern int pending_traps[];

int signal_is_ignored(int number);
int signal_is_trapped(int number);
void maybe_make_export_env(void);
char *get_string_value(const char *name);
void internal_error(const char *format, ...);
struct builtin *builtin_address_internal(char *name, int disabled_okay);

#endif
