/** Lines shown for a call that may be in several places. */
const SHOWN = 3;
const MAX_TEXT_LENGTH = 120;
/** A source is searched by line only up to this size. */
const MAX_LINES = 50_000;

interface Line {
  number: number;
  text: string;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The text as a whole word, not as part of a longer name. */
const word = (text: string): RegExp => new RegExp(`(?<![\\w-])${escaped(text)}(?![\\w-])`);

/** The verb as shells and SDKs write it: `wait-signal`, `wait_signal`, `waitSignal`. */
const verbWord = (kind: string): RegExp =>
  new RegExp(`(?<![\\w-])${kind.split('-').map(escaped).join('[-_]?')}(?![\\w-])`, 'i');

/**
 * Lines of a source that may contain a call: lines with its verb and its name; for a computed name, lines with its verb
 * after `svc`. Empty when there is none.
 */
export function linesOf(source: string, call: { kind: string; name: string }): Line[] {
  const lines = source
    .split('\n', MAX_LINES)
    .map((text, i): Line => ({ number: i + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !/^(#|\/\/)/.test(text));
  // `lock-step` is the command of a `lock`, and is in the same line.
  const verb = verbWord(call.kind === 'lock-step' ? 'lock' : call.kind);
  const calls = lines.filter(({ text }) => verb.test(text));
  const words = call.name.split(/[ /]/).filter((part) => part !== '');
  const named = calls.filter(({ text }) => words.every((part) => word(part).test(text)));
  return named.length > 0 ? named : calls.filter(({ text }) => /(?<![\w-])svc\b/.test(text));
}

/** `line 12: svc step check -- make check`, or with several `lines 3, 9 or 12`; undefined without any. */
export function place(source: string, call: { kind: string; name: string }): string | undefined {
  const found = linesOf(source, call);
  const [first] = found;
  if (!first) return undefined;
  if (found.length === 1) return `line ${first.number}: ${shortened(first.text)}`;
  const numbers = found.slice(0, SHOWN).map(({ number }) => number);
  const more = found.length > SHOWN ? ` or ${found.length - SHOWN} more` : '';
  return `one of the lines ${numbers.join(', ')}${more}`;
}

const shortened = (text: string): string => {
  const points = [...text];
  return points.length > MAX_TEXT_LENGTH ? `${points.slice(0, MAX_TEXT_LENGTH - 1).join('')}…` : text;
};
