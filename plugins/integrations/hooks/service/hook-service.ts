import type { HttpAddress, Page, Transaction } from '../../../../kernel/contracts/index.ts';
import { overlapUntil } from '../../deliveries/contract.ts';
import {
  type AuditedWrites,
  type NamedRequest,
  notFound,
  type ProjectScope,
  type ResourceService,
} from '../../../platform/resources/contract.ts';
import { toOldSecret, NO_OLD_SECRET } from '../domain/old-secret.ts';
import { HOOK, hookOwnership, invalid } from '../domain/names.ts';
import { tokenDigest, TOKEN_BYTES } from '../domain/shared-token.ts';
import { checkKey, readSpec, type SpecDeps } from '../domain/spec.ts';
import type { Hook } from '../generated/hook.ts';
import type { PutHook } from '../generated/put-hook.ts';
import type { RotateHook } from '../generated/rotate-hook.ts';
import { type HookRow, hooks } from '../store/hooks.ts';
import { renderHook } from './render.ts';
import { signingSection } from './signing.ts';
import { keySealContext, type WriteDeps, writeHook } from './write-hook.ts';

export interface HookDeps extends WriteDeps, SpecDeps {
  writes: AuditedWrites;
  address: HttpAddress;
}

/** Sets, rotates, shows and removes hooks. */
export class HookService implements ResourceService<PutHook> {
  readonly #deps: HookDeps;

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  /** Throws `invalid_request`, `hook_owned`, `hooks_full`. */
  async set(call: NamedRequest, body: PutHook) {
    const { org_id, project_id } = call.scope;
    const { name } = call;
    const spec = readSpec(name, body, this.#deps);
    await this.#deps.sealer.prepare(org_id);
    const desired = { org_id, project_id, name, owner: '', spec };
    const { row, made, secret } = await this.#deps.writes.write(
      call,
      'hook.set',
      (tx) => writeHook(tx, this.#deps, desired),
      () => spec.mode,
    );
    return { made, view: this.#toView(row, secret) };
  }

  /**
   * Stores a new token, or the new key of the body. The previous secret stays valid for `overlap`, or ends at once.
   * With `end_overlap`, nothing is created and the previous secret ends. Throws `not_found`, `invalid_request`.
   */
  async rotate(call: NamedRequest, body: RotateHook): Promise<Hook> {
    await this.#deps.sealer.prepare(call.scope.org_id);
    const until = body.overlap === undefined ? undefined : overlapUntil(body.overlap, this.#deps.database.now());
    const conflicting = body.key !== undefined ? '/key' : body.overlap !== undefined ? '/overlap' : undefined;
    if (body.end_overlap && conflicting !== undefined) throw invalid(conflicting, 'cannot be set with end_overlap');
    const { row, secret } = await this.#deps.writes.write<{ row: HookRow; secret?: string }>(
      call,
      'hook.rotate',
      async (tx) => {
        const present = await hooks.lock(tx, call.scope, call.name);
        if (present === undefined) throw notFound(HOOK, call.name);
        const rotated = body.end_overlap
          ? { row: { ...present, ...NO_OLD_SECRET } }
          : this.#draftRotation(present, body.key, until);
        await hooks.replace(tx, rotated.row);
        return rotated;
      },
      ({ row }) =>
        `${row.mode}${body.end_overlap ? ' overlap ended' : row.old_until === null ? '' : ` overlap ${body.overlap}`}`,
    );
    return this.#toView(row, secret);
  }

  #draftRotation(
    present: HookRow,
    key: string | undefined,
    until: number | undefined,
  ): { row: HookRow; secret?: string } {
    const { database, sealer, ids, check, manifests } = this.#deps;
    const old = until === undefined ? NO_OLD_SECRET : toOldSecret(present, until);
    const row: HookRow = { ...present, ...old, secret_at: database.now() };
    if (present.mode === 'token') {
      if (key !== undefined) throw invalid('/key', 'cannot be set for a shared token, because the service creates it');
      const secret = ids.bytes(TOKEN_BYTES).toString('base64url');
      return { row: { ...row, token_digest: tokenDigest(secret) }, secret };
    }
    if (key === undefined) throw invalid('/key', 'is required: the new key that the sender signs with');
    checkKey(check, signingSection(manifests, present), key, '/key');
    return { row: { ...row, signing_key: sealer.seal(keySealContext(present), Buffer.from(key)) } };
  }

  /** Throws `not_found`. */
  find({ scope, name }: Pick<NamedRequest, 'scope' | 'name'>): Promise<HookRow> {
    return hooks.get(this.#deps.database, scope, name);
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedRequest): Promise<Hook> {
    return this.#toView(await hooks.get(this.#deps.database, scope, name));
  }

  list(scope: ProjectScope, page: Page) {
    return hooks.page(this.#deps.database, scope, page, (row) => this.#toView(row));
  }

  #toView(row: HookRow, secret?: string): Hook {
    return renderHook(this.#deps.address, row, this.#deps.database.now(), secret);
  }

  /** Throws `not_found`, `hook_owned`. */
  remove(call: NamedRequest): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const present = await hooks.lock(tx, scope, name);
      if (present === undefined) return undefined;
      hookOwnership.assertSame(present, null);
      await hooks.remove(tx, scope, name);
      return present;
    };
    return this.#deps.writes.remove(call, 'hook.delete', { ...HOOK, remove }, ({ mode }) => mode);
  }
}
