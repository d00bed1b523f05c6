#ifndef SVC_JSON_H
#define SVC_JSON_H

#include "buffer.h"

/* Appends the bytes as UTF-8. Each maximal invalid part becomes one U+FFFD, as in browsers and Node. */
void utf8_clean(struct buffer *out, const char *bytes, size_t length);
/* Appends a JSON string of valid UTF-8. */
void json_append(struct buffer *out, const char *bytes, size_t length);

/* A position in a JSON text. Every reader answers -1 when the text does not match. */
struct json {
  const unsigned char *at;
  const unsigned char *end;
};

/* The next character that is not white space, or -1 at the end. */
int json_peek(struct json *json);
/* Skips the next character if it is `c`. */
int json_take(struct json *json, int c);
/* Skips `true`, `false` or `null`. */
int json_word(struct json *json, const char *word);
/* Appends the decoded string; a lone surrogate becomes U+FFFD. */
int json_string(struct json *json, struct buffer *out);
/* A whole number within 15 digits. */
int json_integer(struct json *json, long long *out);
/* Skips any value. */
int json_skip(struct json *json);

#endif
