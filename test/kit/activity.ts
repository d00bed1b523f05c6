import { type ErrorDefinition, ServiceError } from '../../kernel/contracts/index.ts';
import type { ActivityHost } from '../../plugins/execution/agents/contract.ts';
import { createMaskers } from '../../plugins/security/masking/service/maskers.ts';
import type {
  ArmWait,
  Attempted,
  FailedAttempt,
  JournaledCall,
  JournalRecord,
  Json,
  Tried,
} from '../../plugins/engine/runs/contract.ts';

/** Not in the catalogue of errors: plugins declare these codes themselves. */
const refusalOf = (definition: ErrorDefinition) => (detail: string) => new ServiceError(definition, detail);

const leaseLost = refusalOf({ code: 'lease_lost', status: 409, title: 'The claim is gone.', next: 'Stop.' });
const refused = refusalOf({ code: 'refused_in_test', status: 403, title: 'No.', next: 'Ask for something else.' });
const down = refusalOf({
  code: 'unavailable',
  status: 503,
  title: 'The service cannot do this right now.',
  next: 'Wait.',
});
/** Refusals that tests switch on. */
export const Refusals = { leaseLost, refused, down };

/** One activity and the engine around it, held in arrays that outlive passes. */
export class Activity implements ActivityHost {
  agent: ActivityHost['agent'] = { id: '', name: '', pid: 0, workdir: '', runtime_dir: '', isolate_all: false };
  masker: ActivityHost['masker'] = createMaskers().masker([]);
  readonly journal: JournalRecord[] = [];
  readonly signals: { name: string; payload: Json }[] = [];
  readonly cells = new Map<string, string>();
  readonly notes: string[] = [];
  readonly attempts: FailedAttempt[] = [];
  /** For the next pass. */
  tried: Tried | undefined;
  /** The pause for which it is parked between two attempts. */
  paused_ms: number | undefined;
  logs: { stream: string; text: string }[] = [];
  passes = 0;
  /** The wait this activity is parked on. */
  armed: ArmWait | undefined;
  /** Thrown by the next appends, performs and parks. */
  refusal: Error | undefined;
  /** The refusal of a perform or a park. */
  denies: (call: { kind: string; name: string }) => Error | undefined = () => undefined;
  /** Called with each record before it is stored. */
  onAppend: (record: JournalRecord) => void | Promise<void> = () => undefined;
  #changed: (() => void)[] = [];

  async append(record: JournalRecord): Promise<void> {
    await this.onAppend(record);
    this.#keep(record);
  }

  async perform(call: JournaledCall): Promise<JournalRecord> {
    const denied = this.denies(call);
    if (denied) throw denied;
    const { op, entity = '', key, value } = call.args as Record<string, string>;
    const cell = `${entity}/${key}`;
    if (op === 'set') this.cells.set(cell, value!);
    if (op === 'delete') this.cells.delete(cell);
    const found = this.cells.get(cell);
    const output =
      op === 'get' && found !== undefined
        ? `${found}\n`
        : op === 'list'
          ? `${[...this.cells.keys()].join('\n')}\n`
          : '';
    const missing = op === 'get' && found === undefined;
    const { args: _, ...site } = call;
    const record = {
      ...site,
      exit_code: missing ? 1 : 0,
      output: base64(output),
      ...(missing ? { message: `no state ${key}` } : {}),
    };
    this.#keep(record);
    return record;
  }

  async park(wait: ArmWait): Promise<{ parked: true } | { record: JournalRecord }> {
    const fault = this.refusal ?? this.denies(wait);
    if (fault) throw fault;
    const at = this.signals.findIndex((signal) => wait.kind === 'wait-signal' && signal.name === wait.name);
    if (at < 0) {
      this.armed = wait;
      return { parked: true };
    }
    const [signal] = this.signals.splice(at, 1);
    return { record: this.#resolve(wait, 0, `${JSON.stringify(signal!.payload)}\n`) };
  }

  async attempt(failed: FailedAttempt): Promise<Attempted> {
    if (this.refusal) throw this.refusal;
    const { position, kind, name, ordinal, attempt, pause_ms } = failed;
    this.attempts.push(failed);
    this.tried = { position, kind, name, ordinal, attempts: attempt, pause_ms: 0 };
    for (const changed of this.#changed.splice(0)) changed();
    if (!failed.park) return { kept: true };
    this.paused_ms = pause_ms;
    return { parked: true };
  }

  /** Ends the wait on which the activity is parked. */
  wake(exit_code = 0, output = ''): void {
    if (this.armed === undefined) throw new Error('the activity is not parked');
    this.#resolve(this.armed, exit_code, output);
    this.armed = undefined;
  }

  async annotate(nth: number, text: string): Promise<void> {
    if (this.refusal) throw this.refusal;
    this.notes[nth] = text;
  }

  log(stream: 'stdout' | 'stderr' | 'system', data: Buffer): void {
    this.logs.push({ stream, text: data.toString() });
    for (const changed of this.#changed.splice(0)) changed();
  }

  text(stream: 'stdout' | 'stderr' = 'stdout'): string {
    return this.logs.flatMap((chunk) => (chunk.stream === stream ? [chunk.text] : [])).join('');
  }

  /** Resolves when `test` accepts the log or the journal. */
  async until(test: () => boolean): Promise<void> {
    while (!test()) await new Promise<void>((changed) => void this.#changed.push(changed));
  }

  sites(): string[] {
    return this.journal.map((record) => `${record.kind} ${record.name}#${record.ordinal}=${record.exit_code}`);
  }

  output(position: number): string {
    return Buffer.from(this.journal[position]!.output, 'base64').toString();
  }

  #resolve(wait: ArmWait, exit_code: number, output: string): JournalRecord {
    const { args: _args, timeout_ms: _timeout, ...site } = wait;
    const record = { ...site, exit_code, output: base64(output) };
    this.#keep(record);
    return record;
  }

  #keep(record: JournalRecord): void {
    if (this.refusal) throw this.refusal;
    if (record.position !== this.journal.length) throw new Error(`position ${record.position} is not the next one`);
    this.journal.push(record);
    for (const changed of this.#changed.splice(0)) changed();
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
