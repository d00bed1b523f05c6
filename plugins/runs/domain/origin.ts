import type { Trigger } from '../contract.ts';

/** Types of events, names of handlers and schedules, ids: all that an index of words can hold. */
const WORD = /^[A-Za-z0-9._-]{1,64}$/;

const word = (value: unknown): string | null => (typeof value === 'string' && WORD.test(value) ? value : null);

/** The kinds of resources that start runs under their name. */
const STARTERS = ['handler', 'schedule'] as const;

/** What started a run, as it can be found by. */
export interface Origin {
  type: string | null;
  /** `handler:<name>` or `schedule:<name>`. */
  name: string | null;
  event: string | null;
}

export function originOf(trigger: Trigger): Origin {
  const starter = STARTERS.find((kind) => word(trigger[kind]) !== null);
  return {
    type: word(trigger.type),
    name: starter === undefined ? null : `${starter}:${word(trigger[starter])}`,
    event: word(trigger.event),
  };
}

/** A filter by what started runs: a type, a handler or schedule, or the run that spawned them. */
export type OriginFilter = { type: string } | { name: string } | { event: string } | { parent: string };

const EXPECTED =
  'must be the type of an event, `manual` or `spawn`, or `handler:<name>`, `schedule:<name>`, `event:<id>` or `run:<id>`';

/** Reads `push`, `handler:report`, `event:evt_…` or `run:run_…`; a text that is none of them gives what is wrong. */
export function readOrigin(text: string): OriginFilter | { fault: string } {
  const colon = text.indexOf(':');
  const value = word(text.slice(colon + 1));
  if (value === null) return { fault: EXPECTED };
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
      return { fault: EXPECTED };
  }
}
