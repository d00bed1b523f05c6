import type { Workload } from './script.ts';

/** A durable call of the function under attack. */
export interface PlannedCall {
  kind: 'step' | 'sleep' | 'signal' | 'event' | 'lock' | 'emit' | 'flaky' | 'call' | 'race';
  /** Of the step, signal, event or side effect. */
  name: string;
  /** In the payload of a signal or event. */
  n: number;
}

export interface CrashInput {
  /** The calls of a group are made at the same time. */
  groups: PlannedCall[][];
  /** The file that side effects are noted in. */
  ledger: string;
}

const KINDS = ['step', 'step', 'step', 'sleep', 'signal', 'event', 'lock', 'emit', 'flaky', 'call'] as const;
/** What the SDK of Python does not have. */
const JAVASCRIPT_KINDS = [...KINDS, 'race'] as const;
const MAX_GROUP = 4;
/** Between the numbers of two runs. */
const RUN_NUMBERS = 10_000;

/**
 * A random program of about `steps` durable calls for the function `crash` of `programs/crashing.ts`. Names carry the
 * number of the run, so that many of them share a worker, a ledger and a lock.
 */
export function functionWorkload(
  steps: number,
  ledger: string,
  { run, language, random }: { run: number; language: 'typescript' | 'python'; random: () => number },
): Workload {
  const planner = new Planner(run);
  const kinds = language === 'python' ? KINDS : JAVASCRIPT_KINDS;
  while (planner.sites.length < steps) planner.add(kinds[Math.floor(random() * kinds.length)]!, random);
  const { groups, sites, effects, ticks } = planner;
  const input: CrashInput = { groups, ledger };
  return { submission: { function: 'crash', input }, sites, effects, ticks, ledger };
}

class Planner {
  readonly groups: PlannedCall[][] = [];
  readonly sites: string[] = [];
  readonly effects: string[] = [];
  readonly ticks: number[] = [];
  readonly #run: number;
  readonly #made = new Map<string, number>();
  #index = 0;

  constructor(run: number) {
    this.#run = run;
  }

  add(kind: PlannedCall['kind'], random: () => number): void {
    const size = kind === 'step' ? 1 + Math.floor(random() * MAX_GROUP) : 1;
    this.groups.push(Array.from({ length: size }, () => this.#plan(kind)));
  }

  #plan(kind: PlannedCall['kind']): PlannedCall {
    const index = this.#index;
    this.#index += 1;
    const n = this.#run * RUN_NUMBERS + index;
    const name = `${kind === 'event' ? 'crash.event' : kind}-${n}`;
    if (kind === 'sleep') this.#site('sleep');
    else if (kind === 'emit') this.#site('crash.tick');
    else if (kind === 'call') this.#site('function crash-note');
    else if (kind === 'race') for (const one of ['left', 'right', 'won']) this.#site(`${one}-${n}`);
    else if (kind !== 'lock') this.#site(name);
    else {
      // The lock and its function are two records of one site.
      const site = this.#site('guarded');
      this.sites.push(site);
    }
    if (kind === 'emit') {
      this.ticks.push(n);
      this.effects.push(`tick-${n}`);
    }
    if (['step', 'flaky', 'lock', 'call'].includes(kind)) this.effects.push(name);
    return { kind, name, n };
  }

  #site(name: string): string {
    const ordinal = this.#made.get(name) ?? 0;
    this.#made.set(name, ordinal + 1);
    const site = `${name}#${ordinal}`;
    this.sites.push(site);
    return site;
  }
}
