import { type Op, type Program, REFUSED } from './program.ts';

/** A record as it must be found; a pattern stands for what carries an id. */
export interface Expected {
  kind: string;
  site: string;
  exit: number;
  stdout: string | RegExp;
}

/** Everything that a program must leave behind. */
export interface Outcome {
  status: 'succeeded' | 'failed';
  records: Expected[];
  output: Record<string, string>;
  notes: string[];
  cells: Record<string, string>;
  emitted: { type: string; payload: unknown }[];
  spawned: { tag: string; status: 'succeeded' | 'failed' }[];
  awaited: { type: string; payload: unknown }[];
}

const EVENT_ID = /^evt_[0-9A-Z]{26}\n$/;
const RUN_ID = /^run_[0-9A-Z]{26}\n$/;
const TIMED_OUT = 124;

/** What the program does, worked out without running it. */
export function expect(program: Program): Outcome {
  const model = new Model(program);
  model.run(program.ops);
  return model.outcome(program.exit);
}

class Model {
  readonly #records: Expected[] = [];
  readonly #ordinals = new Map<string, number>();
  readonly #cells = new Map<string, string>();
  readonly #output = new Map<string, string>();
  readonly #notes: string[] = [];
  readonly #signals: Program['signals'];
  readonly #children = new Map<string, { exit: number; output: string }>();
  readonly #emitted: Outcome['emitted'] = [];
  readonly #spawned: Outcome['spawned'] = [];
  readonly #awaited: Outcome['awaited'] = [];
  #rc = 0;

  constructor(program: Program) {
    this.#signals = [...program.signals];
  }

  run(ops: readonly Op[]): void {
    for (const op of ops) this.#do(op);
  }

  outcome(exit: number): Outcome {
    const ok = exit === 0;
    return {
      status: ok ? 'succeeded' : 'failed',
      records: this.#records,
      output: ok ? Object.fromEntries(this.#output) : {},
      notes: this.#notes,
      cells: Object.fromEntries(this.#cells),
      emitted: this.#emitted,
      spawned: this.#spawned,
      awaited: this.#awaited,
    };
  }

  #record(kind: string, name: string, exit = 0, stdout: string | RegExp = ''): void {
    const key = `${kind}\0${name}`;
    const ordinal = this.#ordinals.get(key) ?? 0;
    this.#ordinals.set(key, ordinal + 1);
    this.#records.push({ kind, site: `${name === '' ? kind : name}#${ordinal}`, exit, stdout });
    this.#rc = exit;
  }

  #do(op: Op): void {
    switch (op.op) {
      case 'loop':
        for (let turn = 0; turn < op.times; turn++) this.run(op.body);
        return;
      case 'branch':
        return this.run(this.#rc === 0 ? op.if_ok : op.otherwise);
      case 'step':
        return this.#record('step', op.name, op.exit, op.output);
      case 'sleep':
        return this.#record('sleep', '');
      case 'wait-signal':
        return this.#signal(op.name);
      case 'wait-signal-in-vain':
        return this.#record('wait-signal', op.name, TIMED_OUT);
      case 'state':
        return this.#state(op);
      case 'state-list':
        return this.#record(
          'state',
          'list',
          0,
          [...this.#cells.keys()]
            .sort()
            .map((key) => `${key}\n`)
            .join(''),
        );
      case 'output':
        this.#output.set(op.key, op.value);
        this.#rc = 0;
        return;
      case 'annotate':
        this.#notes.push(op.text);
        this.#rc = 0;
        return;
      default:
        return this.#beyond(op);
    }
  }

  /** Verbs that reach beyond the run's own records. */
  #beyond(op: Op): void {
    switch (op.op) {
      case 'lock':
        return this.#record('lock', op.group);
      case 'lock-command':
        this.#record('lock', op.group, 0, /^/);
        return this.#record('lock-step', op.group, op.exit, op.output);
      case 'activity':
        return this.#record('activity', op.name, op.exit, op.output);
      case 'activity-submit':
        this.#children.set(op.name, op);
        return this.#record('activity-submit', op.name);
      case 'activity-collect':
        return this.#collect(op.name);
      case 'activity-wait-all': {
        const failed = [...this.#children.values()].filter(({ exit }) => exit !== 0).length;
        this.#children.clear();
        return this.#record('activity-wait-all', '', 0, `${failed}\n`);
      }
      case 'spawn':
        this.#spawned.push({ tag: op.tag, status: op.exit === 0 ? 'succeeded' : 'failed' });
        return this.#record('spawn', '', 0, RUN_ID);
      case 'refused': {
        const { kind, name, exit } = REFUSED[op.what];
        return this.#record(kind, name, exit);
      }
      case 'emit':
        this.#emitted.push({ type: op.type, payload: op.payload });
        return this.#record('emit', op.type, 0, EVENT_ID);
      case 'wait-event':
        this.#awaited.push({ type: op.type, payload: op.payload });
        return this.#record('wait-event', op.type, 0, /^\{.*\}\n$/);
      default:
        throw new Error(`no model of ${op.op}`);
    }
  }

  #signal(name: string): void {
    const index = this.#signals.findIndex((sent) => sent.name === name);
    const [sent] = this.#signals.splice(index, 1);
    this.#record('wait-signal', name, 0, `${JSON.stringify(sent!.payload)}\n`);
  }

  #state({ verb, key, value }: Extract<Op, { op: 'state' }>): void {
    const held = this.#cells.get(key);
    const site = `${verb} ${key}`;
    if (verb === 'get')
      return this.#record('state', site, held === undefined ? 1 : 0, held === undefined ? '' : `${held}\n`);
    if (verb === 'set') this.#cells.set(key, value!);
    else this.#cells.delete(key);
    this.#record('state', site);
  }

  #collect(name: string): void {
    const { exit, output } = this.#children.get(name)!;
    this.#children.delete(name);
    this.#record('activity-collect', name, exit, output);
  }
}
