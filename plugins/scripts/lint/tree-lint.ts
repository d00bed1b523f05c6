import type { Problem } from '../../runs/contract.ts';
import { verbInCommand } from './bash-lint.ts';
import { ScriptNames, type VerbCall } from './script-names.ts';
import { namesOf, type Node, partsOf, type Place, textOf } from './tree.ts';
import { type Argument, durationFault, type VerbArguments } from './verb-arguments.ts';
import { Values, type VaryingCalls } from './values.ts';

/** Warnings listed for one script. */
const MAX_WARNINGS = 50;
/** Functions that call each other, one in the other. */
const MAX_CALLS = 100;
/** Verbs whose name is compared in a replay. */
const NAMED = new Set('step wait-signal wait-event emit lock activity activity-submit activity-collect'.split(' '));
/** Verbs that a replay does not compare. */
const NOT_DURABLE = new Set(['input', 'output', 'annotate']);
const NESTED = 'call it before or behind the step';

/** The words behind `svc`, and what they take. */
export interface KnownVerbs {
  verbs: ReadonlySet<string>;
  taken: VerbArguments;
}

/** What a script does that its replay will probably not do again, and calls that a verb would refuse. */
export function lintTree(tree: Node, known: KnownVerbs, calls: VaryingCalls): Problem[] {
  return new TreeLint(tree, known, calls).run();
}

/** An expression is one argument, and nobody knows which; a list that is put in may be any number. */
function argumentOf(word: Node): Argument {
  if (word.k === 'spread') return { any_number: true };
  return { text: textOf(word) };
}

interface Branch {
  why: string | undefined;
  at: Node;
}

class TreeLint {
  readonly #tree: Node;
  readonly #verbs: ReadonlySet<string>;
  readonly #taken: VerbArguments;
  readonly #names: ScriptNames;
  readonly #values: Values;
  readonly #found = new Map<string, Problem>();
  /** Functions that a step runs. */
  readonly #works = new Set<Node>();
  readonly #branches: Branch[] = [];
  /** Variables that only a step has set, and where. */
  readonly #lost = new Map<string, Node>();
  readonly #inner = new Map<Node, string | undefined>();
  #inStep = false;
  #calls = 0;

  constructor(tree: Node, { verbs, taken }: KnownVerbs, calls: VaryingCalls) {
    this.#tree = tree;
    this.#verbs = verbs;
    this.#taken = taken;
    this.#names = new ScriptNames(tree, verbs);
    this.#values = new Values(this.#names, calls, tree);
    this.#collectWorks(tree);
  }

  run(): Problem[] {
    this.#walk(this.#tree);
    return [...this.#found.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  #collectWorks(node: Node): void {
    const work = this.#names.verbCall(node)?.work;
    if (work) this.#works.add(work);
    for (const part of partsOf(node)) this.#collectWorks(part);
  }

  #walk(node: Node): void {
    if (node.k === 'branch') this.#branch(node);
    else if (node.k === 'function') this.#function(node);
    else {
      if (node.k === 'name') this.#read(String(node.v));
      if (node.k === 'call') this.#call(node);
      const unknown = this.#isFull() ? undefined : this.#names.unknown(node);
      if (unknown) this.#warn(node, unknown.code, unknown.message);
      for (const part of partsOf(node)) this.#walk(part);
      if (node.k === 'set') this.#assign(node);
      if (node.k === 'call' && !this.#inStep) this.#lose(this.#names.verbCall(node)?.work);
    }
  }

  #branch(node: Node): void {
    const { t, a = [] } = node;
    if (t) this.#walk(t);
    this.#branches.push({ why: t && this.#values.why(t), at: t ?? node });
    for (const part of a) this.#walk(part);
    this.#branches.pop();
  }

  #function(node: Node): void {
    const before = this.#inStep;
    this.#inStep ||= this.#works.has(node);
    this.#values.within(node, () => {
      for (const part of partsOf(node)) this.#walk(part);
    });
    this.#inStep = before;
  }

  #assign(node: Node): void {
    this.#values.assign(node);
    if (this.#inStep || node.bare) return;
    for (const name of namesOf(node)) this.#lost.delete(name);
  }

  #call(node: Node): void {
    if (node.f !== undefined) this.#read(node.f);
    const call = this.#names.verbCall(node);
    const said = call?.said ?? this.#verbWithin(this.#names.functions.get(node.f ?? ''));
    if (said === undefined) return;
    if (this.#inStep)
      return this.#warn(
        node,
        'lint_verb_in_step',
        `nothing can be recorded inside of a step: \`${said}\` fails in it; ${NESTED}`,
      );
    if (!NOT_DURABLE.has(call?.verb ?? '')) this.#condition(said);
    if (call) this.#durable(call);
    if (call) this.#arguments(node, call);
  }

  #arguments(node: Node, { verb, name, words }: VerbCall): void {
    if (words) {
      const given = words.map(argumentOf);
      for (const { at, message } of this.#taken.faultsOf(given))
        this.#warn(words[at] ?? node, 'lint_verb_arguments', message);
      return;
    }
    const text = textOf(name);
    const option = node.n?.timeout;
    const long = [verb === 'sleep' && name, option].flatMap((one) => (one ? [{ one, text: textOf(one) }] : []));
    for (const { one, text: said } of long) {
      const fault = said === undefined ? undefined : durationFault(said);
      if (fault !== undefined) this.#warn(one, 'lint_verb_arguments', fault);
    }
    const [signal] =
      verb === 'wait-signal' && text !== undefined ? this.#taken.faultsOf([{ text: verb }, { text }]) : [];
    if (signal && name) this.#warn(name, 'lint_verb_arguments', signal.message);
  }

  #condition(said: string): void {
    const around = this.#branches.find(({ why }) => why !== undefined);
    if (around)
      this.#warn(
        around.at,
        'lint_varying_condition',
        `\`${said}\` depends on ${around.why}, which differs when the script is replayed; decide by the result of a step`,
      );
  }

  #durable({ verb, name, command }: VerbCall): void {
    const why = name && NAMED.has(verb) ? this.#values.why(name) : undefined;
    if (name && why !== undefined)
      this.#warn(
        name,
        'lint_varying_name',
        `the name of this call is made of ${why}, which differs when the script is replayed; take it from the result of a step`,
      );
    const words = command.map((word) => textOf(word));
    const inside = verb === 'step' || verb === 'lock' ? verbInCommand(words, this.#verbs) : undefined;
    if (inside)
      this.#warn(
        command[inside.word]!,
        'lint_verb_in_step',
        `a step's command has no agent: \`svc ${inside.verb}\` fails in it; ${NESTED}`,
      );
  }

  /** The first verb that a function calls, itself or by the functions of the script that it calls. */
  #verbWithin(work: Node | undefined): string | undefined {
    if (!work || this.#calls >= MAX_CALLS) return undefined;
    if (!this.#inner.has(work)) {
      // Stands for a function that calls itself.
      this.#inner.set(work, undefined);
      this.#calls += 1;
      this.#inner.set(work, this.#firstVerb(work));
      this.#calls -= 1;
    }
    return this.#inner.get(work);
  }

  #firstVerb(node: Node): string | undefined {
    const call = this.#names.verbCall(node);
    if (call && !NOT_DURABLE.has(call.verb)) return call.said;
    const called = node.k === 'call' ? this.#verbWithin(this.#names.functions.get(node.f ?? '')) : undefined;
    if (called !== undefined) return called;
    for (const part of partsOf(node)) {
      const found = this.#firstVerb(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Behind a step: what its function has set of the script's variables, a replay does not set. */
  #lose(work: Node | undefined): void {
    if (!work) return;
    const own = new Set(work.p);
    const set = new Map<string, Node>();
    const collect = (node: Node): void => {
      if (node.k === 'function') for (const name of node.p ?? []) own.add(name);
      if (node.k === 'set')
        for (const name of namesOf(node))
          if (node.d === true) own.add(name);
          else set.set(name, node);
      for (const part of partsOf(node)) collect(part);
    };
    collect(work);
    for (const [name, at] of set) if (!own.has(name)) this.#lost.set(name, at);
  }

  #read(dotted: string): void {
    const name = dotted.split('.', 1)[0]!;
    const lost = this.#inStep ? undefined : this.#lost.get(name);
    if (!lost) return;
    this.#lost.delete(name);
    this.#warn(
      lost,
      'lint_lost_variable',
      `\`${name}\` is set inside of the step only, and a replay does not run the step again; return it from the step`,
    );
  }

  #warn({ l: line, c: column }: Place, code: string, message: string): void {
    const key = `${line}:${column} ${code}`;
    if (!this.#isFull() && !this.#found.has(key)) this.#found.set(key, { line, column, message, code });
  }

  #isFull(): boolean {
    return this.#found.size >= MAX_WARNINGS;
  }
}
