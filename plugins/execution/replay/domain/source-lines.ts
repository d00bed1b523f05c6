/** Maximum lines shown for a call that may be in several places. */
const MAX_SHOWN = 3;
const MAX_TEXT_LENGTH = 120;
/** Maximum lines of a source that are searched. */
const MAX_LINES = 50_000;

interface Line {
  number: number;
  text: string;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Matches the text as a whole word, not as part of a longer name. */
const word = (text: string): RegExp => new RegExp(`(?<![\\w-])${escaped(text)}(?![\\w-])`);

/** Matches the verb as shells and SDKs write it: `wait-signal`, `wait_signal` or `waitSignal`. */
const verbWord = (kind: string): RegExp =>
  new RegExp(`(?<![\\w-])${kind.split('-').map(escaped).join('[-_]?')}(?![\\w-])`, 'i');

/**
 * Returns the lines of a source that may contain a call: lines with its verb and its name or, for a computed name,
 * lines with its verb after `svc`.
 */
export function findLines(source: string, call: { kind: string; name: string }): Line[] {
  const lines = source
    .split('\n', MAX_LINES)
    .map((text, i): Line => ({ number: i + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !/^(#|\/\/)/.test(text));
  // `lock-step` is the command of a `lock`, which stands in the same line.
  const verb = verbWord(call.kind === 'lock-step' ? 'lock' : call.kind);
  const calls = lines.filter(({ text }) => verb.test(text));
  const words = call.name.split(/[ /]/).filter((text) => text !== '');
  const named = calls.filter(({ text }) => words.every((fragment) => word(fragment).test(text)));
  return named.length > 0 ? named : calls.filter(({ text }) => /(?<![\w-])svc\b/.test(text));
}

/** Returns `line 12: svc step check -- make check`, `one of the lines 3, 9, 12` if there are several, or undefined. */
export function describeLocation(source: string, call: { kind: string; name: string }): string | undefined {
  const lines = findLines(source, call);
  const [first] = lines;
  if (!first) return undefined;
  if (lines.length === 1) return `line ${first.number}: ${shortened(first.text)}`;
  const numbers = lines.slice(0, MAX_SHOWN).map(({ number }) => number);
  const more = lines.length > MAX_SHOWN ? ` or ${lines.length - MAX_SHOWN} more` : '';
  return `one of the lines ${numbers.join(', ')}${more}`;
}

const shortened = (text: string): string => {
  const points = [...text];
  return points.length > MAX_TEXT_LENGTH ? `${points.slice(0, MAX_TEXT_LENGTH - 1).join('')}…` : text;
};
