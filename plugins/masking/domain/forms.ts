import { MIN_MASKED_LENGTH } from '../contract.ts';
import { htmlForms } from './html-forms.ts';
import { shellForms } from './shell-forms.ts';

/** Column at which `base64` and PEM break lines. */
const WRAPS = [76, 64];

/** The values themselves: whole, trimmed and line by line. */
export function plainForms(value: string): string[] {
  const lines = value.split(/\r\n|\n|\r/).map((line) => line.trim());
  return long([value, value.trim(), ...lines]);
}

/** Common encodings of a value. Most encodings of a plain token equal the token; the set removes these duplicates. */
export function derivedForms(value: string): string[] {
  const json = [...new Set(jsonForms(value))];
  return long([
    ...json,
    // JSON in JSON, and base64 of JSON.
    ...json.map((form) => JSON.stringify(form).slice(1, -1)),
    ...json.flatMap(base64Forms),
    ...urlForms(value),
    ...htmlForms(value),
    ...shellForms(value),
    ...hexForms(value),
    ...base64Forms(value),
  ]);
}

const long = (forms: string[]): string[] => forms.filter((form) => Buffer.byteLength(form) >= MIN_MASKED_LENGTH);

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escaped as in JavaScript, Python, Go and PHP, without quotes. */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const ascii = plain.replaceAll(/[\u0080-\uffff]/g, escaped);
  const html = plain.replaceAll(/[<>&\u2028\u2029]/g, escaped);
  const forms = [plain, ascii, html, plain.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')];
  return [
    ...forms,
    ...forms.map((form) => form.replaceAll(/\\u[0-9a-f]{4}/g, (unit) => `\\u${unit.slice(2).toUpperCase()}`)),
  ];
}

/** Characters besides letters and digits that an encoder leaves unchanged. */
const UNRESERVED = [
  // encodeURIComponent; RFC 3986; HTML forms; Python's quote; encodeURI.
  "-_.!~*'()",
  '-_.~',
  '-_.*',
  '-_.~/',
  "-_.!~*'();,/?:@&=+$#",
];

function urlForms(value: string): string[] {
  const bytes = Buffer.from(value);
  return UNRESERVED.flatMap((kept) => {
    const upper = percent(bytes, kept);
    const lower = upper.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
    return [upper, lower].flatMap((form) => [form, form.replaceAll('%20', '+')]);
  });
}

function percent(bytes: Buffer, kept: string): string {
  let text = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    text +=
      /[A-Za-z0-9]/.test(char) || kept.includes(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function hexForms(value: string): string[] {
  const hex = Buffer.from(value).toString('hex');
  return [hex, hex.toUpperCase()];
}

/**
 * The base64 characters that depend only on the value, for each of its three possible alignments; and the encoding of
 * the value alone, with its padding and in wrapped lines, which may begin behind other text. What stands in lines of an
 * encoder from their beginning, a stream finds across them.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value);
  const alone = bytes.toString('base64');
  const forms = [alone, alone.replace(/=+$/, '')];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    forms.push(text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)));
  }
  const safe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  const wrapped = WRAPS.filter((column) => alone.length > column).flatMap((column) =>
    [alone, forms[2]!].flatMap((form) =>
      ['\n', '\r\n'].map((end) => form.replaceAll(new RegExp(`.{${column}}(?=.)`, 'g'), `$&${end}`)),
    ),
  );
  return [...forms, ...safe, ...wrapped];
}
