import { MIN_MASKED_BYTES } from '../contract.ts';
import { htmlForms } from './html-forms.ts';
import { programForms } from './program-forms.ts';
import { shellForms } from './shell-forms.ts';

/** The columns at which `base64` and PEM break lines. */
const WRAPS = [76, 64];

/** Returns the value itself: as it is, trimmed, and line by line. */
export function literalForms(value: string): string[] {
  const lines = value.split(/\r\n|\n|\r/).map((line) => line.trim());
  return maskableForms([value, value.trim(), ...lines]);
}

/**
 * Yields common encodings of a value. Most encodings of a simple token equal the token; the caller removes duplicates. They are
 * made as they are taken, because those of a large value have many megabytes.
 */
export function* derivedForms(value: string): Generator<string, void> {
  yield* maskableForms(hexForms(value));
  yield* maskableForms(base64Forms(value));
  const json = new Set(jsonForms(value));
  yield* maskableForms(json);
  // Values also occur as JSON within JSON, and as base64 of JSON.
  for (const form of json) yield* maskableForms([JSON.stringify(form).slice(1, -1), ...base64Forms(form)]);
  yield* maskableForms(urlForms(value));
  yield* maskableForms(htmlForms(value));
  yield* maskableForms(shellForms(value));
  // Logs that are JSON contain errors.
  for (const form of new Set(programForms(value))) yield* maskableForms([form, ...jsonTexts(form)]);
}

const maskableForms = (forms: Iterable<string>): string[] =>
  [...forms].filter((form) => Buffer.byteLength(form) >= MIN_MASKED_BYTES);

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns JSON escapes as written by JavaScript and Python, without quotes. */
function jsonTexts(value: string): [json: string, ascii: string] {
  const json = JSON.stringify(value).slice(1, -1);
  return [json, json.replaceAll(/[\u0080-\uffff]/g, escaped)];
}

/** Returns JSON escapes as written by JavaScript, Python, Go and PHP, without quotes. */
function jsonForms(value: string): string[] {
  const [json, ascii] = jsonTexts(value);
  const html = json.replaceAll(/[<>&\u2028\u2029]/g, escaped);
  const forms = [json, ascii, html, json.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')];
  return [
    ...forms,
    ...forms.map((form) => form.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)),
  ];
}

/** The characters besides letters and digits that each encoder leaves unchanged. */
const UNRESERVED = [
  // In this order: encodeURIComponent, RFC 3986, HTML forms, Python's quote, encodeURI.
  "-_.!~*'()",
  '-_.~',
  '-_.*',
  '-_.~/',
  "-_.!~*'();,/?:@&=+$#",
];

function urlForms(value: string): string[] {
  const bytes = Buffer.from(value);
  return UNRESERVED.flatMap((unescaped) => {
    const upper = percent(bytes, unescaped);
    const lower = upper.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
    return [upper, lower].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  });
}

function percent(bytes: Buffer, unescaped: string): string {
  let text = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    text +=
      /[A-Za-z0-9]/.test(char) || unescaped.includes(char)
        ? char
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function hexForms(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}

/**
 * Returns the base64 characters that depend only on the value, for each of its three possible alignments, and the encoding of the
 * value alone, with padding and wrapped into lines that may begin after other text. Values in complete lines of an encoder are
 * found by `WrappedScanner`.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const encoded = bytes.toString('base64');
  const forms = [encoded, encoded.replace(/=+$/, '')];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    forms.push(text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)));
  }
  const safe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const wrapped = WRAPS.filter((column) => encoded.length > column).flatMap((column) =>
    [encoded, forms[2]!].flatMap((form) =>
      ['\n', '\r\n'].map((end) => form.replaceAll(new RegExp(`.{${column}}(?=.)`, 'g'), `$&${end}`)),
    ),
  );
  return [...forms, ...safe, ...wrapped];
}
