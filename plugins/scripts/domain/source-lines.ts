/** Lines that are shown of a call that may stand in several. */
const SHOWN = 3;
const LONGEST_TEXT = 120;
/** A source is looked through line by line only up to here. */
const MOST_LINES = 50_000;

interface Line {
  number: number;
  text: string;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** The text as a word of its own: not a part of a longer name. */
const word = (text: string): RegExp => new RegExp(`(?<![\\w-])${escaped(text)}(?![\\w-])`);

/** The verb as the shell and the SDKs write it: `wait-signal`, `wait_signal`, `waitSignal`. */
const verbWord = (kind: string): RegExp =>
  new RegExp(`(?<![\\w-])${kind.split('-').map(escaped).join('[-_]?')}(?![\\w-])`, 'i');

/**
 * Where in a source a call stands, as far as its text tells: lines that hold its verb and its name; for a name that is
 * made up elsewhere, lines that hold its verb after `svc`. Empty when none does.
 */
export function linesOf(source: string, call: { kind: string; name: string }): Line[] {
  const lines = source
    .split('\n', MOST_LINES)
    .map((text, i): Line => ({ number: i + 1, text: text.trim() }))
    .filter(({ text }) => text !== '' && !/^(#|\/\/)/.test(text));
  // `lock-step` is the command of a `lock`, and stands in its line.
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
  return points.length > LONGEST_TEXT ? `${points.slice(0, LONGEST_TEXT - 1).join('')}…` : text;
};
