import { type Database, Errors, type Sealer, type Transaction } from '../../../kernel/contracts/index.ts';
import type { ActivityContext, CallContext, JournaledVerb, Json, WaitOutcome } from '../contract.ts';
import { untrustedRunMayNotWriteState } from '../errors.ts';
import { insertCellVersion } from '../store/cell-versions.ts';
import { checkCellName, checkCellValue } from '../domain/cell-rules.ts';
import { type CellPlace, listCells, readCell, removeCell, writeCell } from '../store/cells.ts';

/** Keys that one `list` prints; more are refused, because a journal record has a limit. */
const LIST_KEYS = 10_000;

type Op = 'get' | 'set' | 'delete' | 'list';

interface StateCall {
  op: Op;
  place: CellPlace;
  key: string;
  value: string;
}

/**
 * `svc state get|set|delete|list`: args `{op, entity?, key?, value?}`. Without an entity the cells belong to the run,
 * with one to the project. The change and its record are one transaction.
 */
export function stateVerb(database: Pick<Database, 'now'>, sealer: Sealer): JournaledVerb {
  return {
    kind: 'state',
    async perform(tx, context, args) {
      const call = parse(context, args);
      if (call.op === 'get') return get(tx, sealer, call);
      if (call.op === 'list') return list(tx, call);
      if (call.place.run_id === '' && !context.trusted)
        throw untrustedRunMayNotWriteState(`an untrusted run may not ${call.op} ${call.place.entity}/${call.key}`);
      if (call.place.run_id !== '') await noteVersion(tx, sealer, context, call);
      if (call.op === 'delete') return remove(tx, call);
      const by = { trusted: context.trusted, written_by: context.activity_id, at: database.now() };
      await writeCell(tx, sealer, call.place, call.key, call.value, by);
      return done();
    },
  };
}

function parse(context: ActivityContext, args: Json): StateCall {
  const given = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { op, entity, key, value } = given;
  if (op !== 'get' && op !== 'set' && op !== 'delete' && op !== 'list')
    throw Errors.invalidRequest('state takes get, set, delete or list');
  const place: CellPlace = {
    org_id: context.org_id,
    project_id: context.project_id,
    run_id: entity === undefined || entity === null ? context.run_id : '',
    entity: entity === undefined || entity === null ? '' : checkCellName('/entity', text('entity', entity)),
  };
  if (op === 'list') return { op, place, key: '', value: '' };
  const name = checkCellName('/key', text('key', key));
  return { op, place, key: name, value: op === 'set' ? checkCellValue(text('value', value)) : '' };
}

function text(member: string, value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw Errors.invalidRequest(`state needs a ${member}, as text`);
}

const done = (output = ''): WaitOutcome => ({ exit_code: 0, output: Buffer.from(output) });
const absent = ({ place, key }: StateCall): WaitOutcome => ({
  exit_code: 1,
  output: Buffer.alloc(0),
  message: `no state ${place.entity === '' ? key : `${place.entity}/${key}`}`,
});

async function get(tx: Transaction, sealer: Sealer, call: StateCall): Promise<WaitOutcome> {
  const cell = await readCell(tx, sealer, call.place, call.key);
  return cell ? done(`${cell.value}\n`) : absent(call);
}

/** A rerun from a site begins with the cells as they were there. */
function noteVersion(tx: Transaction, sealer: Sealer, context: CallContext, call: StateCall): Promise<void> {
  return insertCellVersion(tx, sealer, context, call.key, call.op === 'delete' ? undefined : call.value);
}

/** Deleting a missing key succeeds, so that a script may clean up under `bash -eu`. */
async function remove(tx: Transaction, call: StateCall): Promise<WaitOutcome> {
  await removeCell(tx, call.place, call.key);
  return done();
}

async function list(tx: Transaction, call: StateCall): Promise<WaitOutcome> {
  const cells = await listCells(tx, call.place, undefined, LIST_KEYS + 1);
  if (cells.length > LIST_KEYS)
    throw Errors.payloadTooLarge(`there are more than ${LIST_KEYS} keys; page through them over HTTP instead`);
  return done(cells.map(({ key }) => `${key}\n`).join(''));
}
