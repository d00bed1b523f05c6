import { BoundedMap, type Database, type Scope } from '../../../../kernel/contracts/index.ts';
import type { EventInlets } from '../../../events/bus/contract.ts';
import type { ListedWorkflow, WorkflowHolder } from '../../../events/workflows/contract.ts';
import type { CheckedDocument, OutlineItem, RunEngine } from '../../../engine/runs/contract.ts';
import type { CredentialNames } from '../../../secrets/credentials/contract.ts';
import type { Secrets } from '../../../secrets/secrets/contract.ts';
import type { Catalog, Unit, UnitCall } from '../domain/catalog.ts';
import { walk, type WalkOptions } from '../domain/walk.ts';
import type { Reach } from '../generated/reach.ts';

/** Workflows of one kind, which is what a project can have of graphs in two versions. */
const MAX_WORKFLOWS = 2000;
/** Documents that one statement opens. */
const OPENED_AT_ONCE = 50;
/** Workflows that others contain or call by a reference, and how deep they may nest. */
const MAX_INNER = 5000;
const MAX_NESTING = 16;
const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_ITEMS = 400_000;
/** Names that one statement looks up. */
const NAMES_AT_ONCE = 200;

export interface ImpactDeps {
  database: Pick<Database, 'read'>;
  engine: () => Pick<RunEngine, 'outline'>;
  holders: () => readonly WorkflowHolder[];
  inlets: () => readonly EventInlets[];
  secrets: () => Secrets;
  credentials: () => Pick<CredentialNames, 'findSources'>;
}

type Outline = readonly OutlineItem[];

/** Answers what events could reach. Outlines are cached by the revision of their workflow. */
export class ImpactReader {
  readonly #deps: ImpactDeps;
  readonly #outlines = new BoundedMap<string, OutlinedWorkflow>(MAX_REMEMBERED, {
    max_weight: MAX_REMEMBERED_ITEMS,
    weigh: ({ outline }) => outline.length + 1,
  });

  constructor(deps: ImpactDeps) {
    this.#deps = deps;
  }

  async read(scope: Scope, options: WalkOptions): Promise<Reach> {
    return walk(await this.#catalog(scope), options);
  }

  async #catalog(scope: Scope): Promise<Catalog> {
    const units = new Units(this.#deps.engine(), scope);
    let is_truncated = false;
    for (const holder of this.#deps.holders()) {
      const stored = await holder.list(scope, MAX_WORKFLOWS + 1);
      is_truncated ||= stored.length > MAX_WORKFLOWS;
      const listed = stored.slice(0, MAX_WORKFLOWS);
      const outlines = await this.#outlinesOf(scope, holder, listed);
      for (const one of listed) units.addStored(holder.kind, one, outlines.get(one.name) ?? { outline: [] });
    }
    await units.resolveCalls();
    const inlets = [];
    for (const source of this.#deps.inlets()) inlets.push(...(await source.list(scope, MAX_WORKFLOWS)));
    const named = units.namedCredentials();
    for (const { credential } of inlets) if (credential !== undefined) named.add(credential);
    return {
      units: units.finish(),
      inlets,
      secrets: await this.#deps.secrets().namesOf(scope),
      accounts: await this.#accounts(scope, [...named]),
      is_truncated: is_truncated || units.is_truncated,
    };
  }

  /** Opens only what has changed since it was last read. */
  async #outlinesOf(
    scope: Scope,
    holder: WorkflowHolder,
    stored: readonly ListedWorkflow[],
  ): Promise<ReadonlyMap<string, OutlinedWorkflow>> {
    const keyOf = ({ name, revision }: ListedWorkflow) => `${scope.project_id} ${holder.kind} ${name} ${revision}`;
    const outlines = new Map<string, OutlinedWorkflow>();
    const unread = stored.filter((one) => {
      const cached = this.#outlines.get(keyOf(one));
      if (cached) outlines.set(one.name, cached);
      return !cached;
    });
    for (let at = 0; at < unread.length; at += OPENED_AT_ONCE) {
      const chunk = unread.slice(at, at + OPENED_AT_ONCE);
      const opened = await holder.open(
        scope,
        chunk.map(({ name }) => name),
      );
      for (const one of chunk) {
        const workflow = opened.get(one.name);
        if (!workflow) continue;
        const outline =
          outlineOfReference(workflow) ?? inFile(workflow, await this.#deps.engine().outline(scope, workflow));
        const outlined = { outline, ...(workflow.filename !== undefined && { file: workflow.filename }) };
        outlines.set(one.name, outlined);
        if (isCacheable(outline)) this.#outlines.set(keyOf(one), outlined);
      }
    }
    return outlines;
  }

  async #accounts(scope: Scope, names: readonly string[]): Promise<Set<string>> {
    const accounts = new Set<string>();
    for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
      const chunk = names.slice(at, at + NAMES_AT_ONCE);
      const sources = await this.#deps.credentials().findSources(this.#deps.database, scope, chunk);
      for (const [name, source] of sources) if (source === 'account') accounts.add(name);
    }
    return accounts;
  }
}

/** What a document says that a run may do, and the name of the document. */
interface OutlinedWorkflow {
  outline: Outline;
  file?: string;
}

/** Items without a file are in the document itself. */
const inFile = ({ filename }: CheckedDocument, outline: Outline): Outline =>
  filename === undefined ? outline : outline.map((item) => ({ ...item, file: item.file ?? filename }));

/** What a reader could not read now may be readable later, and has no line. */
const isCacheable = (outline: Outline): boolean =>
  outline.every((item) => item.does !== 'unknown' || item.line !== undefined);

/** A workflow that names a stored one calls it, so that this is read only once. Undefined for a document. */
function outlineOfReference(workflow: CheckedDocument): Outline | undefined {
  const { graph, function: named, requires = [], credentials = {}, cancel_on = [] } = workflow;
  const name = graph ?? named;
  if (name === undefined) return undefined;
  return [
    ...requires.map((label): OutlineItem => ({ does: 'agent', name: label })),
    ...Object.values(credentials).map((one): OutlineItem => ({ does: 'credential', name: one })),
    ...cancel_on.map((type): OutlineItem => ({ does: 'cancel', type })),
    { does: 'call', name, workflow: graph === undefined ? { function: name } : { graph: name } },
  ];
}

type Call = Extract<OutlineItem, { does: 'call' }>;
const isCall = (item: OutlineItem): item is Call => item.does === 'call';

interface OpenUnit extends Omit<Unit, 'items' | 'calls'> {
  items: Exclude<OutlineItem, Call>[];
  calls: UnitCall[];
}

/** Collects the workflows of a project, and those that they contain and call. */
class Units {
  is_truncated = false;
  readonly #engine: Pick<RunEngine, 'outline'>;
  readonly #scope: Scope;
  readonly #units = new Map<string, OpenUnit>();
  /** Ids of graphs by the names that call them. */
  readonly #graphs = new Map<string, string>();
  #unresolved: { unit: OpenUnit; call: Call; nesting: number }[] = [];
  #inner_count = 0;

  constructor(engine: Pick<RunEngine, 'outline'>, scope: Scope) {
    this.#engine = engine;
    this.#scope = scope;
  }

  addStored(kind: string, stored: ListedWorkflow, { outline, file }: OutlinedWorkflow): void {
    const { name, on = [], when, rejects_untrusted = false, aliases = [] } = stored;
    const id = `${kind}:${name}`;
    for (const called of [name, ...aliases]) if (kind === 'graph') this.#graphs.set(called, id);
    this.#add({
      ...{ id, kind: kind as Unit['kind'], name: aliases[0] ?? name, on, when, rejects_untrusted, outline },
      ...{ is_function: false, nesting: 0, file },
    });
  }

  #add({ outline, nesting, ...unit }: Omit<OpenUnit, 'items' | 'calls'> & { outline: Outline; nesting: number }): void {
    const added: OpenUnit = { ...unit, items: outline.filter((item) => !isCall(item)), calls: [] };
    this.#units.set(unit.id, added);
    for (const call of outline.filter(isCall)) this.#unresolved.push({ unit: added, call, nesting });
  }

  /** Reads what is called, level by level. */
  async resolveCalls(): Promise<void> {
    while (this.#unresolved.length > 0) {
      const calls = this.#unresolved;
      this.#unresolved = [];
      for (const { unit, call, nesting } of calls) {
        const id = await this.#resolve(unit, call, nesting);
        const { does: _does, workflow: _workflow, ...position } = call;
        if (id === undefined)
          unit.items.push({ ...position, does: 'unknown', what: `runs ${call.name}, and svc reads no more workflows` });
        else unit.calls.push({ ...position, unit: id });
      }
    }
  }

  async #resolve({ id: caller }: OpenUnit, { name, workflow }: Call, nesting: number): Promise<string | undefined> {
    const { graph, function: named } = workflow;
    const existing = graph === undefined ? undefined : this.#graphs.get(graph);
    if (existing !== undefined) return existing;
    const id =
      graph === undefined
        ? named === undefined
          ? `${caller}/${this.#inner_count}`
          : `function:${named}`
        : `graph:${graph}`;
    if (this.#units.has(id)) return id;
    this.#inner_count += 1;
    if (this.#inner_count > MAX_INNER || nesting >= MAX_NESTING) {
      this.is_truncated = true;
      return undefined;
    }
    const outline: Outline =
      named === undefined
        ? inFile(workflow, await this.#engine.outline(this.#scope, workflow))
        : [{ does: 'program' }, { does: 'unknown', what: `the code of the function ${named} is in its worker` }];
    this.#add({
      ...{ id, kind: graph === undefined ? 'workflow' : 'graph', name, on: [], when: undefined, outline },
      ...{ rejects_untrusted: false, is_function: named !== undefined, nesting: nesting + 1 },
    });
    return id;
  }

  namedCredentials(): Set<string> {
    const items = [...this.#units.values()].flatMap((unit) => unit.items);
    return new Set(items.flatMap((item) => (item.does === 'credential' ? [item.name] : [])));
  }

  finish(): ReadonlyMap<string, Unit> {
    return this.#units;
  }
}
