import type { Expressions } from '../../../../kernel/contracts/index.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { Ancestors, type Wiring } from './edges.ts';
import { describeUnknownNode } from './check-edges.ts';
import { type ExpressionReads, checkExpressions, type ReadScope } from './expression-check.ts';
import type { Findings } from './findings.ts';
import { FAN_OUT, asJson, type TypedNode } from './graph.ts';
import type { NameSuggester } from './name-suggester.ts';
import type { CompiledNodeType } from './node-type-catalog.ts';
import { beforeId } from './lower.ts';
import { type CollectedExpressions, findExpressions, isObject } from './values.ts';

/** Compiles the expressions of a graph, and finds what each node reads. */
export class ReadCheck {
  readonly #expressions: Expressions;
  readonly #wiring: Wiring;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #ids: ReadonlySet<string>;
  readonly #guesses: NameSuggester;
  readonly #findings: Findings;
  #ancestors: Ancestors | undefined;

  /** `guesses`: of ids of nodes. */
  constructor(expressions: Expressions, wiring: Wiring, guesses: NameSuggester, findings: Findings) {
    this.#expressions = expressions;
    this.#wiring = wiring;
    this.#numbers = new Map(wiring.ids.map((id, n) => [id, n]));
    this.#ids = new Set(wiring.ids);
    this.#guesses = guesses;
    this.#findings = findings;
  }

  /** Returns the nodes that a node reads, and records on it whether its key names the item. */
  checkNode(typed: TypedNode): string[] {
    const { index, node, type, config, inner } = typed;
    const at = `/nodes/${index}`;
    const explainUnreadable = (id: string) => this.#explainUnreadable(node.id, id);
    const items = type.type === FAN_OUT;
    const outside = collectExpressions(`${at}/config`, type, inner ? omitMember(config, 'node') : config);
    const inside = inner ? collectExpressions(`${at}/config/node/config`, inner.type, inner.config) : NOTHING;
    const key: CollectedExpressions = { expressions: [], errors: [] };
    findExpressions(asJson(node.idempotency_key ?? null), `${at}/idempotency_key`, true, key);
    this.#checkHelper(typed);
    const key_reads = this.#check(key, { items, explainUnreadable });
    typed.key_names_item = key_reads.uses_item;
    const config_reads = [
      this.#check(outside, { items: false, explainUnreadable }),
      this.#check(inside, { items, explainUnreadable }),
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
    const explainUnreadable = (id: string) =>
      this.#ids.has(id) ? scope.explainUnreadable(id) : () => describeUnknownNode(id, this.#guesses);
    this.#findings.addAll(errors);
    return checkExpressions(this.#expressions, expressions, { ...scope, explainUnreadable }, this.#findings);
  }
}

const NOTHING: CollectedExpressions = { expressions: [], errors: [] };
/** The scope in which every node can be read and there is no item. */
const EVERYWHERE: ReadScope = { items: false, explainUnreadable: () => undefined };

function collectExpressions(pointer: string, type: CompiledNodeType, config: NodeConfig): CollectedExpressions {
  const into: CollectedExpressions = { expressions: [], errors: [] };
  for (const [name, value] of Object.entries(config)) {
    const at = pointerTo(pointer, name);
    if (type.predicates?.includes(name)) continue;
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
