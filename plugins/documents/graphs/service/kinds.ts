import { type Database, Errors, type Fault, type Scope, type Sealer } from '../../../../kernel/contracts/index.ts';
import type { Flows } from '../../../engine/flows/contract.ts';
import type {
  OutlineItem,
  Problem,
  Reading,
  Review,
  WorkflowDocument,
  WorkflowKind,
  WorkflowPlan,
} from '../../../engine/runs/contract.ts';
import type { ScriptOutlines } from '../../../execution/scripts/contract.ts';
import type { CredentialState } from '../../../secrets/credentials/contract.ts';
import { expandInputs, positionsOf } from '../../../platform/schema/contract.ts';
import { GRAPH_VERSION } from '../domain/graph.ts';
import { graphReference } from '../domain/names.ts';
import { singleNode } from '../domain/single-node.ts';
import { needed, warningsOf } from '../domain/warnings.ts';
import { graphs } from '../store/graphs.ts';
import { readVersion } from '../store/versions.ts';
import { openDocument } from './documents.ts';
import { outlineGraph } from './outline.ts';
import type { Planner } from './planner.ts';

/** The place that a warning names, if it does. */
const pointerIn = (text: string): string => /^\/\S*/.exec(text)?.[0] ?? '';

export interface KindDeps {
  planner(): Planner;
  database(): Pick<Database, 'read'>;
  flows(): Pick<Flows, 'coordination'>;
  sealer(): Sealer;
  outlines(): Pick<ScriptOutlines, 'script'>;
}

/** The name of the stored graph that a document was resolved from. */
const storedName = ({ pin }: WorkflowDocument): string | undefined => (pin?.form === 'graph' ? pin.name : undefined);

/** Graphs: stored ones by name, and JSON documents with their version. */
export const graphKind = (deps: KindDeps): WorkflowKind => ({
  ...sharedKind(deps),
  kind: 'graph',
  type: GRAPH_VERSION,
  marks: { versions: [GRAPH_VERSION] },
  references: ['graph'],
  /** As a save does: a credential of the wrong kind is a problem, and one that the project does not have a warning. */
  async review(scope: Scope, document: WorkflowDocument): Promise<Review> {
    const planner = deps.planner();
    const checked = await planner.check(scope, document.source, storedName(document));
    if ('errors' in checked) return { problems: [], warnings: [], notes: [] };
    const { graph, named } = checked;
    const states = await planner.states(deps.database(), scope, checked);
    const unusable = planner.findUnusable(named, states);
    const is_rejected = ({ state }: CredentialState) => state === 'wrong_kind';
    const faults = unusable.filter(({ state }) => is_rejected(state));
    const others = unusable.filter(({ state }) => !is_rejected(state));
    const unknown = await planner.unknownVariables(deps.database(), scope, checked);
    const texts = warningsOf(graph, [], [], unknown);
    const pointers = [...faults, ...others].map(({ pointer }) => pointer);
    const positions = positionsOf(document.source, [...pointers, ...texts.map(pointerIn)]);
    const toFound = ({ message, code }: { message: string; code: string }, n: number): Problem => ({
      ...toProblem('', message, positions[n]),
      code,
    });
    const warnings = [
      ...others.map(({ message, code }) => ({ message: needed(message), code })),
      ...texts.map((message) => ({ message, code: 'graph_warning' })),
    ];
    return {
      problems: faults.map(toFound),
      warnings: warnings.map((warning, n) => toFound(warning, faults.length + n)),
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
      source: openDocument(deps.sealer(), stored),
      workflow: stored.name,
      pin: { form: 'graph', name: stored.name, version: stored.version_number },
    };
  },
});

/** A workflow kind that runs one node as a workflow of its own. */
export const nodeKind = (deps: KindDeps): WorkflowKind => ({
  ...sharedKind(deps),
  async check(scope, { source }) {
    const checked = await deps.planner().check(scope, source, undefined);
    if ('errors' in checked) return checked.errors.map(toNodeProblem);
    const trigger = checked.graph.nodes.find(({ type }) => type.trigger);
    return trigger ? [toProblem('/node', `${trigger.type.type} starts a graph and does nothing on its own`)] : [];
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

const toProblem = (pointer: string, message: string, at = { line: 1, column: 1 }): Problem => ({
  ...at,
  message: `${pointer} ${message}`.trim(),
  code: 'graph_invalid',
});

/** Maps an error in a graph of one node to the pointer of the request. */
const toNodeProblem = ({ pointer, message }: Fault): Problem =>
  toProblem(pointer.replace('/nodes/0/type', '/node').replace('/nodes/0/config', '/config'), message);

const sharedKind = ({ planner, flows, outlines }: KindDeps) => ({
  takes_credentials: false,
  replays: false,
  async outline(scope: Scope, document: WorkflowDocument): Promise<readonly OutlineItem[]> {
    const checked = await planner().check(scope, document.source, storedName(document));
    if (!('errors' in checked)) return outlineGraph(checked.graph, document.source, outlines());
    const [{ pointer, message } = { pointer: '', message: 'it cannot be read' }] = checked.errors;
    return [{ does: 'unknown', what: `the graph is not valid: ${`${pointer} ${message}`.trim()}` }];
  },
  async check(scope: Scope, document: WorkflowDocument): Promise<Problem[]> {
    const checked = await planner().check(scope, document.source, storedName(document));
    if (!('errors' in checked)) return [];
    const { errors, count } = checked;
    const positions = positionsOf(
      document.source,
      errors.map(({ pointer }) => pointer),
    );
    const listed = errors.map(({ pointer, message }, n) => toProblem(pointer, message, positions[n]));
    const more = count - errors.length;
    if (more <= 0) return listed;
    // This comes last, because problems are listed in the order of their positions.
    const last = positions.toSorted((a, b) => a.line - b.line || a.column - b.column).at(-1);
    return [
      ...listed,
      toProblem('', `has ${more} more ${more === 1 ? 'error, which is' : 'errors, which are'} not listed`, last),
    ];
  },
  async inputSchema(_on: Reading, scope: Scope, document: WorkflowDocument): Promise<string | undefined> {
    const { graph } = planner().assertValid(planner().checkText(scope, document.source, storedName(document)));
    const { inputs } = graph.document;
    return inputs === undefined ? undefined : JSON.stringify(expandInputs(inputs));
  },
  async plan(on: Reading, scope: Scope, document: WorkflowDocument): Promise<WorkflowPlan> {
    const planned = planner().assertValid(planner().checkText(scope, document.source, storedName(document)));
    const states = await planner().states(on, scope, planned);
    planner().assertUsable(planned.named, states, ['wrong_kind', 'missing', 'conflict']);
    const { tags, cancel_on, subject } = planned.graph.document;
    return { activities: [], coordination: flows().coordination(planned.plan), about: { tags, cancel_on, subject } };
  },
});
