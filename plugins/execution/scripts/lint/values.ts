import type { ScriptNames } from './script-names.ts';
import { getNames, type Node, childNodes } from './tree.ts';

/** Calls that return something else on each pass, by their full names. */
export interface VaryingCalls {
  always: readonly RegExp[];
  /** Those that vary only without arguments; given a time or a seed they return the same. */
  without_arguments: readonly RegExp[];
  /** True if a name counts only when it was imported. */
  imported: boolean;
  /** Calls that a workflow makes only inside a step. */
  effects: readonly RegExp[];
  timers: readonly RegExp[];
}

/** Tracks which variables of a script differ from pass to pass. */
export class VaryingValues {
  readonly #names: ScriptNames;
  readonly #calls: VaryingCalls;
  readonly #seeded: boolean;
  /** Variables whose last value varies, with the reason. */
  readonly #varying = new Map<string, string>();
  /** What the functions around have changed of their own variables, to be undone afterwards. */
  #undo: [name: string, before: string | undefined][] = [];
  readonly #return_reasons = new Map<Node, string | undefined>();

  constructor(names: ScriptNames, calls: VaryingCalls, tree: Node) {
    this.#names = names;
    this.#calls = calls;
    this.#seeded = this.#seeds(tree);
  }

  /** A script that seeds the shared random number generator gets the same numbers on each pass. */
  #seeds(node: Node): boolean {
    const seeds = node.k === 'call' && this.#names.meaning(node.f ?? '') === 'random.seed' && (node.a ?? []).length > 0;
    return seeds || childNodes(node).some((part) => this.#seeds(part));
  }

  /** Returns why the value of a node varies, or undefined. */
  why(node: Node): string | undefined {
    if (node.k === 'function' || this.#names.verbCall(node)) return undefined;
    const is_local =
      node.k === 'name' ? this.#whyName(String(node.v)) : node.k === 'call' ? this.#whyCall(node) : undefined;
    if (is_local !== undefined) return is_local;
    for (const part of childNodes(node)) {
      const found = this.why(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns why a workflow must not make a call outside of a step, or undefined. */
  findEffect({ f, a = [] }: Node): { call: string; why: 'varies' | 'effect' | 'timer' } | undefined {
    if (f === undefined) return undefined;
    const alone = a.length === 0;
    const meaning = this.#names.meaning(f);
    const matches = (list: readonly RegExp[]) => meaning !== undefined && list.some((one) => one.test(meaning));
    const call = `\`${f}${alone ? '()' : '(…)'}\``;
    if (matches(this.#calls.timers)) return { call, why: 'timer' };
    if (matches(this.#calls.effects)) return { call, why: 'effect' };
    return this.#varies(f, alone) ? { call, why: 'varies' } : undefined;
  }

  #whyName(dotted: string): string | undefined {
    const root = dotted.split('.', 1)[0]!;
    const from = this.#varying.get(root);
    if (from !== undefined) return `\`${root}\`, which comes from ${from}`;
    return this.#varies(dotted, false) ? `\`${dotted}\`` : undefined;
  }

  #whyCall(node: Node): string | undefined {
    const { f, a = [], n = {} } = node;
    if (f === undefined) return undefined;
    const alone = a.length === 0 && Object.keys(n).length === 0;
    if (this.#varies(f, alone)) return `\`${f}${alone ? '()' : '(…)'}\``;
    return this.#whyName(f) ?? this.#whyReturn(this.#names.functions.get(f), f);
  }

  #varies(dotted: string, alone: boolean): boolean {
    const { always, without_arguments: only, imported } = this.#calls;
    if (imported && !this.#names.imported(dotted)) return false;
    const meaning = this.#names.meaning(dotted);
    if (meaning === undefined || (this.#seeded && /^random\.[a-z]/.test(meaning))) return false;
    return always.some((one) => one.test(meaning)) || (alone && only.some((one) => one.test(meaning)));
  }

  /** Returns why a function of the script returns something else each time. */
  #whyReturn(called: Node | undefined, name: string): string | undefined {
    if (!called) return undefined;
    if (!this.#return_reasons.has(called)) {
      // Stands for a function that calls itself.
      this.#return_reasons.set(called, undefined);
      this.inFunction(called, () => this.#return_reasons.set(called, this.#findVaryingReturn(childNodes(called))));
    }
    const from = this.#return_reasons.get(called);
    return from === undefined ? undefined : `\`${name}()\`, which comes from ${from}`;
  }

  #findVaryingReturn(nodes: readonly Node[]): string | undefined {
    for (const node of nodes) {
      if (node.k === 'function') continue;
      const found = node.k === 'return' ? node.a?.map((one) => this.why(one)).find((one) => one) : undefined;
      const deeper = found ?? this.#findVaryingReturn(childNodes(node));
      if (deeper !== undefined) return deeper;
      if (node.k === 'set') this.assign(node);
    }
    return undefined;
  }

  /** Called after an assignment; the last value counts. */
  assign(node: Node): void {
    if (node.bare) return;
    const why = (node.a ?? []).map((one) => this.why(one)).find((one) => one !== undefined);
    for (const name of getNames(node)) this.#set(name, why, node.d === true);
  }

  #set(name: string, why: string | undefined, own: boolean): void {
    if (own) this.#undo.push([name, this.#varying.get(name)]);
    if (why === undefined) this.#varying.delete(name);
    else this.#varying.set(name, why);
  }

  /** Its parameters and variables hide those around it, until it ends. */
  inFunction(called: Node, visit: () => void): void {
    const around = this.#undo;
    this.#undo = [];
    for (const name of called.p ?? []) this.#set(name, undefined, true);
    visit();
    for (const [name, before] of this.#undo.toReversed()) this.#set(name, before, false);
    this.#undo = around;
  }
}
