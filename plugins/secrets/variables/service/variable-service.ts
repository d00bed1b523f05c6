import {
  type Database,
  Errors,
  type Ids,
  iso,
  type Page,
  retryUnknownCommit,
  type Scope,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../platform/audit/contract.ts';
import { canExist, checkName, type NamedRequest, type ProjectScope } from '../../../platform/resources/contract.ts';
import type { Variables } from '../contract.ts';
import { checkValue, MAX_TOTAL_BYTES, MAX_VARIABLES, VARIABLE } from '../domain/rules.ts';
import { VariableErrors } from '../errors.ts';
import type { PutVariable } from '../generated/put-variable.ts';
import type { Variable } from '../generated/variable.ts';
import {
  deleteVariable,
  findVariable,
  insertReplaced,
  insertVariable,
  lockOwner,
  namesOf,
  type Owner,
  pageOfVariables,
  sizeOf,
  updateVariable,
  type VariableRow,
  writeRevision,
} from '../store/variables.ts';

export interface VariableServiceOptions {
  database: Database;
  ids: Ids;
  audit: Audit;
}

export type Origin = Variable['origin'];

const ownerOf = ({ org_id, project_id }: ProjectScope, origin: Origin): Owner => ({
  owner_id: origin === 'org' ? org_id : project_id,
  org_id,
});

const toView = (row: VariableRow): Variable => ({
  name: row.name,
  value: row.value,
  origin: row.owner_id === row.org_id ? 'org' : 'project',
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  ...(row.updated_by !== null && { updated_by: row.updated_by }),
});

const missing = (name: string, origin: Origin, advice = '') =>
  Errors.notFound(`no variable ${name.slice(0, 128)} in this ${origin}${advice}`);

/** Sets, shows and removes variables of projects and orgs. Every change raises the revision of its owner. */
export class VariableService implements Variables {
  readonly #options: VariableServiceOptions;

  constructor(options: VariableServiceOptions) {
    this.#options = options;
  }

  /** Lists the variables of the org, or those that runs of the project get. */
  async list({ org_id, project_id }: Scope, origin: Origin, page: Page) {
    const owners = origin === 'org' ? { owner_id: org_id } : { owner_id: project_id, fallback: org_id };
    const { items, ...rest } = await pageOfVariables(this.#options.database, owners, page);
    return { items: items.map(toView), ...rest };
  }

  /** Returns the variable of the org, or the one that runs of the project get. Throws `not_found`. */
  async read({ scope, name }: NamedRequest, origin: Origin): Promise<Variable> {
    const { database } = this.#options;
    const ids = origin === 'org' ? [scope.org_id] : [scope.project_id, scope.org_id];
    for (const id of canExist(VARIABLE, name) ? ids : []) {
      const row = await findVariable(database, id, name);
      if (row) return toView(row);
    }
    throw missing(name, origin);
  }

  /** Throws `payload_too_large`, `invalid_request` or `variables_full`. */
  async set(call: NamedRequest, origin: Origin, { value }: PutVariable): Promise<{ made: boolean; view: Variable }> {
    const { scope, name, by } = call;
    checkName(VARIABLE, name);
    checkValue(value);
    const owner = ownerOf(scope, origin);
    return this.#change(call, origin, 'variable.set', async (tx) => {
      const revision = await lockOwner(tx, owner);
      const present = await findVariable(tx, owner.owner_id, name);
      const now = this.#options.database.now();
      const row: VariableRow = {
        ...owner,
        name,
        variable_id: present?.variable_id ?? this.#options.ids.next('var'),
        set_in: present?.value === value ? present.set_in : revision + 1,
        value_bytes: Buffer.byteLength(value),
        created_at: present?.created_at ?? now,
        updated_at: now,
        updated_by: by.principal?.name ?? null,
        value,
      };
      if (!present) await insertVariable(tx, row);
      else {
        if (present.value !== value) await insertReplaced(tx, present, { replaced_in: revision + 1, replaced_at: now });
        await updateVariable(tx, row);
      }
      if (present?.value !== value) await writeRevision(tx, owner, revision + 1);
      await assertWithinLimits(tx, owner, origin);
      return { made: present === undefined, view: toView(row) };
    });
  }

  /** Removes the variable of this origin. Throws `not_found`. */
  async remove(call: NamedRequest, origin: Origin): Promise<void> {
    const { scope, name } = call;
    if (!canExist(VARIABLE, name)) throw missing(name, origin);
    const owner = ownerOf(scope, origin);
    await this.#change(call, origin, 'variable.delete', async (tx, is_retry) => {
      const revision = await lockOwner(tx, owner);
      const present = await findVariable(tx, owner.owner_id, name);
      // At a second attempt it may be missing because the first commit has succeeded.
      if (!present && is_retry) return;
      if (!present) throw await this.#describeMissing(tx, call, origin);
      await insertReplaced(tx, present, { replaced_in: revision + 1, replaced_at: this.#options.database.now() });
      await deleteVariable(tx, owner, name);
      await writeRevision(tx, owner, revision + 1);
    });
  }

  namesOf(on: Parameters<typeof namesOf>[0], { org_id, project_id }: ProjectScope): Promise<readonly string[]> {
    return namesOf(on, [project_id, org_id]);
  }

  async #describeMissing(tx: Transaction, { scope, name }: NamedRequest, origin: Origin) {
    const in_org = origin === 'project' && (await findVariable(tx, scope.org_id, name)) !== undefined;
    return missing(name, origin, in_org ? `; its org has one (\`svc var rm ${name} --org\`)` : '');
  }

  /** Changes a variable and records it in one transaction. */
  #change<Done>(
    { scope, name, by }: NamedRequest,
    origin: Origin,
    action: string,
    work: (tx: Transaction, is_retry: boolean) => Promise<Done>,
  ): Promise<Done> {
    const { database, audit } = this.#options;
    const { org_id } = scope;
    const project_id = origin === 'org' ? null : scope.project_id;
    return retryUnknownCommit((is_retry) =>
      database.transaction(async (tx) => {
        const done = await work(tx, is_retry);
        await audit.record(tx, { ...by, org_id, project_id, action, subject: name });
        return done;
      }),
    );
  }
}

async function assertWithinLimits(tx: Transaction, owner: Owner, origin: Origin): Promise<void> {
  const { count, bytes } = await sizeOf(tx, owner);
  const phrase = origin === 'org' ? 'an org' : 'a project';
  if (count > MAX_VARIABLES)
    throw VariableErrors.variablesFull(`${phrase} can have at most ${MAX_VARIABLES} variables`);
  if (bytes > MAX_TOTAL_BYTES)
    throw VariableErrors.variablesFull(
      `the values of the variables of ${phrase} can have at most ${MAX_TOTAL_BYTES} bytes in total`,
    );
}
