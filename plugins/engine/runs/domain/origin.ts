import type { Trigger } from '../contract.ts';
import { toWord } from '../contract/origin-filter.ts';

/** The kinds of resources that start runs under their name. */
const STARTERS = ['handler', 'schedule'] as const;

/** What started a run, in the form in which runs are found by it. */
export interface Origin {
  type: string | null;
  /** `handler:<name>` or `schedule:<name>`. */
  name: string | null;
  event: string | null;
}

export function originOf(trigger: Trigger): Origin {
  const starter = STARTERS.find((kind) => toWord(trigger[kind]) !== null);
  return {
    type: toWord(trigger.type),
    name: starter === undefined ? null : `${starter}:${toWord(trigger[starter])}`,
    event: toWord(trigger.event),
  };
}
