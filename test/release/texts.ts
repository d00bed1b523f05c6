const VERSION = /^(\d+)\.(\d+)\.(\d+)$/;

const numbersOf = (version: string): number[] => {
  const [, ...numbers] = VERSION.exec(version) ?? [];
  if (numbers.length === 0) throw new Error(`"${version}" is no version; write it as 1.2.3`);
  return numbers.map(Number);
};

/** Throws unless `next` is a version that comes after `current`. */
export function checkIsNewer(next: string, current: string): void {
  const [before, after] = [numbersOf(current), numbersOf(next)];
  const at = after.findIndex((number, index) => number !== before[index]);
  if (at === -1 || after[at]! < before[at]!) throw new Error(`${next} does not come after ${current}`);
}

const UNRELEASED = '## Unreleased\n';

/** The text of CHANGELOG.md in which what was unreleased belongs to a version. Throws if nothing was. */
export function releasedChangelog(text: string, version: string, date: string): string {
  const at = text.indexOf(UNRELEASED);
  if (at === -1) throw new Error('CHANGELOG.md has no "## Unreleased"');
  const from = at + UNRELEASED.length;
  const next = text.indexOf('\n## ', from);
  if (text.slice(from, next === -1 ? undefined : next).trim() === '')
    throw new Error('CHANGELOG.md says nothing under "## Unreleased"');
  return `${text.slice(0, from)}\n## ${version} (${date})\n${text.slice(from)}`;
}

/** What CHANGELOG.md says about a version. */
export function notesOf(text: string, version: string): string {
  const [, after] = text.split(new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b.*\n`, 'm'));
  if (after === undefined) throw new Error(`CHANGELOG.md has no "## ${version}"`);
  return after.split(/^## /m)[0]!.trim();
}
