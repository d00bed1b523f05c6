import type { Expressions } from '../../../../kernel/contracts/index.ts';
import { findConcurrencyErrors } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { Ancestors, type Wiring } from './edges.ts';
import { describeUnknownNode } from './check-edges.ts';
import type { GraphConcurrency } from './concurrency.ts';
import { type ExpressionReads, checkExpressions, type ReadScope } from './expression-check.ts';
import type { Findings } from './findings.ts';
import { EACH, asJson, hasItems, type TypedNode, withoutBody } from './graph.ts';
import type { NameSuggester } from './name-suggester.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';
import { beforeId } from './lower.ts';
import { splitPredicates } from './predicates.ts';
import { type CollectedExpressions, findExpressions, isObject } from './values.ts';

/** Where a graph is that an `each` runs for its items. */
export interface Loop {
  /** The IDs of the nodes in each graph around it. */
  outer_ids: readonly ReadonlySet<string>[];
  /** The `each` passes an input. */
  has_input: boolean;
}

/** Compiles the expressions of a graph, and finds what each node reads. */
export class ReadCheck {
  readonly #expressions: Expressions;
  readonly #wiring: Wiring;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #ids: ReadonlySet<string>;
  readonly #guesses: NameSuggester;
  readonly #findings: Findings;
  readonly #inputs: ReadScope['inputs'];
  readonly #loop: Loop | undefined;
  #ancestors: Ancestors | undefined;

  /** `guesses`: of ids of nodes. */
  constructor(
    expressions: Expressions,
    wiring: Wiring,
    guesses: NameSuggester,
    { findings, inputs, loop }: { findings: Findings; inputs: ReadScope['inputs']; loop: Loop | undefined },
  ) {
    this.#expressions = expressions;
    this.#wiring = wiring;
    this.#numbers = new Map(wiring.ids.map((id, n) => [id, n]));
    this.#ids = new Set(wiring.ids);
    this.#guesses = guesses;
    this.#findings = findings;
    this.#inputs = inputs;
    this.#loop = loop;
  }

  /** Returns the nodes that a node reads, and records on it whether its key names the item. */
  checkNode(typed: TypedNode): string[] {
    const { index, node, type, config, inner } = typed;
    const at = `/nodes/${index}`;
    const explainUnreadable = (id: string) => this.#explainUnreadable(node.id, id);
    const items = hasItems(type);
    const evaluated = inner
      ? omitMember(config, 'node')
      : type.type === EACH
        ? withoutBody(omitMember(config, 'input'))
        : config;
    const outside = collectExpressions(`${at}/config`, type, evaluated);
    const passed: NodeConfig = type.type === EACH && config.input !== undefined ? { input: config.input } : {};
    const inside = inner ? collectExpressions(`${at}/config/node/config`, inner.type, inner.config) : NOTHING;
    const key: CollectedExpressions = { expressions: [], errors: [] };
    findExpressions(asJson(node.idempotency_key ?? null), `${at}/idempotency_key`, true, key);
    this.#checkHelper(typed);
    const key_reads = this.#check(key, { items, explainUnreadable });
    typed.key_names_item = key_reads.uses_item;
    const config_reads = [
      this.#check(outside, { items: false, explainUnreadable }),
      this.#check(inside, { items, explainUnreadable }),
      this.#check(collectExpressions(`${at}/config`, type, passed), { items, explainUnreadable }),
    ];
    return [...new Set([key_reads, ...config_reads].flatMap(({ reads }) => [...reads]))];
  }

  /** The nodes that the output of the graph reads. */
  checkOutput(checkOutput: unknown): string[] {
    if (!isObject(asJson(checkOutput)) && !Array.isArray(checkOutput)) return [];
    const into: CollectedExpressions = { expressions: [], errors: [] };
    findExpressions(asJson(checkOutput), '/output', false, into);
    return [...this.#check(into, EVERYWHERE).reads];
  }

  /** Checks a concurrency group, whose expressions can read only what the run is given. */
  checkConcurrency(concurrency: GraphConcurrency): void {
    const into: CollectedExpressions = { expressions: [], errors: [] };
    if (typeof concurrency === 'string') findExpressions(concurrency, '/concurrency', true, into);
    else {
      findExpressions(asJson(concurrency.group), '/concurrency/group', true, into);
      if (typeof concurrency.key === 'string')
        into.expressions.push({ pointer: '/concurrency/key', text: concurrency.key });
      if (typeof concurrency.throttle?.period === 'string')
        for (const { pointer, message } of findConcurrencyErrors(concurrency, '/concurrency'))
          this.#findings.add(pointer, message);
    }
    const [read] = this.#check(into, EVERYWHERE).reads;
    if (read !== undefined)
      this.#findings.add('/concurrency', `cannot read the node ${read}, because none has run yet`);
  }

  /** Explains why a node cannot read another; undefined when it can. */
  #explainUnreadable(from: string, id: string): string | undefined {
    const [self, other] = [this.#numbers.get(from)!, this.#numbers.get(id)!];
    if (this.#wiring.before[self]!.has(other)) return undefined;
    this.#ancestors ??= new Ancestors(this.#wiring);
    if (this.#ancestors.has(self, other)) return undefined;
    return id === from ? `${id} is this node itself` : `${id} does not run before ${from}: no edges lead from it`;
  }

  /** Checks the helper node that runs before a node: its id must be free, and it cannot read an item. */
  #checkHelper({ index, node, type, config, inner }: TypedNode): void {
    const before = (inner?.type ?? type).before?.(inner?.config ?? config);
    if (!before) return;
    const id = beforeId(node.id);
    if (this.#ids.has(id))
      this.#findings.add(`/nodes/${index}/id`, `needs a separate node ${id}, but this id is in use`);
    if (!inner) return;
    const pointer = `/nodes/${index}/config/node/config`;
    const into: CollectedExpressions = { expressions: [], errors: [] };
    findExpressions(before.config ?? null, pointer, false, into);
    this.#check({ expressions: into.expressions.map((one) => ({ ...one, pointer })), errors: [] }, EVERYWHERE);
  }

  #check({ expressions, errors }: CollectedExpressions, scope: ReadScope): ExpressionReads {
    const explainUnreadable = (id: string) => {
      if (this.#ids.has(id)) return scope.explainUnreadable(id);
      if (this.#loop?.outer_ids.some((ids) => ids.has(id)))
        return `${id} is a node outside of the each, whose nodes cannot read it; pass what they need with its \`input\``;
      return () => describeUnknownNode(id, this.#guesses);
    };
    const { items } = scope;
    this.#findings.addAll(errors);
    return checkExpressions(
      this.#expressions,
      expressions,
      { items: items || this.#loop !== undefined, loop: this.#loop, inputs: this.#inputs, explainUnreadable },
      this.#findings,
    );
  }
}

const NOTHING: CollectedExpressions = { expressions: [], errors: [] };
/** The scope in which every node can be read and there is no item. */
const EVERYWHERE: ReadScope = { items: false, explainUnreadable: () => undefined };

function collectExpressions(pointer: string, type: CompiledNodeType, config: NodeConfig): CollectedExpressions {
  const into: CollectedExpressions = { expressions: [], errors: [] };
  const { predicates, rest } = splitPredicates(type, config, pointer);
  for (const { pointer: at, value } of type.trigger ? [] : predicates)
    if (typeof value === 'string') into.expressions.push({ pointer: at, text: value, event: true });
  for (const [name, value] of Object.entries(rest)) {
    const at = pointerTo(pointer, name);
    if (type.expressions?.includes(name) && typeof value === 'string')
      into.expressions.push({ pointer: at, text: value });
    else findExpressions(value, at, type.holes?.includes(name) ?? false, into);
  }
  return into;
}

function omitMember(config: NodeConfig, member: string): NodeConfig {
  const { [member]: _left_out, ...rest } = config;
  return rest;
}
