import { BoundedMap, type Expressions } from '../../../../kernel/contracts/index.ts';
import type { ChangingNodeTypes, FlowNodeType, GraphNodeType } from '../../../engine/flows/contract.ts';
import {
  type Connector,
  type ConnectorCheck,
  type ConnectorManifests,
  formatProblem,
  ManifestErrors,
} from '../../manifests/contract.ts';
import type { NodeRequests } from '../../requests/contract.ts';
import type { ConnectorAction, ConnectorActions, ConnectorTest, ConnectorTrigger } from '../contract.ts';
import { actionList, builtinActions, compileConnector } from './compile-connectors.ts';
import { flowNode, graphNode } from './nodes.ts';

/** Removed actions that open runs can still use. A restart forgets them. */
const MAX_REMOVED = 1000;

interface CompiledConnector {
  actions: readonly ConnectorAction[];
  /** The triggers and the test of a connector that comes with svc are compiled at their first use. */
  triggers: () => readonly ConnectorTrigger[];
  test: () => ConnectorTest | undefined;
  nodes: readonly GraphNodeType[];
}

export interface LiveActionsDeps {
  manifests: ConnectorManifests;
  expressions: Expressions;
  requests: () => NodeRequests;
  /** The node types that are no actions of connectors which can change. */
  fixedTypes: () => ReadonlySet<string>;
}

/** The actions of the connectors as they are now. Each version of a connector is compiled once. */
export class LiveActions implements ConnectorActions, ChangingNodeTypes {
  readonly name = 'connectors';
  readonly #deps: LiveActionsDeps;
  readonly #compiled = new WeakMap<Connector, CompiledConnector>();
  readonly #removed = new BoundedMap<string, ConnectorAction>(MAX_REMOVED);
  #of: readonly Connector[] | undefined;
  #list: ConnectorActions = actionList([]);
  #nodes: ReadonlyMap<string, GraphNodeType> = new Map();

  constructor(deps: LiveActionsDeps) {
    this.#deps = deps;
  }

  find(type: string): ConnectorAction | undefined {
    return this.#current().find(type);
  }

  all(): readonly ConnectorAction[] {
    return this.#current().all();
  }

  findTrigger(connector: string, trigger: string): ConnectorTrigger | undefined {
    const found = this.#connector(connector);
    if (found?.manifest.triggers?.[trigger] === undefined) return undefined;
    return this.#compile(found)
      .triggers()
      .find(({ name }) => name === trigger);
  }

  findTest(connector: string): ConnectorTest | undefined {
    const found = this.#connector(connector);
    return found?.manifest.test === undefined ? undefined : this.#compile(found).test();
  }

  #connector(name: string): Connector | undefined {
    return this.#deps.manifests.connectors().find(({ manifest }) => manifest.name === name);
  }

  findFlowNode(type: string): FlowNodeType | undefined {
    const action = this.find(type) ?? this.#removed.get(type);
    return action && flowNode(action, this.#deps.requests);
  }

  graphNodes(): ReadonlyMap<string, GraphNodeType> {
    this.#current();
    return this.#nodes;
  }

  /** Throws `connector_invalid` with every fault of every connector that does not come with svc. */
  assertValid(): void {
    const faults = this.#deps.manifests
      .connectors()
      .filter(({ builtin }) => !builtin)
      .flatMap((one) => this.check.check(one, undefined).map((fault) => `${one.origin}: ${formatProblem(fault)}`));
    if (faults.length > 0) throw ManifestErrors.connectorInvalid(faults.join('\n'));
  }

  /** Templates must compile, and no other plugin may have the type of an action. */
  readonly check: ConnectorCheck = {
    name: 'connectors',
    check: (connector) => {
      const { actions, problems } = compileConnector(connector, this.#deps.expressions);
      const fixed = connector.watched ? this.#deps.fixedTypes() : new Set();
      const conflicts = actions
        .filter(({ type }) => fixed.has(type))
        .map(({ type, name }) => ({
          pointer: `/actions/${name}`,
          rule: 'name_taken',
          message: `${type} is a node type of another plugin`,
          fix: 'give the connector or the action another name',
        }));
      return [...problems, ...conflicts];
    },
  };

  #current(): ConnectorActions {
    const connectors = this.#deps.manifests.connectors();
    if (connectors === this.#of) return this.#list;
    const before = this.#list;
    const compiled = connectors.map((one) => this.#compile(one));
    const changing = compiled.filter((_, i) => connectors[i]!.watched).flatMap(({ nodes }) => nodes);
    this.#list = actionList(compiled.flatMap(({ actions }) => actions));
    this.#nodes = new Map(changing.map((one) => [one.type, one]));
    this.#of = connectors;
    for (const action of before.all())
      if (this.#list.find(action.type) === undefined) this.#removed.set(action.type, action);
    return this.#list;
  }

  #compile(connector: Connector): CompiledConnector {
    const cached = this.#compiled.get(connector);
    if (cached) return cached;
    const { expressions } = this.#deps;
    let result: ReturnType<typeof compileConnector> | undefined;
    const compile = () => (result ??= compileConnector(connector, expressions));
    const actions = connector.builtin ? builtinActions(connector, expressions) : compile().actions;
    const nodes = connector.watched ? actions.map(graphNode) : [];
    const compiled = { actions, triggers: () => compile().triggers, test: () => compile().test, nodes };
    this.#compiled.set(connector, compiled);
    return compiled;
  }
}
