import {
  Errors,
  type Database,
  type Ids,
  type SealContext,
  type Sealer,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { ProjectScope } from '../../../platform/resources/contract.ts';
import type { HookSpec } from '../contract.ts';
import { tokenDigest, TOKEN_BYTES } from '../domain/shared-token.ts';
import { NO_OLD_SECRET } from '../domain/old-secret.ts';
import { hookOwnership } from '../domain/names.ts';
import { type HookRow, hooks } from '../store/hooks.ts';

export interface WriteDeps {
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
export const keySealContext = ({
  org_id,
  project_id,
  hook_id,
}: Pick<HookRow, 'org_id' | 'project_id' | 'hook_id'>): SealContext => ({
  org_id,
  project_id,
  table: 'hooks_hooks',
  kind: 'hook',
  name: hook_id,
  field: 'signing_key',
});

export interface DesiredHook extends ProjectScope {
  name: string;
  owner: string;
  spec: HookSpec;
}

/**
 * Creates or changes a hook. Its id stays the same, and so does a shared token while the hook uses one. Throws
 * `hook_owned`, `hooks_full`.
 */
export async function writeHook(tx: Transaction, deps: WriteDeps, desired: DesiredHook): Promise<WrittenHook> {
  const written = draftHook(deps, desired, await hooks.lock(tx, desired, desired.name));
  if (!written.made) await hooks.replace(tx, written.row);
  else if (!(await hooks.insert(tx, written.row))) {
    const first = await hooks.lock(tx, desired, desired.name);
    if (first === undefined) throw Errors.unavailable('the hook was removed at the same time', { retryAfterMs: 100 });
    const changed = draftHook(deps, desired, first);
    await hooks.replace(tx, changed.row);
    return changed;
  }
  return written;
}

const openKey = (sealer: Sealer, row: HookRow): string | undefined =>
  row.signing_key === null ? undefined : sealer.open(keySealContext(row), row.signing_key).toString();

const pickOldSecret = ({ old_digest, old_key, old_until, old_used_at }: HookRow) => ({
  old_digest,
  old_key,
  old_until,
  old_used_at,
});

function draftHook(
  { database, ids, sealer }: WriteDeps,
  desired: DesiredHook,
  present: HookRow | undefined,
): WrittenHook {
  const { org_id, project_id, name, owner, spec } = desired;
  hookOwnership.assertSame(present, owner);
  const now = database.now();
  const hook_id = present?.hook_id ?? ids.next('hook');
  const keeps_token = spec.mode === 'token' && present?.mode === 'token';
  // Setting a hook to the same secret again leaves an overlap in place.
  const same =
    keeps_token || (spec.mode !== 'token' && present?.mode === spec.mode && openKey(sealer, present) === spec.key);
  const secret = spec.mode === 'token' && !keeps_token ? ids.bytes(TOKEN_BYTES).toString('base64url') : undefined;
  const row: HookRow = {
    org_id,
    project_id,
    name,
    hook_id,
    mode: spec.mode,
    event_type: spec.event_type,
    manifest: spec.mode === 'manifest' ? spec.manifest : null,
    hmac: spec.mode === 'hmac' ? JSON.stringify(spec.hmac) : null,
    token_digest: keeps_token ? present.token_digest : secret === undefined ? null : tokenDigest(secret),
    signing_key:
      spec.mode === 'token'
        ? null
        : sealer.seal(keySealContext({ org_id, project_id, hook_id }), Buffer.from(spec.key)),
    owner,
    set_at: now,
    secret_at: same ? present!.secret_at : now,
    ...(same ? pickOldSecret(present!) : NO_OLD_SECRET),
  };
  return { row, made: present === undefined, secret };
}
