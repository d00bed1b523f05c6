import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { isNode } from './keys.ts';
import { type AnyStep, OPEN } from './steps.ts';

/** `ask:price` among what the first of several may be; the names may have spaces. */
const IN_ANY = /(?:^| )ask:(.*?)(?=$| (?:signal|event|ask):)/g;

interface Wait {
  kind: string;
  name: string;
  /** Lists of runs and calls leave it out: then the names are read from `name`. */
  any?: readonly { kind: string; name: string }[];
}

/** The names of the asks that end a wait. */
export function asksThatEnd({ kind, name, any }: Wait): string[] {
  if (kind === 'ask') return [name];
  if (any) return any.flatMap((one) => (one.kind === 'ask' ? [one.name] : []));
  return kind === 'any' ? [...name.matchAll(IN_ANY)].map(([, one = '']) => one) : [];
}

const VERBS: Readonly<Record<string, string>> = { 'wait-ask': 'ask', 'wait-any': 'any' };

/** The names under which an open run waits to be asked: itself, or one of its nodes or calls. */
export function awaitedAsks(run: Pick<RunRecord, 'status' | 'substate'>, steps: readonly AnyStep[]): string[] {
  if (!OPEN.includes(run.status)) return [];
  const waits = steps.flatMap((step) => {
    if (isNode(step)) return step.substate ? [step.substate] : [];
    const kind = VERBS[step.kind];
    return kind === undefined || step.status === 'recorded' ? [] : [{ kind, name: step.name ?? '' }];
  });
  const all = [...(run.substate ? [run.substate] : []), ...waits].flatMap(asksThatEnd);
  return [...new Set(all)];
}
