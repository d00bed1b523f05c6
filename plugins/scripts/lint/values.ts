import type { ScriptNames } from './script-names.ts';
import { namesOf, type Node, partsOf } from './tree.ts';

/** Calls that answer otherwise on each pass, by their full names. */
export interface VaryingCalls {
  always: readonly RegExp[];
  /** Only without arguments: what is given a time or a seed answers the same. */
  alone: readonly RegExp[];
  /** True where a name counts only if it was imported. */
  imported: boolean;
}

/** Follows which variables of a script differ from pass to pass. */
export class Values {
  readonly #names: ScriptNames;
  readonly #calls: VaryingCalls;
  readonly #seeded: boolean;
  /** Variables whose last value varies, with the text that says why. */
  readonly #varying = new Map<string, string>();
  /** What the functions around have changed of their own variables, to be undone behind them. */
  #undo: [name: string, before: string | undefined][] = [];
  readonly #answers = new Map<Node, string | undefined>();

  constructor(names: ScriptNames, calls: VaryingCalls, tree: Node) {
    this.#names = names;
    this.#calls = calls;
    this.#seeded = this.#seeds(tree);
  }

  /** A script that seeds the common source of random numbers gets the same ones on each pass. */
  #seeds(node: Node): boolean {
    const seeds = node.k === 'call' && this.#names.meaning(node.f ?? '') === 'random.seed' && (node.a ?? []).length > 0;
    return seeds || partsOf(node).some((part) => this.#seeds(part));
  }

  /** Why what a node comes to varies; undefined when nothing says that it does. */
  why(node: Node): string | undefined {
    if (node.k === 'function' || this.#names.verbCall(node)) return undefined;
    const own = node.k === 'name' ? this.#whyName(String(node.v)) : node.k === 'call' ? this.#whyCall(node) : undefined;
    if (own !== undefined) return own;
    for (const part of partsOf(node)) {
      const found = this.why(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #whyName(dotted: string): string | undefined {
    const root = dotted.split('.', 1)[0]!;
    const from = this.#varying.get(root);
    if (from !== undefined) return `\`${root}\`, which is made of ${from}`;
    return this.#varies(dotted, false) ? `\`${dotted}\`` : undefined;
  }

  #whyCall(node: Node): string | undefined {
    const { f, a = [], n = {} } = node;
    if (f === undefined) return undefined;
    const alone = a.length === 0 && Object.keys(n).length === 0;
    if (this.#varies(f, alone)) return `\`${f}${alone ? '()' : '(…)'}\``;
    return this.#whyName(f) ?? this.#whyAnswer(this.#names.functions.get(f), f);
  }

  #varies(dotted: string, alone: boolean): boolean {
    const { always, alone: only, imported } = this.#calls;
    if (imported && !this.#names.imported(dotted)) return false;
    const meaning = this.#names.meaning(dotted);
    if (meaning === undefined || (this.#seeded && /^random\.[a-z]/.test(meaning))) return false;
    return always.some((one) => one.test(meaning)) || (alone && only.some((one) => one.test(meaning)));
  }

  /** Why a function of the script answers otherwise each time. */
  #whyAnswer(called: Node | undefined, name: string): string | undefined {
    if (!called) return undefined;
    if (!this.#answers.has(called)) {
      // Stands for a function that calls itself.
      this.#answers.set(called, undefined);
      this.within(called, () => this.#answers.set(called, this.#answer(partsOf(called))));
    }
    const from = this.#answers.get(called);
    return from === undefined ? undefined : `\`${name}()\`, which is made of ${from}`;
  }

  #answer(nodes: readonly Node[]): string | undefined {
    for (const node of nodes) {
      if (node.k === 'function') continue;
      const found = node.k === 'return' ? node.a?.map((one) => this.why(one)).find((one) => one) : undefined;
      const deeper = found ?? this.#answer(partsOf(node));
      if (deeper !== undefined) return deeper;
      if (node.k === 'set') this.assign(node);
    }
    return undefined;
  }

  /** Behind the assignment. The last value counts. */
  assign(node: Node): void {
    if (node.bare) return;
    const why = (node.a ?? []).map((one) => this.why(one)).find((one) => one !== undefined);
    for (const name of namesOf(node)) this.#set(name, why, node.d === true);
  }

  #set(name: string, why: string | undefined, own: boolean): void {
    if (own) this.#undo.push([name, this.#varying.get(name)]);
    if (why === undefined) this.#varying.delete(name);
    else this.#varying.set(name, why);
  }

  /** Its parameters and variables hide those around it, and are gone behind it. */
  within(called: Node, look: () => void): void {
    const around = this.#undo;
    this.#undo = [];
    for (const name of called.p ?? []) this.#set(name, undefined, true);
    look();
    for (const [name, before] of this.#undo.toReversed()) this.#set(name, before, false);
    this.#undo = around;
  }
}
