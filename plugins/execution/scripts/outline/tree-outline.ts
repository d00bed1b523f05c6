import type { OutlineItem, OutlinePosition } from '../../../engine/runs/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';
import { ScriptNames, type VerbCall } from '../lint/script-names.ts';
import { childNodes, literalText, type Node } from '../lint/tree.ts';
import type { Argument } from '../lint/verb-arguments.ts';
import { outlineBash } from './bash-outline.ts';
import { calledByName, itemsOfCall, itemsOfNode, itemsOfWords } from './verb-items.ts';

const SDK = /^(?:svc\/sdk|svc_sdk(?:\.aio)?)\.(\w+)$/;
/** Functions of the SDKs that matter when a script passes them on instead of calling them. */
const MATTERS =
  /^(?:emit|wait_?[eE]vent|wait_?[aA]ny|lock|activity|activity_?[sS]ubmit|id_?[tT]oken|spawn|call|call_?[nN]ode|call_?[gG]raph|verb)$/;
/** Functions that start a program from a text. */
const RUNS_TEXT = /^(?:os\.(?:system|popen)|subprocess\.getstatusoutput|child_process\.exec(?:Sync)?)$/;
const STARTS =
  /^(?:os\.(?:exec|spawn|posix_spawn)\w*|pty\.spawn|worker_threads\.Worker|subprocess\.(?:run|call|check_call|check_output|Popen|getoutput)|asyncio\.create_subprocess_(?:exec|shell)|child_process\.(?:execFile|spawn|fork)(?:Sync)?)$/;
/** Modules that must not be used as values, because calls of their functions are then not seen. */
const MODULE = /^(?:svc\/sdk|svc_sdk(?:\.aio)?|(?:node:)?child_process|subprocess)$/;
/** Functions that load a module by its name. */
const LOADS = /^(?:import|require|__import__|importlib\.import_module)$/;
const RUNS_CODE = /^(?:eval|exec|Function|builtins\.(?:eval|exec)|vm\.\w+|runpy\.\w+)$/;

/** Lists what a script of JavaScript or Python may do. */
export function outlineTree(tree: Node, verbs: ReadonlyMap<string, VerbHelp>): OutlineItem[] {
  return new TreeOutline(tree, verbs).run();
}

class TreeOutline {
  readonly #tree: Node;
  readonly #verbs: ReadonlyMap<string, VerbHelp>;
  readonly #names: ScriptNames;
  readonly #items: OutlineItem[] = [];

  constructor(tree: Node, verbs: ReadonlyMap<string, VerbHelp>) {
    this.#tree = tree;
    this.#verbs = verbs;
    this.#names = new ScriptNames(tree, new Set([...verbs.keys()].map((verb) => verb.split(' ', 1)[0]!)));
  }

  run(): OutlineItem[] {
    this.#walk(this.#tree);
    return this.#items;
  }

  #walk(node: Node): void {
    if (node.k === 'call') this.#call(node);
    if (node.k === 'name') this.#name(node);
    if (node.k === 'import' && node.m?.['*'] === '*' && MODULE.test(String(node.v)))
      this.#unknown(node, `imports everything from ${String(node.v)}`);
    for (const part of childNodes(node)) this.#walk(part);
  }

  #name(node: Node): void {
    const name = String(node.v);
    const meaning = this.#names.meaning(name) ?? '';
    if (meaning === 'eval') return this.#unknown(node, 'uses eval without calling it here');
    if (!this.#names.imported(name)) return;
    const operation = SDK.exec(meaning)?.[1];
    if (operation !== undefined && MATTERS.test(operation))
      this.#unknown(node, `uses ${operation} of the SDK without calling it here`);
    else if (MODULE.test(meaning)) this.#unknown(node, `uses the module ${meaning} as a value`);
    else if (RUNS_TEXT.test(meaning) || STARTS.test(meaning))
      this.#unknown(node, `uses ${meaning} without calling it here`);
  }

  #call(node: Node): void {
    const at = { line: node.l };
    const call = this.#names.verbCall(node);
    if (call?.words) this.#items.push(...itemsOfWords(call.words.map(toArgument), this.#verbs, at));
    else if (call) this.#items.push(...this.#sdkItems(node, call, at));
    else this.#program(node, at);
  }

  #sdkItems(node: Node, { verb, name, label }: VerbCall, at: OutlinePosition): OutlineItem[] {
    const written = SDK.exec(this.#names.meaning(node.f ?? '') ?? '')?.[1];
    // Such as `emit.call(…)`.
    if (written === undefined)
      return [{ ...at, does: 'unknown', what: `calls ${label} in a way that svc does not read` }];
    const operation = written.replaceAll('_', '').toLowerCase();
    const [first, second, third] = node.a ?? [];
    const text = literalText(name);
    const keywords = node.n ?? {};
    const option = (key: string): Node | undefined =>
      keywords[key] ?? [second, third].map((one) => one?.n?.[key]).find((one) => one);
    if (operation === 'callnode')
      return text === undefined
        ? [{ ...at, does: 'unknown', what: 'calls a node whose type is computed' }]
        : itemsOfNode(text, toJson(second ?? keywords.config ?? { k: 'all', l: 0, c: 0, n: {} }), at);
    if (operation === 'callgraph' || operation === 'call')
      return text === undefined
        ? [
            {
              ...at,
              does: 'unknown',
              what: `calls a ${operation === 'call' ? 'function' : 'graph'} whose name is computed`,
            },
          ]
        : [calledByName(operation === 'call' ? 'function' : 'graph', text, at)];
    if (operation === 'waitany') return this.#waitAny(first ?? { ...node, k: 'all', a: [] }, keywords, at);
    if (operation === 'verb') return itemsOfWords([{ text: verb }, { any_number: true }], this.#verbs, at);
    const options = new Map<string, Argument[]>();
    // Options that the script builds elsewhere may name agents.
    const options_of_activity = keywords.command ? second : third;
    const may_require =
      verb.startsWith('activity') && options_of_activity?.n === undefined ? options_of_activity : undefined;
    const requires = option('requires') ?? may_require;
    if (requires)
      options.set('requires', requires.k === 'list' ? (requires.a ?? []).map(toArgument) : [toArgument(requires)]);
    // An object that the script builds elsewhere may say it.
    const opaque = verb === 'wait-event' && second !== undefined && second.n === undefined;
    if (opaque || option('untrusted')) options.set('untrusted', []);
    const when = literalText(option('when'));
    if (when !== undefined) options.set('when', [{ text: when }]);
    return itemsOfCall(verb, { positionals: name ? [toArgument(name)] : [], options }, at);
  }

  /** The events of a `waitAny`: texts and objects with a type, in whatever the SDK takes them. */
  #waitAny(what: Node, keywords: Record<string, Node>, at: OutlinePosition): OutlineItem[] {
    const events = keywords.events ?? what.n?.events ?? what.n?.event;
    const is_opaque = what.k !== 'all' && what.n === undefined;
    if (!events) return !is_opaque && (what.n || Object.keys(keywords).length > 0) ? [] : [this.#computedWait(at)];
    const each = events.k === 'list' ? (events.a ?? []) : [events];
    const untrusted = is_opaque || (keywords.untrusted ?? what.n?.untrusted) !== undefined;
    return each.map((event) => {
      const type = literalText(event) ?? literalText(event.n?.type);
      return type === undefined ? this.#computedWait(at) : { ...at, does: 'wait', type, untrusted };
    });
  }

  #computedWait = (at: OutlinePosition): OutlineItem => ({
    ...at,
    does: 'unknown',
    what: 'waits for something that is computed',
  });

  #program(node: Node, at: { line: number }): void {
    const meaning = this.#names.meaning(node.f ?? '') ?? '';
    const [loaded] = node.a ?? [];
    const module = literalText(loaded);
    if (SDK.exec(meaning)?.[1] === 'verb') return this.#unknown(node, 'calls a verb whose name is computed');
    if (module !== undefined && MODULE.test(module))
      return this.#unknown(node, `loads ${module} where svc cannot follow it`);
    if (LOADS.test(meaning) && loaded && module === undefined)
      return this.#unknown(node, 'loads a module whose name is computed');
    if (RUNS_CODE.test(meaning)) return this.#unknown(node, `runs code that ${node.f} is given`);
    const runs_text = RUNS_TEXT.test(meaning);
    if (!runs_text && !STARTS.test(meaning)) return;
    const [first, second] = node.a ?? [];
    const words = first?.k === 'list' ? (first.a ?? []) : [first, ...(second?.k === 'list' ? (second.a ?? []) : [])];
    const program = literalText(words[0]);
    if (program === undefined) return this.#unknown(node, 'starts a program whose name is computed');
    if (runs_text || /\s/.test(program)) {
      this.#items.push(...outlineBash(program, this.#verbs, at.line));
      return;
    }
    const texts = words.map((word) => (word ? literalText(word) : undefined));
    if (program === 'svc')
      this.#items.push(
        ...itemsOfWords(
          words.slice(1).map((word) => toArgument(word!)),
          this.#verbs,
          at,
        ),
      );
    else if (texts.every((text) => text !== undefined))
      this.#items.push(...outlineBash(texts.map(quote).join(' '), this.#verbs, at.line));
    else if (/\/|^(?:(?:ba|da|z|k)?sh|python3?|node|env|xargs)$/.test(program))
      this.#unknown(node, `starts ${program}, which svc does not read`);
  }

  #unknown({ l: line }: Node, what: string): void {
    this.#items.push({ does: 'unknown', what, line });
  }
}

const quote = (text: string | undefined): string =>
  /^[\w./:=@-]+$/.test(text ?? '') ? text! : `'${(text ?? '').replaceAll("'", "'\\''")}'`;

function toArgument(word: Node): Argument {
  if (word.k === 'spread') return { any_number: true };
  const text = literalText(word);
  return text === undefined ? { any_number: false } : { text };
}

/** Returns the value of a literal; undefined if a part of it is computed. */
function toJson(node: Node): unknown {
  if (node.k === 'text') return literalText(node);
  if (node.k === 'list') {
    const items = (node.a ?? []).map(toJson);
    return items.includes(undefined) ? undefined : items;
  }
  if (node.k !== 'all' || node.n === undefined || (node.a ?? []).length > 0) return undefined;
  const members = Object.entries(node.n).map(([name, value]) => [name, toJson(value)] as const);
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members);
}
