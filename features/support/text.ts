import assert from 'node:assert/strict';

/** A value as a step writes it: texts as they are, everything else as JSON. Nothing is shown by what is not there. */
export function asText(found: unknown): string {
  assert.ok(found !== undefined, 'it is not there');
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** A pattern that the empty text fits would hold for anything. */
function patternOf(source: string, flags = ''): RegExp {
  const pattern = new RegExp(source, flags);
  assert.doesNotMatch('', pattern, 'the pattern of the step fits everything');
  return pattern;
}

/** An empty cell is no reason at all, everything else a part of it. */
export function assertReason(found = '', wanted = ''): void {
  if (wanted === '') assert.equal(found, '');
  else assert.match(found, patternOf(wanted));
}

export function assertMatches(found: unknown, source: string, flags = ''): void {
  assert.ok(found !== null, 'it is null');
  assert.match(asText(found), patternOf(source, flags));
}
