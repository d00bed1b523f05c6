import type { HttpAddress, Page, Transaction } from '../../../kernel/contracts/index.ts';
import { overlapUntil } from '../../deliveries/contract.ts';
import {
  type AuditedWrites,
  type NamedCall,
  notFound,
  type ProjectScope,
  type ResourceService,
} from '../../resources/contract.ts';
import { asOld, NO_OLD_SECRET } from '../domain/old-secret.ts';
import { HOOK, invalid } from '../domain/names.ts';
import { digestOf, TOKEN_BYTES } from '../domain/shared-token.ts';
import { checkKey, readSpec, type SpecParts } from '../domain/spec.ts';
import { HookErrors } from '../errors.ts';
import type { Hook } from '../generated/hook.ts';
import type { PutHook } from '../generated/put-hook.ts';
import type { RotateHook } from '../generated/rotate-hook.ts';
import { type HookRow, hooks } from '../store/hooks.ts';
import { renderHook } from './render.ts';
import { signingSection } from './signing.ts';
import { keyPlace, type WriteParts, writeHook } from './write-hook.ts';

export interface HookParts extends WriteParts, SpecParts {
  writes: AuditedWrites;
  address: HttpAddress;
}

/** Sets, rotates, shows and removes hooks. */
export class HookService implements ResourceService<PutHook> {
  readonly #parts: HookParts;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request`, `hook_owned`, `hooks_full`. */
  async set(call: NamedCall, body: PutHook) {
    const { org_id, project_id } = call.scope;
    const { name } = call;
    const spec = readSpec(name, body, this.#parts);
    await this.#parts.sealer.prepare(org_id);
    const wanted = { org_id, project_id, name, owner: '', spec };
    const { row, made, secret } = await this.#parts.writes.write(
      call,
      'hook.set',
      (tx) => writeHook(tx, this.#parts, wanted),
      () => spec.mode,
    );
    return { made, view: this.#shown(row, secret) };
  }

  /**
   * Stores a new token, or the given new key. The one before counts for the time of `overlap`, otherwise no more; with
   * `end_overlap` nothing is new, and the old one ends. Throws `not_found`, `invalid_request`.
   */
  async rotate(call: NamedCall, body: RotateHook): Promise<Hook> {
    await this.#parts.sealer.prepare(call.scope.org_id);
    const until = body.overlap === undefined ? undefined : overlapUntil(body.overlap, this.#parts.database.now());
    const other = body.key !== undefined ? '/key' : body.overlap !== undefined ? '/overlap' : undefined;
    if (body.end_overlap && other !== undefined) throw invalid(other, 'cannot be set with end_overlap');
    const { row, secret } = await this.#parts.writes.write<{ row: HookRow; secret?: string }>(
      call,
      'hook.rotate',
      async (tx) => {
        const present = await hooks.lock(tx, call.scope, call.name);
        if (present === undefined) throw notFound(HOOK, call.name);
        const rotated = body.end_overlap
          ? { row: { ...present, ...NO_OLD_SECRET } }
          : this.#rotated(present, body.key, until);
        await hooks.replace(tx, rotated.row);
        return rotated;
      },
      ({ row }) =>
        `${row.mode}${body.end_overlap ? ' overlap ended' : row.old_until === null ? '' : ` overlap ${body.overlap}`}`,
    );
    return this.#shown(row, secret);
  }

  #rotated(present: HookRow, key: string | undefined, until: number | undefined): { row: HookRow; secret?: string } {
    const { database, sealer, ids, check, manifests } = this.#parts;
    const old = until === undefined ? NO_OLD_SECRET : asOld(present, until);
    const row: HookRow = { ...present, ...old, secret_at: database.now() };
    if (present.mode === 'token') {
      if (key !== undefined) throw invalid('/key', 'cannot be set for a shared token, because the service creates it');
      const secret = ids.bytes(TOKEN_BYTES).toString('base64url');
      return { row: { ...row, token_digest: digestOf(secret) }, secret };
    }
    if (key === undefined) throw invalid('/key', 'is required: the new key with which the sender signs');
    checkKey(check, signingSection(manifests, present), key, '/key');
    return { row: { ...row, signing_key: sealer.seal(keyPlace(present), Buffer.from(key)) } };
  }

  /** Throws `not_found`. */
  find({ scope, name }: Pick<NamedCall, 'scope' | 'name'>): Promise<HookRow> {
    return hooks.get(this.#parts.database, scope, name);
  }

  /** Throws `not_found`. */
  async read({ scope, name }: NamedCall): Promise<Hook> {
    return this.#shown(await hooks.get(this.#parts.database, scope, name));
  }

  list(scope: ProjectScope, page: Page) {
    return hooks.page(this.#parts.database, scope, page, (row) => this.#shown(row));
  }

  #shown(row: HookRow, secret?: string): Hook {
    return renderHook(this.#parts.address, row, this.#parts.database.now(), secret);
  }

  /** Throws `not_found`, `hook_owned`. */
  remove(call: NamedCall): Promise<void> {
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const present = await hooks.lock(tx, scope, name);
      if (present === undefined) return undefined;
      if (present.owner !== '') throw HookErrors.hookOwned(`the hook ${name} belongs to ${present.owner}`);
      await hooks.remove(tx, scope, name);
      return present;
    };
    return this.#parts.writes.remove(call, 'hook.delete', { ...HOOK, remove }, ({ mode }) => mode);
  }
}
