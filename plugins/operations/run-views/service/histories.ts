import { decodeCursor, encodeCursor } from '../../../../kernel/contracts/index.ts';
import { checkRunId, type JournalRecord, type RunReader, type WorkflowKind } from '../../../engine/runs/contract.ts';
import type { Masker, RunMasks } from '../../../security/masking/contract.ts';
import { runNotReplayable } from '../errors.ts';
import type { RunHistory } from '../generated/run-history.ts';

interface Page {
  limit: number;
  cursor: string | undefined;
}

/** Returns the variables of the project and its org that a run sees. */
type VarsOf = (run: {
  org_id: string;
  project_id: string;
  run_id: string;
}) => Promise<Readonly<Record<string, string>>>;

/** What replays of runs read. */
export class Histories {
  readonly #reader: RunReader;
  readonly #masks: Pick<RunMasks, 'of'>;
  readonly #kinds: () => readonly Pick<WorkflowKind, 'kind' | 'replays'>[];
  readonly #varsOf: VarsOf;

  constructor(
    reader: RunReader,
    masks: Pick<RunMasks, 'of'>,
    kinds: () => readonly Pick<WorkflowKind, 'kind' | 'replays'>[],
    varsOf: VarsOf,
  ) {
    this.#reader = reader;
    this.#masks = masks;
    this.#kinds = kinds;
    this.#varsOf = varsOf;
  }

  /** A page. Throws `not_found`, `run_not_replayable` and `envelope_gone`. */
  async read(
    { org_id, project_id }: { org_id: string; project_id: string },
    id: string,
    { limit, cursor }: Page,
  ): Promise<RunHistory> {
    const run = { org_id, project_id, run_id: checkRunId(id) };
    const { run_id } = run;
    const [last = -1] = decodeCursor(cursor, 'number') ?? [];
    const { kind, filename, interpreter, env, credentials } = await this.#reader.program(run);
    if (!this.#kinds().some((known) => known.replays && known.kind === kind))
      throw runNotReplayable(`run ${run_id} is a ${kind}: only scripts have a history that can be replayed`);
    const [activity_id = ''] = await this.#reader.rootActivities(run_id);
    // Read before the journal, so that a wait which ends in between is among the records and not missing from both.
    const waiting = await this.#reader.waitingCall(run_id, activity_id);
    const { records, truncated } = await this.#reader.journal({ ...run, activity_id }, last + 1, limit);
    const isRecorded = waiting !== undefined && waiting.position <= last + records.length;
    const input = await this.#reader.input(run);
    const masker = await this.#masks.of(run);
    return {
      run_id,
      activity_id,
      filename: filename ?? undefined,
      interpreter: interpreter ?? undefined,
      env: masker.json(env),
      vars: masker.json(await this.#varsOf(run)),
      credentials,
      envelope: masker.json(input) as RunHistory['envelope'],
      records: await Promise.all(records.map((record) => maskRecord(record, masker))),
      waiting: truncated || isRecorded ? undefined : waiting,
      next_cursor: truncated && records.length > 0 ? encodeCursor(last + records.length) : undefined,
    };
  }
}

async function maskRecord(record: JournalRecord, masker: Masker): Promise<JournalRecord> {
  if (masker.idle) return record;
  const { name, label, output, message } = record;
  return {
    ...record,
    name: masker.text(name),
    label: label && masker.text(label),
    output: (await masker.maskLarge(Buffer.from(output, 'base64'))).toString('base64'),
    message: message && masker.text(message),
  };
}
