import { hash } from 'node:crypto';
import {
  type Database,
  Errors,
  type Ids,
  type Page,
  pageOf,
  type Sealer,
  token,
  type Transaction,
} from '../../../../kernel/contracts/index.ts';
import {
  type AuditedWrites,
  type NamedRequest,
  notFound,
  type ProjectScope,
  type ResourceService,
} from '../../../platform/resources/contract.ts';
import { everyNode, workNode } from '../domain/graph.ts';
import { GRAPH_NOUN } from '../domain/names.ts';
import { warningsOf } from '../domain/warnings.ts';
import type { GraphVersion } from '../generated/graph-version.ts';
import type { GraphView } from '../generated/graph-view.ts';
import type { SavedGraph } from '../generated/saved-graph.ts';
import { type GraphRow, graphs } from '../store/graphs.ts';
import {
  type VersionSummary,
  insertVersion,
  listVersions,
  pruneVersions,
  readVersion,
  removeVersions,
  type VersionRow,
} from '../store/versions.ts';
import { openDocument, sealDocument } from './documents.ts';
import type { GraphPlan, Planner } from './planner.ts';
import type { Publishing } from './publishing.ts';
import { toEntry, toVersion, toView } from './views.ts';

/** Maximum bytes of a document. */
const DOCUMENT_BYTES = 1024 * 1024;

export interface GraphDeps {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  planner: Planner;
  /** Removes what the triggers of graphs have registered, in the transaction that removes the graph. */
  publishing(): Pick<Publishing, 'hookAccess' | 'withdraw'>;
}

/** Saves, shows and removes graphs. A version that was saved is never changed. */
export class Graphs implements ResourceService<unknown> {
  readonly #deps: GraphDeps;

  constructor(deps: GraphDeps) {
    this.#deps = deps;
  }

  /**
   * Saves a version. Throws `workflow_invalid` with all errors, `credential_wrong_kind`, `payload_too_large`,
   * `graphs_full`.
   */
  async set(call: NamedRequest, document: unknown): Promise<{ made: boolean; view: SavedGraph }> {
    const { database, planner, sealer, writes } = this.#deps;
    const { scope, name } = call;
    const source = JSON.stringify(document ?? null);
    const bytes = Buffer.byteLength(source);
    if (bytes > DOCUMENT_BYTES)
      throw Errors.payloadTooLarge(`the graph is ${bytes} bytes of JSON; the limit is ${DOCUMENT_BYTES}`);
    const planned = planner.assertValid(await planner.check(scope, source, name));
    const states = await planner.states(database, scope, planned);
    planner.assertUsable(planned.named, states, ['wrong_kind']);
    await sealer.prepare(scope.org_id);
    const { made, version_number } = await writes.write(
      call,
      'graph.save',
      (tx) => this.#save(tx, call, source, planned),
      (saved) => `version ${saved.version_number}`,
    );
    const unknown = await planner.unknownVariables(database, scope, planned);
    const warnings = warningsOf(planned.graph, planned.named, states, unknown);
    return { made, view: { name, version_number, warnings } };
  }

  async #save(tx: Transaction, { scope, name, by }: NamedRequest, source: string, planned: GraphPlan) {
    const { database, ids } = this.#deps;
    const { org_id, project_id } = scope;
    const present = await graphs.lock(tx, scope, name);
    const digest = hash('sha256', source, 'hex');
    if (present && (await readVersion(tx, scope, name, present.version_number))?.digest === digest)
      return { made: false, version_number: present.version_number };
    const now = database.now();
    const set = { set_at: now, set_by: by.principal?.id ?? null };
    const version_number = (present?.version_number ?? 0) + 1;
    const { title = null, nodes } = planned.graph.document;
    const row: GraphRow = {
      org_id,
      project_id,
      name,
      version_number,
      title,
      graph_id: present?.graph_id ?? ids.next('grf'),
      published_version: present?.published_version ?? null,
      triggers: present?.triggers ?? '[]',
      nodes: nodes.length,
      created_at: present?.created_at ?? now,
      ...set,
    };
    const is_new = await graphs.put(tx, row);
    if (is_new && present) throw Errors.unavailable('the graph was removed at the same time', { retryAfterMs: 100 });
    if (!is_new && !present) throw Errors.unavailable('the graph was saved at the same time', { retryAfterMs: 100 });
    const at = { org_id, project_id, name, version_number, revision: ids.next('rev') };
    const document = sealDocument(this.#deps.sealer, at, source);
    await insertVersion(tx, { ...at, digest, document, about: JSON.stringify(summarizeVersion(planned)), ...set });
    await pruneVersions(tx, row);
    return { made: is_new, version_number };
  }

  /** Throws `not_found`. */
  async read({ scope, name }: Pick<NamedRequest, 'scope' | 'name'>, version?: number): Promise<GraphView> {
    const { row, stored, source } = await this.find(scope, name, version);
    return toView(row, stored, source);
  }

  /** Returns a version of a graph with its text; the latest when none is named. Throws `not_found`. */
  async find(
    scope: ProjectScope,
    name: string,
    version?: number,
  ): Promise<{ row: GraphRow; stored: VersionRow; source: string }> {
    const { database, sealer } = this.#deps;
    const row = await graphs.get(database, scope, name);
    const stored = await readVersion(database, scope, name, version ?? row.version_number);
    if (!stored) throw notFound({ noun: 'graph version' }, `${name}@${version}`);
    await sealer.prepare(scope.org_id);
    return { row, stored, source: openDocument(sealer, stored) };
  }

  list(scope: ProjectScope, page: Page) {
    return graphs.page(this.#deps.database, scope, page, toEntry);
  }

  /** Lists versions, newest first. Throws `not_found`. */
  async versions(
    { scope, name }: NamedRequest,
    { before, limit }: { before: number | undefined; limit: number },
  ): Promise<{ items: GraphVersion[]; next_cursor?: string }> {
    const { database } = this.#deps;
    const row = await graphs.get(database, scope, name);
    const from = { before: before ?? row.version_number + 1, limit: limit + 1 };
    const entries = await listVersions(database, scope, name, from);
    const { items, ...rest } = pageOf(entries, limit, ({ version_number }) => version_number);
    return { items: items.map((entry) => toVersion(row, entry)), ...rest };
  }

  /** Removes the graph and everything that its triggers registered. Runs continue. Throws `not_found`, `forbidden`. */
  async remove(call: NamedRequest): Promise<void> {
    const publishing = this.#deps.publishing();
    const assertHookAccess = await publishing.hookAccess(call);
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const row = await graphs.lock(tx, scope, name);
      if (!row) return false;
      await publishing.withdraw(tx, row, assertHookAccess);
      await removeVersions(tx, scope, name);
      return graphs.remove(tx, scope, name);
    };
    return this.#deps.writes.remove(call, 'graph.delete', { ...GRAPH_NOUN, remove });
  }
}

function summarizeVersion({ graph, named }: GraphPlan): VersionSummary {
  const credentials = new Map<string, Set<string>>();
  for (const { name, node_id } of named) credentials.set(name, (credentials.get(name) ?? new Set()).add(node_id));
  const emits = [...everyNode(graph)].flatMap(({ typed }) => {
    const { type, config } = workNode(typed);
    return type.emits?.(config) ?? [];
  });
  const nodes_by_credential = Object.fromEntries([...credentials].map(([name, nodes]) => [name, [...nodes]]));
  return { credentials: nodes_by_credential, emits: [...new Set(emits)] };
}

/** The token under which the routes find them. */
export const OwnGraphs = token<Graphs>('graphs.Graphs');
