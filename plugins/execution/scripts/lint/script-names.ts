import { unknownName, unknownVerb } from './suggestions.ts';
import { getNames, type Node, childNodes, literalText } from './tree.ts';

const SDK = /^(?:svc\/sdk|svc_sdk(?:\.aio)?)$/;
const SDKS = /^(?:svc\/sdk|svc_sdk(?:\.aio)?)\./;
const WORKFLOW = /^svc_sdk(?:\.aio)?\.workflow$/;
const SERVE = /^(?:svc\/sdk|svc_sdk(?:\.aio)?)\.serve$/;
/** The verbs of SDK functions, where they differ from the function's own name. */
const VERB_BY_FUNCTION: Readonly<Record<string, string>> = {
  exec: 'step',
  'artifact-put': 'artifact',
  'call-node': 'call',
  'call-graph': 'call',
};
/** What the SDKs answer without their agent. */
const LOCAL_VERBS = new Set(['input', 'data', 'idempotency-key']);
const STARTERS =
  /^(subprocess\.(run|call|check_call|check_output|Popen)|asyncio\.create_subprocess_exec|child_process\.(execFile|spawn)(Sync)?)$/;
/** Parameters by which Python may name the first argument. */
const NAME_PARAMETERS = ['name', 'type', 'group'];
const NOTHING: readonly Node[] = [];

/** A call of a verb. */
export interface VerbCall {
  verb: string;
  /** As the script writes it. */
  label: string;
  /** What a replay may compare. */
  name: Node | undefined;
  /** The function that a step runs. */
  work: Node | undefined;
  /** The words of the command that a step runs. */
  command: readonly Node[];
  /** The words after `svc`, for a program that the script starts. */
  words?: readonly Node[];
}

/** Knows what the names in a script mean. */
export class ScriptNames {
  readonly functions = new Map<string, Node>();
  readonly #imports = new Map<string, string>();
  readonly #set = new Set<string>();
  readonly #verbs: ReadonlySet<string>;
  /** Functions of the script that call `svc` with words that they are given. */
  readonly #wrappers = new Map<string, 'rest' | 'list'>();

  constructor(tree: Node, verbs: ReadonlySet<string>) {
    this.#verbs = verbs;
    this.#collect(tree, undefined);
  }

  #collect(node: Node, within: Node | undefined): void {
    if (node.k === 'import') this.#import(node);
    if (node.k === 'set') for (const name of getNames(node)) this.#set.add(name);
    if (node.k === 'function' && typeof node.v === 'string') this.functions.set(node.v, node);
    if (node.k === 'call' && within) this.#wrapper(node, within);
    for (const part of childNodes(node)) this.#collect(part, node.k === 'function' ? node : within);
  }

  #import({ v = '', m = {} }: Node): void {
    const module = String(v).replace(/^node:/, '');
    for (const [local, name] of Object.entries(m))
      this.#imports.set(local, [module, name].filter((part) => part !== '').join('.'));
  }

  /** Detects `["svc", *words]`, or `'svc', words`, within a function that has the parameter `words`. */
  #wrapper(call: Node, { v, p = [], rest }: Node): void {
    if (typeof v !== 'string' || !this.#startsProgram(call)) return;
    const [svc, given] = programWords(call);
    const words = given?.k === 'spread' ? given.a?.[0] : given;
    const at = words?.k === 'name' ? p.indexOf(String(words.v)) : -1;
    if (literalText(svc) === 'svc' && at >= 0)
      this.#wrappers.set(v, rest === true && at === p.length - 1 ? 'rest' : 'list');
  }

  #startsProgram = ({ f = '' }: Node): boolean => STARTERS.test(this.meaning(f) ?? '');

  /** Returns the full name of what is imported or built in; undefined for what the script defines. */
  meaning(dotted: string): string | undefined {
    const [first = '', ...rest] = dotted.split('.');
    const module = this.#imports.get(first);
    if (module !== undefined) return [module, ...rest].join('.');
    return this.#set.has(first) || this.functions.has(first) ? undefined : dotted;
  }

  /** True for names that an import introduced. */
  imported = (dotted: string): boolean => this.#imports.has(dotted.split('.', 1)[0]!);

  /** Returns the function of the script that a node is, or names. */
  resolveFunction(node: Node | undefined): Node | undefined {
    if (node?.k === 'function') return node;
    return node?.k === 'name' ? this.functions.get(String(node.v)) : undefined;
  }

  /** Returns what is wrong with the SDK names or the verb in a node. */
  unknown(node: Node): { code: string; message: string } | undefined {
    const word = this.#verbWord(node);
    const verb = word === undefined ? undefined : unknownVerb(word, this.#verbs);
    if (verb !== undefined) return { code: 'lint_unknown_verb', message: verb };
    const [name] = this.#importedNames(node)
      .map((one) => unknownName(one.name, one.from.startsWith('svc/') ? 'javascript' : 'python'))
      .filter((message) => message !== undefined);
    return name === undefined ? undefined : { code: 'lint_unknown_name', message: name };
  }

  /** Returns the word after `svc` in the words of a program that is started. */
  #verbWord(node: Node): string | undefined {
    if (node.k !== 'call') return undefined;
    const words = this.#startsProgram(node) ? programWords(node) : undefined;
    if (words) return literalText(words[0]) === 'svc' ? literalText(words[1]) : undefined;
    const wrapper = this.#wrappers.get(node.f ?? '');
    if (wrapper === undefined) return undefined;
    return literalText(wrapper === 'rest' ? node.a?.[0] : node.a?.[0]?.a?.[0]);
  }

  /** Returns the names that an import takes from an SDK, or that are taken from what was imported. */
  #importedNames({ k, v, f, m = {} }: Node): { from: string; name: string }[] {
    if (k === 'import') return SDK.test(String(v)) ? Object.values(m).map((name) => ({ from: String(v), name })) : [];
    const dotted = k === 'call' ? f : k === 'name' ? String(v) : undefined;
    if (dotted === undefined || !dotted.includes('.') || !this.imported(dotted)) return [];
    const meaning = this.meaning(dotted) ?? '';
    const name = meaning.replace(SDKS, '').split('.', 1)[0]!;
    return SDKS.test(meaning) ? [{ from: meaning, name }] : [];
  }

  /** Returns the function that a call of `workflow` defines, or that `@workflow` decorates. */
  workflowBody({ k, f = '', a = [], g = 0 }: Node): Node | undefined {
    if (g > 0) {
      const isWorkflow = (one: Node) => WORKFLOW.test(this.meaning(one.f ?? getNames(one)[0] ?? '') ?? '');
      return a.slice(0, g).some(isWorkflow) ? a.at(-1) : undefined;
    }
    if (k !== 'call' || this.meaning(f) !== 'svc/sdk.workflow') return undefined;
    return this.resolveFunction(a.at(-1));
  }

  isServe = ({ k, f = '' }: Node): boolean => k === 'call' && SERVE.test(this.meaning(f) ?? '');

  verbCall(node: Node): VerbCall | undefined {
    if (node.k !== 'call') return undefined;
    const meaning = this.meaning(node.f ?? '') ?? '';
    if (SDKS.test(meaning)) return this.#sdkCall(node, meaning.replace(SDKS, ''));
    if (this.#startsProgram(node))
      return this.#command(node, programWords(node).slice(1), literalText(programWords(node)[0]));
    const wrapper = this.#wrappers.get(node.f ?? '');
    if (wrapper === undefined) return undefined;
    return this.#command(node, wrapper === 'rest' ? (node.a ?? []) : (node.a?.[0]?.a ?? []), 'svc');
  }

  #sdkCall(node: Node, operation: string): VerbCall | undefined {
    const { a = [], n = {} } = node;
    const name = kebab(operation.split('.', 1)[0]!);
    const verb = name === 'verb' ? (literalText(a[0]) ?? '') : (VERB_BY_FUNCTION[name] ?? name);
    if (LOCAL_VERBS.has(verb) || !this.#verbs.has(verb)) return undefined;
    const second = a[1] ?? n.work ?? n.fn;
    return {
      verb,
      label: node.f ?? verb,
      name: name === 'verb' ? undefined : (a[0] ?? NAME_PARAMETERS.map((one) => n[one]).find((one) => one)),
      work: this.resolveFunction(second),
      command: second?.k === 'list' ? (second.a ?? []) : NOTHING,
    };
  }

  /** Reads `svc step <name> -- <command>`, as words of a program that the script starts. */
  #command(node: Node, words: readonly Node[], program: string | undefined): VerbCall | undefined {
    const [first, name] = words;
    const verb = literalText(first) ?? '';
    if (program !== 'svc' || !this.#verbs.has(verb)) return undefined;
    const dashes = words.findIndex((word) => literalText(word) === '--');
    const command = dashes < 0 ? NOTHING : words.slice(dashes + 1);
    return {
      verb,
      label: `svc ${verb}`,
      name: name?.k === 'spread' ? undefined : name,
      work: undefined,
      command: node.a ? command : NOTHING,
      words,
    };
  }
}

/** Returns the words of a program that a call starts: one list, words, or a word and a list. */
function programWords({ a = [] }: Node): Node[] {
  const [first, second] = a;
  if (first?.k === 'list') return first.a ?? [];
  if (second?.k === 'list') return [first!, ...(second.a ?? [])];
  return a;
}

const kebab = (name: string): string =>
  name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
