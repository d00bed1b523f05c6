import type { Expressions } from '../../../kernel/contracts/index.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { NodeConfig } from '../contract.ts';
import { Ancestors, type Wiring } from './edges.ts';
import { noNode } from './check-edges.ts';
import { type CheckedExpressions, checkExpressions, type Place } from './expression-check.ts';
import type { Findings } from './findings.ts';
import { FAN_OUT, json, type TypedNode } from './graph.ts';
import type { Guesses } from './guesses.ts';
import type { KnownType } from './known-types.ts';
import { beforeId } from './lower.ts';
import { type Expressed, expressionsIn, isObject } from './values.ts';

/** Compiles the expressions of a graph, and finds what each node reads. */
export class ReadCheck {
  readonly #expressions: Expressions;
  readonly #wiring: Wiring;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #ids: ReadonlySet<string>;
  readonly #guesses: Guesses;
  readonly #findings: Findings;
  #ancestors: Ancestors | undefined;

  /** `guesses`: of ids of nodes. */
  constructor(expressions: Expressions, wiring: Wiring, guesses: Guesses, findings: Findings) {
    this.#expressions = expressions;
    this.#wiring = wiring;
    this.#numbers = new Map(wiring.ids.map((id, n) => [id, n]));
    this.#ids = new Set(wiring.ids);
    this.#guesses = guesses;
    this.#findings = findings;
  }

  /** The nodes that a node reads. Says of the node whether its key names the item. */
  node(typed: TypedNode): string[] {
    const { index, node, type, config, inner } = typed;
    const at = `/nodes/${index}`;
    const unreadable = (id: string) => this.#unreadable(node.id, id);
    const items = type.type === FAN_OUT;
    const outside = expressedIn(`${at}/config`, type, inner ? without(config, 'node') : config);
    const inside = inner ? expressedIn(`${at}/config/node/config`, inner.type, inner.config) : NOTHING;
    const key: Expressed = { found: [], faults: [] };
    expressionsIn(json(node.idempotency_key ?? null), `${at}/idempotency_key`, true, key);
    this.#before(typed);
    const of_key = this.#checked(key, { items, unreadable });
    typed.key_of_item = of_key.of_item;
    const others = [this.#checked(outside, { items: false, unreadable }), this.#checked(inside, { items, unreadable })];
    return [...new Set([of_key, ...others].flatMap(({ reads }) => [...reads]))];
  }

  /** The nodes that the output of the graph reads. */
  output(output: unknown): string[] {
    if (!isObject(json(output)) && !Array.isArray(output)) return [];
    const into: Expressed = { found: [], faults: [] };
    expressionsIn(json(output), '/output', false, into);
    return [...this.#checked(into, EVERYWHERE).reads];
  }

  /** Why a node cannot read another; undefined when it can. */
  #unreadable(from: string, id: string): string | undefined {
    const [self, other] = [this.#numbers.get(from)!, this.#numbers.get(id)!];
    if (this.#wiring.before[self]!.has(other)) return undefined;
    this.#ancestors ??= new Ancestors(this.#wiring);
    if (this.#ancestors.has(self, other)) return undefined;
    return id === from ? `${id} is this node itself` : `${id} does not run before ${from}: no edges lead from it`;
  }

  /** What is done before a node: its id is free, and it knows no item. */
  #before({ index, node, type, config, inner }: TypedNode): void {
    const before = (inner?.type ?? type).before?.(inner?.config ?? config);
    if (!before) return;
    const id = beforeId(node.id);
    if (this.#ids.has(id))
      this.#findings.add(`/nodes/${index}/id`, `needs a node ${id} of its own, and there is one of this id`);
    if (!inner) return;
    const pointer = `/nodes/${index}/config/node/config`;
    const into: Expressed = { found: [], faults: [] };
    expressionsIn(before.config ?? null, pointer, false, into);
    this.#checked({ found: into.found.map((one) => ({ ...one, pointer })), faults: [] }, EVERYWHERE);
  }

  #checked({ found, faults }: Expressed, place: Place): CheckedExpressions {
    const unreadable = (id: string) => (this.#ids.has(id) ? place.unreadable(id) : () => noNode(id, this.#guesses));
    this.#findings.addAll(faults);
    return checkExpressions(this.#expressions, found, { ...place, unreadable }, this.#findings);
  }
}

const NOTHING: Expressed = { found: [], faults: [] };
/** Every node can be read, and there is no item. */
const EVERYWHERE: Place = { items: false, unreadable: () => undefined };

function expressedIn(pointer: string, type: KnownType, config: NodeConfig): Expressed {
  const into: Expressed = { found: [], faults: [] };
  for (const [name, value] of Object.entries(config)) {
    const at = pointerTo(pointer, name);
    if (type.predicates?.includes(name)) continue;
    if (type.expressions?.includes(name) && typeof value === 'string') into.found.push({ pointer: at, text: value });
    else expressionsIn(value, at, type.holes?.includes(name) ?? false, into);
  }
  return into;
}

function without(config: NodeConfig, member: string): NodeConfig {
  const { [member]: _left_out, ...rest } = config;
  return rest;
}
