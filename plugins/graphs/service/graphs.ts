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
} from '../../../kernel/contracts/index.ts';
import {
  type AuditedWrites,
  type NamedCall,
  notFound,
  type ProjectScope,
  type ResourceService,
} from '../../resources/contract.ts';
import { GRAPH_NOUN } from '../domain/names.ts';
import { warningsOf } from '../domain/warnings.ts';
import type { GraphVersion } from '../generated/graph-version.ts';
import type { GraphView } from '../generated/graph-view.ts';
import type { SavedGraph } from '../generated/saved-graph.ts';
import { type GraphRow, graphs } from '../store/graphs.ts';
import {
  type About,
  insertVersion,
  listVersions,
  pruneVersions,
  readVersion,
  removeVersions,
  type VersionRow,
} from '../store/versions.ts';
import { openDocument, sealDocument } from './documents.ts';
import type { Planned, Planner } from './planner.ts';
import type { Publishing } from './publishing.ts';
import { entryOf, versionOf, viewOf } from './views.ts';

/** Maximum bytes of a document. */
const DOCUMENT_BYTES = 1024 * 1024;

export interface GraphParts {
  database: Database;
  sealer: Sealer;
  ids: Ids;
  writes: AuditedWrites;
  planner: Planner;
  /** Removes what the triggers of graphs have registered, in the transaction that removes the graph. */
  publishing(): Pick<Publishing, 'right' | 'withdraw'>;
}

/** Saves, shows and removes graphs. A version that was saved is never changed. */
export class Graphs implements ResourceService<unknown> {
  readonly #parts: GraphParts;

  constructor(parts: GraphParts) {
    this.#parts = parts;
  }

  /** Throws `workflow_invalid` with all faults, `credential_wrong_kind`, `payload_too_large`, `graphs_full`. */
  async set(call: NamedCall, document: unknown): Promise<{ made: boolean; view: SavedGraph }> {
    const { database, planner, sealer, writes } = this.#parts;
    const { scope, name } = call;
    const source = JSON.stringify(document ?? null);
    const bytes = Buffer.byteLength(source);
    if (bytes > DOCUMENT_BYTES)
      throw Errors.payloadTooLarge(`the graph has ${bytes} bytes of JSON; the limit is ${DOCUMENT_BYTES}`);
    const planned = planner.planned(await planner.check(scope.project_id, source, name));
    const states = await planner.states(database, scope, planned);
    planner.refuse(planned.named, states, ['wrong_kind']);
    await sealer.prepare(scope.org_id);
    const { made, version_number } = await writes.write(
      call,
      'graph.save',
      (tx) => this.#save(tx, call, source, planned),
      (saved) => `version ${saved.version_number}`,
    );
    return { made, view: { name, version_number, warnings: warningsOf(planned.graph, planned.named, states) } };
  }

  async #save(tx: Transaction, { scope, name, by }: NamedCall, source: string, planned: Planned) {
    const { database, ids } = this.#parts;
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
      ...{ org_id, project_id, name, version_number, title },
      graph_id: present?.graph_id ?? ids.next('grf'),
      published_version: present?.published_version ?? null,
      triggers: present?.triggers ?? '[]',
      nodes: nodes.length,
      created_at: present?.created_at ?? now,
      ...set,
    };
    const made = await graphs.put(tx, row);
    if (made && present) throw Errors.unavailable('the graph was removed at the same time', { retryAfterMs: 100 });
    if (!made && !present) throw Errors.unavailable('the graph was saved at the same time', { retryAfterMs: 100 });
    const at = { org_id, project_id, name, version_number, revision: ids.next('rev') };
    const document = sealDocument(this.#parts.sealer, at, source);
    await insertVersion(tx, { ...at, digest, document, about: JSON.stringify(aboutOf(planned)), ...set });
    await pruneVersions(tx, row);
    return { made, version_number };
  }

  /** Throws `not_found`. */
  async read({ scope, name }: Pick<NamedCall, 'scope' | 'name'>, version?: number): Promise<GraphView> {
    const { row, stored, source } = await this.find(scope, name, version);
    return viewOf(row, stored, source);
  }

  /** A version of a graph with its text; the latest when none is named. Throws `not_found`. */
  async find(
    scope: ProjectScope,
    name: string,
    version?: number,
  ): Promise<{ row: GraphRow; stored: VersionRow; source: string }> {
    const { database, sealer } = this.#parts;
    const row = await graphs.get(database, scope, name);
    const stored = await readVersion(database, scope, name, version ?? row.version_number);
    if (!stored) throw notFound({ noun: 'graph version' }, `${name}@${version}`);
    await sealer.prepare(scope.org_id);
    return { row, stored, source: openDocument(sealer, stored) };
  }

  list(scope: ProjectScope, page: Page) {
    return graphs.page(this.#parts.database, scope, page, entryOf);
  }

  /** Newest first. Throws `not_found`. */
  async versions(
    { scope, name }: NamedCall,
    { before, limit }: { before: number | undefined; limit: number },
  ): Promise<{ items: GraphVersion[]; next_cursor?: string }> {
    const { database } = this.#parts;
    const row = await graphs.get(database, scope, name);
    const from = { before: before ?? row.version_number + 1, limit: limit + 1 };
    const found = await listVersions(database, scope, name, from);
    const { items, ...rest } = pageOf(found, limit, ({ version_number }) => version_number);
    return { items: items.map((entry) => versionOf(row, entry)), ...rest };
  }

  /** With what its triggers have registered; runs continue. Throws `not_found`, `forbidden`. */
  async remove(call: NamedCall): Promise<void> {
    const publishing = this.#parts.publishing();
    const right = await publishing.right(call);
    const remove = async (tx: Transaction, scope: ProjectScope, name: string) => {
      const row = await graphs.lock(tx, scope, name);
      if (!row) return false;
      await publishing.withdraw(tx, row, right);
      await removeVersions(tx, scope, name);
      return graphs.remove(tx, scope, name);
    };
    return this.#parts.writes.remove(call, 'graph.delete', { ...GRAPH_NOUN, remove });
  }
}

function aboutOf({ graph, named }: Planned): About {
  const credentials = new Map<string, Set<string>>();
  for (const { name, node_id } of named) credentials.set(name, (credentials.get(name) ?? new Set()).add(node_id));
  const emits = graph.nodes.flatMap(({ type, config, inner }) =>
    inner ? (inner.type.emits?.(inner.config) ?? []) : (type.emits?.(config) ?? []),
  );
  const nodes_of = Object.fromEntries([...credentials].map(([name, nodes]) => [name, [...nodes]]));
  return { credentials: nodes_of, emits: [...new Set(emits)] };
}

/** The token under which the routes find them. */
export const OwnGraphs = token<Graphs>('graphs.Graphs');
