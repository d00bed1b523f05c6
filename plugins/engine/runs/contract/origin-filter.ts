/** Types of events, names of handlers and schedules, ids: all that an index of words can hold. */
const WORD = /^[A-Za-z0-9._-]{1,64}$/;

/** A value that an index of words can hold; null for any other. */
export const toWord = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null);

/** A filter by what started runs: a type, a handler or schedule, an event, or the run that spawned them. */
export type OriginFilter = { type: string } | { name: string } | { event: string } | { parent: string };

const EXPECTED =
  'must be the type of an event, `manual` or `spawn`, or `handler:<name>`, `schedule:<name>`, `event:<id>` or `run:<id>`';

/** Parses `push`, `handler:report`, `event:evt_…` or `run:run_…`. Answers what is wrong with any other text. */
export function parseOrigin(text: string): OriginFilter | { problem: string } {
  const colon = text.indexOf(':');
  const value = toWord(text.slice(colon + 1));
  if (value === null) return { problem: EXPECTED };
  switch (colon < 0 ? '' : text.slice(0, colon)) {
    case '':
      return { type: value };
    case 'handler':
    case 'schedule':
      return { name: text };
    case 'event':
      return { event: value };
    case 'run':
      return { parent: value };
    default:
      return { problem: EXPECTED };
  }
}
