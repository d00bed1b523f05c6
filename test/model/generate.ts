import { randomFrom } from '../crash/chaos.ts';
import type { Op, Program } from './program.ts';

const OUTPUTS = [
  '',
  'x',
  'two\nlines\n',
  'no final newline',
  'ünï→code\n',
  ' spaces  kept ',
  '-n',
  '%s\\n',
  "quo'te",
  '0',
];
/** Of cells; an option would be taken for one. */
const VALUES = OUTPUTS.filter((text) => text !== '' && !text.startsWith('-'));
const NAMES = ['build', 'test', 'x.y', 'deploy'];
const KEYS = ['k1', 'k2', 'k3'];
const DEPTH = 2;

/** A random program; the same seed makes the same. Names of what must be unique carry the seed. */
export function generate(seed: number): Program {
  const maker = new Maker(seed);
  const ops = maker.ops(3 + maker.below(10), 0);
  // Whatever was submitted and not collected is waited for in half of the programs, and annotated in the others.
  if (maker.below(2) === 0) ops.push({ op: 'activity-wait-all' });
  return { seed, ops, signals: maker.signals, exit: maker.below(6) === 0 ? 1 + maker.below(3) : 0 };
}

class Maker {
  readonly signals: Program['signals'] = [];
  readonly #seed: number;
  readonly #random: () => number;
  #unique = 0;
  /** Children that were submitted in every way through the program so far, and not collected. */
  readonly #children: string[] = [];

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = randomFrom(seed);
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  ops(count: number, depth: number): Op[] {
    return Array.from({ length: count }, () => this.#op(depth));
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  #name(what: string): string {
    this.#unique += 1;
    return `${what}-${this.#seed}-${this.#unique}`;
  }

  #exit(): number {
    return this.below(4) === 0 ? this.#pick([1, 2, 7, 100]) : 0;
  }

  #op(depth: number): Op {
    const flat = [
      () => this.#step(),
      () => this.#step(),
      () => this.#step(),
      (): Op => ({ op: 'sleep', ms: 1 + this.below(20) }),
      (): Op => ({ op: 'state', verb: 'set', key: this.#pick(KEYS), value: this.#pick(VALUES) }),
      (): Op => ({ op: 'state', verb: this.#pick(['get', 'delete'] as const), key: this.#pick(KEYS) }),
      (): Op => ({ op: 'state-list' }),
      (): Op => ({ op: 'output', key: this.#pick(KEYS), value: this.#pick(OUTPUTS) }),
      (): Op => ({ op: 'refused', what: this.#pick(['document', 'file', 'payload'] as const) }),
      (): Op => ({ op: 'annotate', text: this.#name('note') }),
      (): Op => ({
        op: 'emit',
        type: this.#name('made'),
        payload: this.#pick([null, 1, { a: ['ü', { b: null }] }, 'text']),
      }),
      (): Op => ({
        op: 'lock-command',
        group: this.#pick(['g1', 'g2']),
        exit: this.#exit(),
        output: this.#pick(OUTPUTS),
      }),
    ];
    if (depth > 0) return this.#branching(flat, depth);
    // What happens once in a run may not stand in a loop or behind a condition.
    const once = [
      () => this.#signalled(),
      (): Op => ({ op: 'wait-signal-in-vain', name: this.#name('never') }),
      (): Op => ({ op: 'activity', name: this.#name('child'), exit: this.#exit(), output: this.#pick(OUTPUTS) }),
      () => this.#submitted(),
      () => this.#collected(),
      (): Op => ({ op: 'spawn', exit: this.#exit(), tag: this.#name('tag') }),
      (): Op => ({
        op: 'wait-event',
        type: this.#name('awaited'),
        payload: this.#pick([null, { n: this.#seed }, 'go']),
      }),
    ];
    return this.#branching([...flat, ...once], depth);
  }

  #branching(makers: readonly (() => Op)[], depth: number): Op {
    if (depth >= DEPTH || this.below(6) > 0) return this.#pick(makers)();
    if (this.below(2) === 0) return { op: 'loop', times: this.below(4), body: this.ops(1 + this.below(3), depth + 1) };
    return { op: 'branch', if_ok: this.ops(this.below(3), depth + 1), otherwise: this.ops(this.below(3), depth + 1) };
  }

  #step(): Op {
    const label = this.below(4) === 0 ? { label: 'shown' } : {};
    return { op: 'step', name: this.#pick(NAMES), exit: this.#exit(), output: this.#pick(OUTPUTS), ...label };
  }

  #signalled(): Op {
    const name = this.#pick(['go', 'more']);
    this.signals.push({ name, payload: this.#pick([null, 1.5, 'é', { list: [this.signals.length] }]) });
    return { op: 'wait-signal', name };
  }

  #submitted(): Op {
    const name = this.#name('child');
    this.#children.push(name);
    return { op: 'activity-submit', name, exit: this.#exit(), output: this.#pick(OUTPUTS) };
  }

  #collected(): Op {
    const name = this.#children.shift();
    return name === undefined ? this.#step() : { op: 'activity-collect', name };
  }
}
