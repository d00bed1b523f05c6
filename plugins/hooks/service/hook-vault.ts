import { Errors, type Page, pageOf, settled, token, type Transaction } from '../../../kernel/contracts/index.ts';
import type { Audit, AuditSource } from '../../audit/contract.ts';
import type { ProjectScope } from '../../bus/contract.ts';
import { checkName, invalid, isName } from '../domain/names.ts';
import { digestOf, TOKEN_BYTES } from '../domain/shared-token.ts';
import { checkKey, readSpec, type SpecParts } from '../domain/spec.ts';
import { HookErrors } from '../errors.ts';
import type { PutHook } from '../generated/put-hook.ts';
import type { RotateHook } from '../generated/rotate-hook.ts';
import { type HookRow, listHooks, lockHook, readHook, removeHook, updateHook } from '../store/hook-table.ts';
import { signingSection } from './signing.ts';
import { keyPlace, type WriteParts, writeHook, type WrittenHook } from './write-hook.ts';

export interface HookParts extends WriteParts, SpecParts {
  audit: Audit;
}

const noHook = (name: string) => Errors.notFound(`no event hook ${name.slice(0, 64)} in this project`);

/** Sets, rotates, shows and removes hooks; what is done and the audit row of it are one transaction. */
export class HookVault {
  readonly #parts: HookParts;

  constructor(parts: HookParts) {
    this.#parts = parts;
  }

  /** Throws `invalid_request`, `hook_owned`, `hooks_full`. */
  async set(scope: ProjectScope, name: string, body: PutHook, by: AuditSource): Promise<WrittenHook> {
    checkName(name);
    const spec = readSpec(name, body, this.#parts);
    await this.#parts.sealer.prepare(scope.org_id);
    return this.#write(async (tx) => {
      const { org_id, project_id } = scope;
      const written = await writeHook(tx, this.#parts, { org_id, project_id, name, owner: '', spec });
      await this.#record(tx, scope, 'hook.set', name, by, spec.mode);
      return written;
    });
  }

  /** A new token, or the new key that was given; the old one counts no more. Throws `not_found`, `invalid_request`. */
  async rotate(scope: ProjectScope, name: string, { key }: RotateHook, by: AuditSource): Promise<WrittenHook> {
    if (!isName(name)) throw noHook(name);
    const { database, sealer, ids, check } = this.#parts;
    await sealer.prepare(scope.org_id);
    return this.#write(async (tx) => {
      const present = await lockHook(tx, scope, name);
      if (present === undefined) throw noHook(name);
      const row: HookRow = { ...present, secret_at: database.now() };
      let secret: string | undefined;
      if (present.mode === 'token') {
        if (key !== undefined) throw invalid('/key', 'is not for a shared token, which the service makes');
        secret = ids.bytes(TOKEN_BYTES).toString('base64url');
        row.token_digest = digestOf(secret);
      } else {
        if (key === undefined) throw invalid('/key', 'is required: the new key that the far end signs with');
        checkKey(check, signingSection(this.#parts.manifests, present), key, '/key');
        row.signing_key = sealer.seal(keyPlace(present), Buffer.from(key));
      }
      await updateHook(tx, row);
      await this.#record(tx, scope, 'hook.rotate', name, by, present.mode);
      return { row, made: false, ...(secret === undefined ? {} : { secret }) };
    });
  }

  /** Throws `not_found`. */
  async read(scope: ProjectScope, name: string): Promise<HookRow> {
    const row = isName(name) ? await readHook(this.#parts.database, scope, name) : undefined;
    if (row === undefined) throw noHook(name);
    return row;
  }

  async list(scope: ProjectScope, page: Page): Promise<{ items: HookRow[]; next_cursor?: string }> {
    const rows = await listHooks(this.#parts.database, scope, page);
    return pageOf(rows, page.limit, ({ hook_id }) => hook_id);
  }

  /** Throws `not_found`, `hook_owned`. */
  async remove(scope: ProjectScope, name: string, by: AuditSource): Promise<void> {
    if (!isName(name)) throw noHook(name);
    await this.#parts.database.transaction(async (tx) => {
      const present = await lockHook(tx, scope, name);
      if (present === undefined) throw noHook(name);
      if (present.owner !== '') throw HookErrors.hookOwned(`the hook ${name} belongs to ${present.owner}`);
      await removeHook(tx, present.hook_id);
      await this.#record(tx, scope, 'hook.delete', name, by, present.mode);
    });
  }

  #record(tx: Transaction, scope: ProjectScope, action: string, subject: string, by: AuditSource, detail: string) {
    const { org_id, project_id } = scope;
    return this.#parts.audit.record(tx, { ...by, org_id, project_id, action, subject, detail });
  }

  /** When the answer to a commit is lost, doing it again is right: the last secret that is made is the one answered. */
  #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return settled(() => this.#parts.database.transaction(work));
  }
}

/** The token under which the routes find it. */
export const OwnVault = token<HookVault>('hooks.HookVault');
