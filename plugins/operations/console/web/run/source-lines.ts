/** A place in a source, from 1. */
interface Called {
  kind: string;
  name: string;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * The line of a source on which a call stands, by its verb and its name; undefined where it is computed, or stands in
 * another file.
 */
export function lineOf(source: string, { kind, name }: Called): number | undefined {
  if (name === '') return undefined;
  const lines = source.split('\n');
  const named = new RegExp(`(?<![\\w-])${escaped(name)}(?![\\w-])`);
  const verb = new RegExp(`\\bsvc\\b.*\\b${escaped(kind)}\\b`);
  const both = lines.findIndex((line) => named.test(line) && verb.test(line));
  const at = both >= 0 ? both : lines.findIndex((line) => named.test(line));
  return at < 0 ? undefined : at + 1;
}
