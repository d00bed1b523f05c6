#include "json.h"

#include <string.h>

#define DEPTH_LIMIT 128

/* Length of the character at `s`; for an invalid one, of its longest prefix that could begin a character. */
static size_t utf8_part(const unsigned char *s, size_t n, int *valid) {
  unsigned char first = s[0], low = 0x80, high = 0xbf;
  size_t rest;
  *valid = first < 0x80;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) rest = 1;
  else if (first >= 0xe0 && first <= 0xef) rest = 2;
  else if (first >= 0xf0 && first <= 0xf4) rest = 3;
  else return 1;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  for (size_t i = 1; i <= rest; i++) {
    if (i >= n || s[i] < low || s[i] > high) return i;
    low = 0x80;
    high = 0xbf;
  }
  *valid = 1;
  return rest + 1;
}

void utf8_clean(struct buffer *out, const char *bytes, size_t length) {
  const unsigned char *at = (const unsigned char *)bytes;
  while (length) {
    int valid;
    size_t part = utf8_part(at, length, &valid);
    if (valid) buffer_append(out, at, part);
    else buffer_append(out, "\xef\xbf\xbd", 3);
    at += part;
    length -= part;
  }
}

void json_append(struct buffer *out, const char *bytes, size_t length) {
  static const char hex[] = "0123456789abcdef";
  struct buffer clean = {0};
  utf8_clean(&clean, bytes, length);
  buffer_append(out, "\"", 1);
  for (size_t i = 0; i < clean.length; i++) {
    unsigned char c = clean.bytes[i];
    if (c == '"' || c == '\\') {
      char pair[2] = {'\\', (char)c};
      buffer_append(out, pair, 2);
    } else if (c < 0x20) {
      char escape[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
      buffer_append(out, escape, 6);
    } else {
      buffer_append(out, &c, 1);
    }
  }
  buffer_append(out, "\"", 1);
  buffer_free(&clean);
}

int json_peek(struct json *json) {
  while (json->at < json->end && (*json->at == ' ' || *json->at == '\t' || *json->at == '\r' || *json->at == '\n'))
    json->at++;
  return json->at < json->end ? *json->at : -1;
}

int json_take(struct json *json, int c) {
  if (json_peek(json) != c) return -1;
  json->at++;
  return 0;
}

int json_word(struct json *json, const char *word) {
  size_t length = strlen(word);
  if (json_peek(json) != word[0]) return -1;
  if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length)) return -1;
  json->at += length;
  return 0;
}

static int four_digits(struct json *json, unsigned *out) {
  if (json->end - json->at < 4) return -1;
  *out = 0;
  for (int i = 0; i < 4; i++) {
    unsigned char c = *json->at++;
    if (c >= '0' && c <= '9') *out = *out * 16 + (c - '0');
    else if (c >= 'a' && c <= 'f') *out = *out * 16 + (c - 'a' + 10);
    else if (c >= 'A' && c <= 'F') *out = *out * 16 + (c - 'A' + 10);
    else return -1;
  }
  return 0;
}

static void append_point(struct buffer *out, unsigned point) {
  unsigned char bytes[4];
  size_t length = 0;
  if (point < 0x80) {
    bytes[length++] = (unsigned char)point;
  } else if (point < 0x800) {
    bytes[length++] = (unsigned char)(0xc0 | point >> 6);
    bytes[length++] = (unsigned char)(0x80 | (point & 63));
  } else if (point < 0x10000) {
    bytes[length++] = (unsigned char)(0xe0 | point >> 12);
    bytes[length++] = (unsigned char)(0x80 | (point >> 6 & 63));
    bytes[length++] = (unsigned char)(0x80 | (point & 63));
  } else {
    bytes[length++] = (unsigned char)(0xf0 | point >> 18);
    bytes[length++] = (unsigned char)(0x80 | (point >> 12 & 63));
    bytes[length++] = (unsigned char)(0x80 | (point >> 6 & 63));
    bytes[length++] = (unsigned char)(0x80 | (point & 63));
  }
  buffer_append(out, bytes, length);
}

static int unicode_escape(struct json *json, struct buffer *out) {
  unsigned point, second;
  if (four_digits(json, &point)) return -1;
  if (point >= 0xd800 && point < 0xdc00 && json->end - json->at >= 6 && json->at[0] == '\\' && json->at[1] == 'u') {
    struct json ahead = {json->at + 2, json->end};
    if (four_digits(&ahead, &second)) return -1;
    if (second >= 0xdc00 && second < 0xe000) {
      point = 0x10000 + ((point - 0xd800) << 10) + (second - 0xdc00);
      json->at = ahead.at;
    }
  }
  append_point(out, point >= 0xd800 && point < 0xe000 ? 0xfffd : point);
  return 0;
}

static int escape(struct json *json, struct buffer *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (json->at >= json->end) return -1;
  unsigned char c = *json->at++;
  if (c == 'u') return unicode_escape(json, out);
  const char *found = c ? strchr(from, c) : NULL;
  if (!found) return -1;
  buffer_append(out, &to[found - from], 1);
  return 0;
}

int json_string(struct json *json, struct buffer *out) {
  if (json_take(json, '"')) return -1;
  for (;;) {
    const unsigned char *start = json->at;
    while (json->at < json->end && *json->at >= 0x20 && *json->at != '"' && *json->at != '\\') json->at++;
    buffer_append(out, start, (size_t)(json->at - start));
    if (json->at >= json->end) return -1;
    unsigned char c = *json->at++;
    if (c == '"') return 0;
    if (c != '\\' || escape(json, out)) return -1;
  }
}

static const unsigned char *digits(const unsigned char *at, const unsigned char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

/* Skips a number; `whole` says whether it has neither fraction nor exponent. */
static int json_number(struct json *json, int *whole) {
  json_peek(json);
  const unsigned char *at = json->at, *after;
  *whole = 1;
  if (at < json->end && *at == '-') at++;
  after = digits(at, json->end);
  if (after == at || (*at == '0' && after - at > 1)) return -1;
  at = after;
  if (at < json->end && *at == '.') {
    *whole = 0;
    after = digits(at + 1, json->end);
    if (after == at + 1) return -1;
    at = after;
  }
  if (at < json->end && (*at == 'e' || *at == 'E')) {
    *whole = 0;
    at++;
    if (at < json->end && (*at == '+' || *at == '-')) at++;
    after = digits(at, json->end);
    if (after == at) return -1;
    at = after;
  }
  json->at = at;
  return 0;
}

int json_integer(struct json *json, long long *out) {
  int whole;
  json_peek(json);
  const unsigned char *at = json->at;
  if (json_number(json, &whole) || !whole || json->at - at > 16) return -1;
  int negative = *at == '-';
  *out = 0;
  for (at += negative; at < json->at; at++) *out = *out * 10 + (*at - '0');
  if (negative) *out = -*out;
  return 0;
}

static int skip_scalar(struct json *json) {
  struct buffer ignored = {0};
  int whole, failed;
  switch (json_peek(json)) {
    case '"':
      failed = json_string(json, &ignored);
      buffer_free(&ignored);
      return failed;
    case 't': return json_word(json, "true");
    case 'f': return json_word(json, "false");
    case 'n': return json_word(json, "null");
    default: return json_number(json, &whole);
  }
}

static int skip_value(struct json *json, int depth);

static int skip_inside(struct json *json, int depth, int close) {
  if (depth > DEPTH_LIMIT) return -1;
  json->at++;
  if (!json_take(json, close)) return 0;
  for (;;) {
    if (close == '}' && (json_peek(json) != '"' || skip_scalar(json) || json_take(json, ':'))) return -1;
    if (skip_value(json, depth)) return -1;
    if (!json_take(json, close)) return 0;
    if (json_take(json, ',')) return -1;
  }
}

static int skip_value(struct json *json, int depth) {
  int c = json_peek(json);
  if (c == '{') return skip_inside(json, depth + 1, '}');
  if (c == '[') return skip_inside(json, depth + 1, ']');
  return skip_scalar(json);
}

int json_skip(struct json *json) {
  return skip_value(json, 0);
}
