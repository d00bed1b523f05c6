import { type Database, Errors, type Sealer, type Transaction } from '../../../../kernel/contracts/index.ts';
import type { ActivityContext, CallContext, JournaledVerb, Json, WaitOutcome } from '../../../engine/runs/contract.ts';
import { checkName, checkValue } from '../domain/entry-rules.ts';
import { untrustedRunMayNotWriteState } from '../errors.ts';
import { listEntries, readEntry, removeEntry, type StateOwner, writeEntry } from '../store/entries.ts';
import { insertVersion } from '../store/versions.ts';

/** Keys that one `list` prints. More are refused, because a journal record has a limit. */
const MAX_LISTED_KEYS = 10_000;

type Op = 'get' | 'set' | 'delete' | 'list';

interface StateCall {
  op: Op;
  owner: StateOwner;
  key: string;
  value: string;
}

/**
 * `svc state get|set|delete|list`, with the arguments `{op, entity?, key?, value?}`. Without an entity the entries belong to
 * the run, with one to the project. The change and its record are one transaction.
 */
export function stateVerb(database: Pick<Database, 'now'>, sealer: Sealer): JournaledVerb {
  return {
    kind: 'state',
    async perform(tx, context, args) {
      const call = parseCall(context, args);
      if (call.op === 'get') return get(tx, sealer, call);
      if (call.op === 'list') return list(tx, call);
      if (call.owner.run_id === '' && !context.trusted)
        throw untrustedRunMayNotWriteState(`an untrusted run cannot ${call.op} ${call.owner.entity}/${call.key}`);
      if (call.owner.run_id !== '') await recordVersion(tx, sealer, context, call);
      if (call.op === 'delete') return remove(tx, call);
      const by = { trusted: context.trusted, written_by: context.activity_id, at: database.now() };
      await writeEntry(tx, sealer, call.owner, call.key, call.value, by);
      return success();
    },
  };
}

function parseCall(context: ActivityContext, args: Json): StateCall {
  const members = args !== null && typeof args === 'object' && !Array.isArray(args) ? args : {};
  const { op, entity, key, value } = members;
  if (op !== 'get' && op !== 'set' && op !== 'delete' && op !== 'list')
    throw Errors.invalidRequest('state accepts get, set, delete or list');
  const owner: StateOwner = {
    org_id: context.org_id,
    project_id: context.project_id,
    run_id: entity === undefined || entity === null ? context.run_id : '',
    entity: entity === undefined || entity === null ? '' : checkName('/entity', requireText('entity', entity)),
  };
  if (op === 'list') return { op, owner, key: '', value: '' };
  const name = checkName('/key', requireText('key', key));
  return { op, owner, key: name, value: op === 'set' ? checkValue(requireText('value', value)) : '' };
}

function requireText(member: string, value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw Errors.invalidRequest(`state needs a ${member}, as text`);
}

const success = (output = ''): WaitOutcome => ({ exit_code: 0, output: Buffer.from(output) });
const noEntry = ({ owner, key }: StateCall): WaitOutcome => ({
  exit_code: 1,
  output: Buffer.alloc(0),
  message: `no state ${owner.entity === '' ? key : `${owner.entity}/${key}`}`,
});

async function get(tx: Transaction, sealer: Sealer, call: StateCall): Promise<WaitOutcome> {
  const entry = await readEntry(tx, sealer, call.owner, call.key);
  return entry ? success(`${entry.value}\n`) : noEntry(call);
}

/** A rerun from a site begins with the entries as they were there. */
function recordVersion(tx: Transaction, sealer: Sealer, context: CallContext, call: StateCall): Promise<void> {
  return insertVersion(tx, sealer, context, call.key, call.op === 'delete' ? undefined : call.value);
}

/** Deleting an absent key succeeds, so that a script may clean up under `bash -eu`. */
async function remove(tx: Transaction, call: StateCall): Promise<WaitOutcome> {
  await removeEntry(tx, call.owner, call.key);
  return success();
}

async function list(tx: Transaction, call: StateCall): Promise<WaitOutcome> {
  const entries = await listEntries(tx, call.owner, undefined, MAX_LISTED_KEYS + 1);
  if (entries.length > MAX_LISTED_KEYS)
    throw Errors.payloadTooLarge(`there are more than ${MAX_LISTED_KEYS} keys; page through them over HTTP instead`);
  return success(entries.map(({ key }) => `${key}\n`).join(''));
}
