import { Errors, type Fault, type Scope, type Sealer } from '../../../kernel/contracts/index.ts';
import type { Flows } from '../../flows/contract.ts';
import type { Problem, Reading, Review, WorkflowDocument, WorkflowKind, WorkflowPlan } from '../../runs/contract.ts';
import { placesOf } from '../../schema/contract.ts';
import { GRAPH_VERSION } from '../domain/graph.ts';
import { graphReference } from '../domain/names.ts';
import { singleNode } from '../domain/single-node.ts';
import { warningsOf } from '../domain/warnings.ts';
import { graphs } from '../store/graphs.ts';
import { readVersion } from '../store/versions.ts';
import { openDocument } from './documents.ts';
import type { Planner } from './planner.ts';

export interface KindParts {
  planner(): Planner;
  flows(): Pick<Flows, 'coordination'>;
  sealer(): Sealer;
}

/** The name of the stored graph that a document was resolved from. */
const nameOf = ({ pin }: WorkflowDocument): string | undefined => (pin?.form === 'graph' ? pin.name : undefined);

/** Graphs: stored ones by name, and JSON documents with their version. */
export const graphKind = (parts: KindParts): WorkflowKind => ({
  ...shared(parts),
  kind: 'graph',
  type: GRAPH_VERSION,
  marks: { versions: [GRAPH_VERSION] },
  references: ['graph'],
  /** Credentials are asked of a project; the report of requirements has them. */
  async review(scope: Scope, document: WorkflowDocument): Promise<Review> {
    const checked = await parts.planner().check(scope.project_id, document.source, nameOf(document));
    const found = 'faults' in checked ? [] : warningsOf(checked.graph, [], []);
    const pointers = found.map((text) => /^\/\S*/.exec(text)?.[0] ?? '');
    const places = placesOf(document.source, pointers);
    return {
      problems: [],
      warnings: found.map((text, n) => ({ ...problem('', text, places[n]), code: 'graph_warning' })),
      notes: [],
    };
  },
  async resolve(on, scope, { graph: text = '' }) {
    const reference = graphReference(text);
    const row = reference && (await graphs.find(on, scope, reference.name));
    const version = reference && row && (reference.version ?? row.version_number);
    const stored = version && (await readVersion(on, scope, row.name, version));
    if (!stored) throw graphMissing(text);
    return {
      source: openDocument(parts.sealer(), stored),
      workflow: stored.name,
      pin: { form: 'graph', name: stored.name, version: stored.version_number },
    };
  },
});

/** One node as a workflow of its own. */
export const nodeKind = (parts: KindParts): WorkflowKind => ({
  ...shared(parts),
  async check({ project_id }, { source }) {
    const checked = await parts.planner().check(project_id, source, undefined);
    if ('faults' in checked) return checked.faults.map(ofNode);
    const trigger = checked.graph.nodes.find(({ type }) => type.trigger);
    return trigger ? [problem('/node', `${trigger.type.type} begins a graph, and does nothing by itself`)] : [];
  },
  kind: 'node',
  type: 'svc-node/v1',
  marks: {},
  references: ['node'],
  async resolve(_on, _scope, { node = '', config = {} }) {
    return { source: singleNode(node, config), workflow: node, pin: { form: 'node', name: node } };
  },
});

function graphMissing(name: string) {
  const message = `the project has no graph ${name.slice(0, 128)}`;
  return Errors.notFound(message, { errors: [{ pointer: '/graph', message }] });
}

const problem = (pointer: string, message: string, at = { line: 1, column: 1 }): Problem => ({
  ...at,
  message: `${pointer} ${message}`.trim(),
  code: 'graph_invalid',
});

/** A fault of a graph of one node, with the pointer of the request. */
const ofNode = ({ pointer, message }: Fault): Problem =>
  problem(pointer.replace('/nodes/0/type', '/node').replace('/nodes/0/config', '/config'), message);

const shared = ({ planner, flows }: KindParts) => ({
  takes_credentials: false,
  replays: false,
  async check({ project_id }: Scope, document: WorkflowDocument): Promise<Problem[]> {
    const checked = await planner().check(project_id, document.source, nameOf(document));
    if (!('faults' in checked)) return [];
    const { faults, count } = checked;
    const places = placesOf(
      document.source,
      faults.map(({ pointer }) => pointer),
    );
    const listed = faults.map(({ pointer, message }, n) => problem(pointer, message, places[n]));
    const more = count - faults.length;
    if (more <= 0) return listed;
    // Told last: problems are shown in the order of their places.
    const last = places.toSorted((a, b) => a.line - b.line || a.column - b.column).at(-1);
    return [...listed, problem('', `has ${more} more faults, which are not listed`, last)];
  },
  async plan(on: Reading, scope: Scope, document: WorkflowDocument): Promise<WorkflowPlan> {
    const planned = planner().planned(planner().checkText(scope.project_id, document.source, nameOf(document)));
    const states = await planner().states(on, scope, planned);
    planner().refuse(planned.named, states, ['wrong_kind', 'missing', 'conflict']);
    const { tags, cancel_on, subject } = planned.graph.document;
    return { activities: [], coordination: flows().coordination(planned.plan), about: { tags, cancel_on, subject } };
  },
});
