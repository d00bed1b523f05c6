import {
  Errors,
  type Database,
  type Ids,
  type SealedPlace,
  type Sealer,
  type Transaction,
} from '../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../resources/contract.ts';
import type { HookSpec } from '../contract.ts';
import { digestOf, TOKEN_BYTES } from '../domain/shared-token.ts';
import { NO_OLD_SECRET } from '../domain/old-secret.ts';
import { HookErrors } from '../errors.ts';
import { type HookRow, hooks } from '../store/hooks.ts';

export interface WriteParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
}

export interface WrittenHook {
  row: HookRow;
  made: boolean;
  /** A shared token that was just created; stored nowhere. */
  secret?: string;
}

/** A key that is moved to another hook does not open. */
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
 * Creates a hook, or changes it: its id stays, and so does a shared token while the hook uses one. Throws `hook_owned`,
 * `hooks_full`.
 */
export async function writeHook(tx: Transaction, parts: WriteParts, wanted: WantedHook): Promise<WrittenHook> {
  const written = draft(parts, wanted, await hooks.lock(tx, wanted, wanted.name));
  if (!written.made) await hooks.replace(tx, written.row);
  else if (!(await hooks.insert(tx, written.row))) {
    const first = await hooks.lock(tx, wanted, wanted.name);
    if (first === undefined) throw Errors.unavailable('the hook was removed at the same time', { retryAfterMs: 100 });
    const changed = draft(parts, wanted, first);
    await hooks.replace(tx, changed.row);
    return changed;
  }
  return written;
}

const opened = (sealer: Sealer, row: HookRow): string | undefined =>
  row.signing_key === null ? undefined : sealer.open(keyPlace(row), row.signing_key).toString();

const oldOf = ({ old_digest, old_key, old_until, old_used_at }: HookRow) => ({
  old_digest,
  old_key,
  old_until,
  old_used_at,
});

function draft({ database, ids, sealer }: WriteParts, wanted: WantedHook, present: HookRow | undefined): WrittenHook {
  const { org_id, project_id, name, owner, spec } = wanted;
  if (present !== undefined && present.owner !== owner)
    throw HookErrors.hookOwned(
      `the hook ${name} ${present.owner === '' ? 'was created by a user' : `belongs to ${present.owner}`}`,
    );
  const now = database.now();
  const hook_id = present?.hook_id ?? ids.next('hook');
  const keeps = spec.mode === 'token' && present?.mode === 'token';
  // What is set again as it is leaves an overlap in place.
  const same = keeps || (spec.mode !== 'token' && present?.mode === spec.mode && opened(sealer, present) === spec.key);
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
    secret_at: same ? present!.secret_at : now,
    ...(same ? oldOf(present!) : NO_OLD_SECRET),
  };
  return { row, made: present === undefined, secret };
}
