import {
  Errors,
  type Database,
  type Ids,
  type SealedPlace,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import type { HookSpec } from '../contract.ts';
import { digestOf, TOKEN_BYTES } from '../domain/shared-token.ts';
import { HookErrors } from '../errors.ts';
import { countHooks, type HookRow, insertHook, lockHook, updateHook } from '../store/hook-table.ts';

/** More would be a mistake of a program. */
export const MOST_HOOKS = 1000;

export interface WriteParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
}

export interface WrittenHook {
  row: HookRow;
  made: boolean;
  /** A shared token that was made just now; kept nowhere. */
  secret?: string;
}

/** A key that is moved to another hook does not open there. */
export const keyPlace = ({
  org_id,
  project_id,
  hook_id,
}: Pick<HookRow, 'org_id' | 'project_id' | 'hook_id'>): SealedPlace => ({
  org_id,
  project_id,
  table: 'hooks_hooks',
  kind: 'hook',
  name: hook_id,
  field: 'signing_key',
});

export interface WantedHook extends ProjectScope {
  name: string;
  owner: string;
  spec: HookSpec;
}

/**
 * Makes a hook, or changes what it is: its id stays, and so does a shared token while the hook has one. Throws
 * `hook_owned`, `hooks_full`.
 */
export async function writeHook(tx: Transaction, parts: WriteParts, wanted: WantedHook): Promise<WrittenHook> {
  const { row, made, secret } = draft(parts, wanted, await lockHook(tx, wanted, wanted.name));
  if (!made) await updateHook(tx, row);
  else if (await insertHook(tx, row)) await refuseTooMany(tx, wanted);
  else {
    const first = await lockHook(tx, wanted, wanted.name);
    if (first === undefined) throw Errors.unavailable('the hook was removed just now', { retryAfterMs: 100 });
    const changed = draft(parts, wanted, first);
    await updateHook(tx, changed.row);
    return changed;
  }
  return { row, made, ...(secret === undefined ? {} : { secret }) };
}

function draft({ database, ids, sealer }: WriteParts, wanted: WantedHook, present: HookRow | undefined): WrittenHook {
  const { org_id, project_id, name, owner, spec } = wanted;
  if (present !== undefined && present.owner !== owner)
    throw HookErrors.hookOwned(
      `the hook ${name} ${present.owner === '' ? 'was made by hand' : `belongs to ${present.owner}`}`,
    );
  const now = database.now();
  const hook_id = present?.hook_id ?? ids.next('hook');
  const keeps = spec.mode === 'token' && present?.mode === 'token';
  const secret = spec.mode === 'token' && !keeps ? ids.bytes(TOKEN_BYTES).toString('base64url') : undefined;
  const row: HookRow = {
    org_id,
    project_id,
    name,
    hook_id,
    mode: spec.mode,
    event_type: spec.event_type,
    manifest: spec.mode === 'manifest' ? spec.manifest : null,
    hmac: spec.mode === 'hmac' ? JSON.stringify(spec.hmac) : null,
    token_digest: keeps ? present.token_digest : secret === undefined ? null : digestOf(secret),
    signing_key:
      spec.mode === 'token' ? null : sealer.seal(keyPlace({ org_id, project_id, hook_id }), Buffer.from(spec.key)),
    owner,
    set_at: now,
    secret_at: keeps ? present.secret_at : now,
  };
  return { row, made: present === undefined, ...(secret === undefined ? {} : { secret }) };
}

async function refuseTooMany(tx: Transaction, scope: ProjectScope): Promise<void> {
  if ((await countHooks(tx, scope)) > MOST_HOOKS)
    throw HookErrors.hooksFull(`a project has at most ${MOST_HOOKS} hooks`);
}
