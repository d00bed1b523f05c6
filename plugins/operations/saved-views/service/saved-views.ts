import {
  type Database,
  Errors,
  type Ids,
  iso,
  type Page,
  type Principal,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import {
  type AuditedWrites,
  canExist,
  checkName,
  type NamedRequest,
  type ProjectScope,
} from '../../../platform/resources/contract.ts';
import { similarNames } from '../../../platform/schema/contract.ts';
import type { Secrets } from '../../../secrets/secrets/contract.ts';
import type { Maskers } from '../../../security/masking/contract.ts';
import type { RunFilterCheck, SavedFilters } from '../../run-views/contract.ts';
import { checkValues, MAX_VIEWS, queryOf, type RunQuery, VIEW } from '../domain/rules.ts';
import { SavedViewErrors } from '../errors.ts';
import type { PutView } from '../generated/put-view.ts';
import type { View } from '../generated/view.ts';
import {
  countViews,
  findView,
  insertView,
  OF_PROJECT,
  pageOfViews,
  readView,
  removeView,
  replaceView,
  type ViewRow,
  visibleNames,
} from '../store/views.ts';

interface SavedViewsDeps {
  database: Database;
  ids: Ids;
  writes: AuditedWrites;
  secrets: Secrets;
  maskers: Pick<Maskers, 'prepare'>;
  filters: RunFilterCheck;
}

type Reader = Principal | null | undefined;

/** How many similar names an error suggests. */
const MAX_SUGGESTED = 3;

const toView = ({ name, owner_id, filter, ...row }: ViewRow): View => ({
  name,
  private: owner_id !== OF_PROJECT,
  filter: JSON.parse(filter) as View['filter'],
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  ...(row.updated_by !== null && { updated_by: row.updated_by }),
});

/** A caller without an ID, the operator, sees the views of the project only. */
const readerId = (reader: Reader): string => reader?.id ?? OF_PROJECT;

/** Throws `forbidden` for a caller who cannot have private views. */
function ownerId(by: Reader, is_private: boolean): string {
  if (!is_private) return OF_PROJECT;
  if (!by) throw Errors.forbidden('only users have private views');
  return by.id;
}

/** Sets, shows and removes saved views, and provides their filters to lists of runs. */
export class SavedViews implements SavedFilters {
  readonly name = 'saved-views';
  readonly #deps: SavedViewsDeps;

  constructor(deps: SavedViewsDeps) {
    this.#deps = deps;
  }

  /** Lists the views of the project and the private ones of the reader, newest first. */
  async list(scope: ProjectScope, reader: Reader, page: Page) {
    const { items, ...rest } = await pageOfViews(this.#deps.database, scope, readerId(reader), page);
    return { items: items.map(toView), ...rest };
  }

  /** Throws `not_found`. */
  async read({ scope, name, by }: NamedRequest): Promise<View> {
    return toView(await this.#find(scope, by.principal, name));
  }

  async filterOf(scope: ProjectScope, reader: Reader, name: string): Promise<RunQuery> {
    return queryOf(toView(await this.#find(scope, reader, name)).filter);
  }

  /** Throws `invalid_request`, `run_search_off`, `view_contains_secret` or `views_full`. */
  async set(
    call: NamedRequest,
    { filter, private: is_private = false }: PutView,
  ): Promise<{ made: boolean; view: View }> {
    const { database, ids, filters, writes } = this.#deps;
    const { scope, name, by } = call;
    checkName(VIEW, name);
    const owner_id = ownerId(by.principal, is_private);
    const query = queryOf(filter);
    checkValues(query);
    filters.check(query, '/filter');
    await this.#assertNoSecret(scope, query);
    const { org_id, project_id } = scope;
    const now = database.now();
    const row: ViewRow = {
      ...{ org_id, project_id, owner_id, name, view_id: ids.next('view'), filter: JSON.stringify(filter) },
      ...{ created_at: now, updated_at: now, updated_by: by.principal?.name ?? null },
    };
    const work = async (tx: Transaction) => {
      const made = await put(tx, row);
      return { made, view: toView((await readView(tx, row)) ?? row) };
    };
    return writes.write(call, 'view.set', work, () => describe(is_private));
  }

  /** Removes the view of the project, or the caller's private one. Throws `not_found`. */
  async remove(call: NamedRequest, is_private: boolean): Promise<void> {
    const { database, writes } = this.#deps;
    const { scope, name, by } = call;
    const owner_id = ownerId(by.principal, is_private);
    const key = { org_id: scope.org_id, project_id: scope.project_id, owner_id, name };
    if (!canExist(VIEW, name) || !(await readView(database, key))) throw await this.#describeMissing(call, is_private);
    const remove = (tx: Transaction) => removeView(tx, key);
    await writes.remove(call, 'view.delete', { ...VIEW, remove }, () => describe(is_private));
  }

  async #find(scope: ProjectScope, reader: Reader, name: string): Promise<ViewRow> {
    const found = canExist(VIEW, name) ? await findView(this.#deps.database, scope, readerId(reader), name) : undefined;
    if (found === undefined) throw await this.#suggest(scope, reader, name);
    return found;
  }

  /** A caller who sees the name, but as the other kind of view, learns how to remove that one. */
  async #describeMissing({ scope, name, by: { principal } }: NamedRequest, is_private: boolean) {
    const seen = canExist(VIEW, name) && (await findView(this.#deps.database, scope, readerId(principal), name));
    if (!seen) return this.#suggest(scope, principal, name);
    return Errors.notFound(
      is_private
        ? `you have no private view ${name}; the project has one (\`svc view rm ${name}\`)`
        : `no view ${name} of this project; you have a private one (\`svc view rm ${name} --private\`)`,
    );
  }

  async #suggest(scope: ProjectScope, reader: Reader, name: string) {
    const names = await visibleNames(this.#deps.database, scope, readerId(reader), 2 * MAX_VIEWS);
    const similar = similarNames(name, names, MAX_SUGGESTED);
    const advice = similar.length === 0 ? '' : `; did you mean ${similar.join(', ')}?`;
    return Errors.notFound(`no view ${name.slice(0, 128)} in this project${advice}`);
  }

  /** The error names the member, and never repeats its value. */
  async #assertNoSecret(scope: ProjectScope, query: RunQuery): Promise<void> {
    const values = await this.#deps.secrets.comparableValues(scope);
    if (values.length === 0) return;
    const masker = await this.#deps.maskers.prepare(values, scope.org_id);
    const found = Object.entries(query).find(([, value]) => masker.text(value) !== value);
    if (found === undefined) return;
    const message = 'contains the value of a secret of the project';
    throw SavedViewErrors.viewContainsSecret(`${found[0]} ${message}; the view was not saved`, {
      errors: [{ pointer: `/filter/${found[0]}`, message }],
    });
  }
}

const describe = (is_private: boolean): string => (is_private ? 'private' : '');

/** Returns true when the view is new. */
async function put(tx: Transaction, row: ViewRow): Promise<boolean> {
  if (await replaceView(tx, row)) return false;
  if (await insertView(tx, row)) {
    if ((await countViews(tx, row)) <= MAX_VIEWS) return true;
    const who = row.owner_id === OF_PROJECT ? 'a project' : 'a member of a project';
    const what = row.owner_id === OF_PROJECT ? 'views' : 'private views';
    throw SavedViewErrors.viewsFull(`${who} can have at most ${MAX_VIEWS} ${what}`);
  }
  if (await replaceView(tx, row)) return false;
  throw Errors.unavailable('the view was just removed', { retryAfterMs: 100 });
}
