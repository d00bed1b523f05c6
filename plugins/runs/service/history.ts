import { decodeCursor, encodeCursor } from '../../../kernel/contracts/index.ts';
import type { Masker, RunMasks } from '../../masking/contract.ts';
import type { JournalRecord, WorkflowKind } from '../contract.ts';
import { runNotReplayable } from '../errors.ts';
import type { RunHistory } from '../generated/run-history.ts';
import { wholeEnvelope } from '../store/envelope.ts';
import { readArmedCall, readGiven } from '../store/history.ts';
import { readRecords } from '../store/journal.ts';
import type { Reader, StoreParts } from '../store/parts.ts';
import { readOwnActivities } from '../store/rerun-copy.ts';
import { fitting } from '../domain/pages.ts';
import { readStepSizes } from '../store/steps.ts';
import { runId } from './run-views.ts';

export interface HistoryParts extends Pick<StoreParts, 'envelope_sources' | 'sealer'> {
  on: Reader;
  masks: Pick<RunMasks, 'of'>;
  kinds: () => readonly Pick<WorkflowKind, 'kind' | 'replays'>[];
}

interface Page {
  limit: number;
  cursor: string | undefined;
}

export interface Histories {
  /** What a replay of the run reads, page by page. Throws `not_found`, `run_not_replayable`, `envelope_gone`. */
  read(scope: { org_id: string; project_id: string }, run_id: string, page: Page): Promise<RunHistory>;
}

export const createHistories = (parts: HistoryParts): Histories => ({
  async read({ org_id, project_id }, id, { limit, cursor }) {
    const run_id = runId(id);
    const [last = -1] = decodeCursor(cursor, 'number') ?? [];
    const { on, sealer } = parts;
    const { kind, filename, interpreter, env, credentials, envelope } = await readGiven(
      on,
      sealer,
      { org_id, project_id },
      run_id,
    );
    if (!parts.kinds().some((one) => one.replays && one.kind === kind))
      throw runNotReplayable(`run ${run_id} is a ${kind}: only scripts have a history that a program reads again`);
    const [activity_id = ''] = await readOwnActivities(on, run_id);
    const at = { org_id, project_id, run_id, activity_id };
    const { count, cut } = fitting(await readStepSizes(on, run_id, { activity_id, position: last }, limit + 1), limit);
    const waiting = await readArmedCall(on, run_id, activity_id);
    const found = await readRecords(on, sealer, at, last + 1, last + count);
    const masker = await parts.masks.of({ org_id, project_id, run_id });
    const records = await Promise.all(found.map(({ record }) => masked(record, masker)));
    return {
      run_id,
      activity_id,
      filename: filename ?? undefined,
      interpreter: interpreter ?? undefined,
      env: masker.json(env),
      credentials,
      envelope: masker.json(
        await wholeEnvelope(parts, { envelope, org_id, project_id, run_id }),
      ) as RunHistory['envelope'],
      records,
      waiting: cut ? undefined : waiting,
      next_cursor: cut && records.length > 0 ? encodeCursor(last + records.length) : undefined,
    };
  },
});

async function masked(record: JournalRecord, masker: Masker): Promise<JournalRecord> {
  if (masker.idle) return record;
  const { name, label, output, message } = record;
  return {
    ...record,
    name: masker.text(name),
    label: label && masker.text(label),
    output: (await masker.whole(Buffer.from(output, 'base64'))).toString('base64'),
    message: message && masker.text(message),
  };
}
