import type { Problem } from '../../../engine/runs/contract.ts';
import { NOT_DURABLE, verbInCommand } from './bash-lint.ts';
import { ScriptNames, type VerbCall } from './script-names.ts';
import { getNames, type Node, childNodes, type Position, literalText } from './tree.ts';
import { type Argument, findDurationProblem, type VerbArguments } from './verb-arguments.ts';
import { VaryingValues, type VaryingCalls } from './values.ts';

/** Maximum warnings for one script. */
const MAX_WARNINGS = 50;
/** Maximum depth of functions that call each other. */
const MAX_CALLS = 100;
/** Verbs whose name is compared in a replay. */
const NAMED = new Set(
  'step wait-signal wait-event wait-any wait-ask emit lock activity activity-submit activity-collect'.split(' '),
);
/** Methods that call a function at once, or in the same pass. */
const CALLS_ARGUMENT =
  /\.(map|flatMap|forEach|filter|find|findIndex|findLast|some|every|reduce|reduceRight|sort|toSorted|then|catch|finally)$/;
const OUTSIDE = {
  varies: 'returns a different value each time the workflow is replayed; call it inside a step',
  effect: 'runs again each time the workflow is replayed; call it inside a step',
  timer: 'starts again each time the workflow is replayed; use `sleep`',
};
const NESTED = 'call it before or after the step';

/** The words after `svc`, and what they take. */
export interface VerbTable {
  verbs: ReadonlySet<string>;
  verb_arguments: VerbArguments;
}

/** Reports what a script does that its replay will probably not repeat, and calls that a verb would reject. */
export function lintTree(tree: Node, verb_table: VerbTable, calls: VaryingCalls): Problem[] {
  return new TreeLint(tree, verb_table, calls).run();
}

/** True for a script that defines workflows but neither serves one nor calls anything when it runs. */
export function definesOnly(tree: Node, { verbs }: VerbTable): boolean {
  const names = new ScriptNames(tree, verbs);
  let defines = false;
  const doesSomething = (node: Node): boolean => {
    if (names.workflowBody(node)) defines = true;
    if (names.isServe(node) || names.verbCall(node)) return true;
    // What a function does counts only where it is called, which this cannot follow: any serve counts.
    const parts = node.k === 'function' ? childNodes(node).filter((part) => hasServe(part)) : childNodes(node);
    return parts.some(doesSomething);
  };
  const hasServe = (node: Node): boolean => names.isServe(node) || childNodes(node).some(hasServe);
  return !doesSomething(tree) && defines;
}

/** An expression is one argument with an unknown value; a list that is spread may be any number. */
function toArgument(word: Node): Argument {
  if (word.k === 'spread') return { any_number: true };
  return { text: literalText(word) };
}

interface Branch {
  why: string | undefined;
  at: Node;
}

class TreeLint {
  readonly #tree: Node;
  readonly #verbs: ReadonlySet<string>;
  readonly #verb_arguments: VerbArguments;
  readonly #names: ScriptNames;
  readonly #values: VaryingValues;
  readonly #problems = new Map<string, Problem>();
  /** Functions that a step runs. */
  readonly #works = new Set<Node>();
  /** Functions of workflows, and those that run as soon as the code around them. */
  readonly #bodies = new Set<Node>();
  readonly #immediate = new Set<Node>();
  readonly #effects = new Map<Node, { call: string; why: keyof typeof OUTSIDE } | undefined>();
  readonly #branches: Branch[] = [];
  /** Variables that only a step has set, and where. */
  readonly #lost = new Map<string, Node>();
  readonly #inner = new Map<Node, string | undefined>();
  #inStep = false;
  #inWorkflow = false;
  #calls = 0;

  constructor(tree: Node, { verbs, verb_arguments }: VerbTable, calls: VaryingCalls) {
    this.#tree = tree;
    this.#verbs = verbs;
    this.#verb_arguments = verb_arguments;
    this.#names = new ScriptNames(tree, verbs);
    this.#values = new VaryingValues(this.#names, calls, tree);
    this.#collectWorks(tree);
  }

  run(): Problem[] {
    this.#walk(this.#tree);
    return [...this.#problems.values()].toSorted((a, b) => a.line - b.line || a.column - b.column);
  }

  #collectWorks(node: Node): void {
    const work = this.#names.verbCall(node)?.work;
    if (work) this.#works.add(work);
    const body = this.#names.workflowBody(node);
    if (body) this.#bodies.add(body);
    if (node.k === 'call') for (const one of calledAtOnce(node)) this.#immediate.add(one);
    for (const part of childNodes(node)) this.#collectWorks(part);
  }

  #walk(node: Node): void {
    if (node.k === 'branch') this.#branch(node);
    else if (node.k === 'function') this.#function(node);
    else {
      if (node.k === 'name') this.#read(String(node.v));
      if (node.k === 'call') this.#call(node);
      const unknown = this.#isFull() ? undefined : this.#names.unknown(node);
      if (unknown) this.#warn(node, unknown.code, unknown.message);
      for (const part of childNodes(node)) this.#walk(part);
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
    const [in_step, in_workflow] = [this.#inStep, this.#inWorkflow];
    this.#inStep ||= this.#works.has(node);
    this.#inWorkflow = this.#bodies.has(node) || (in_workflow && this.#immediate.has(node));
    this.#values.inFunction(node, () => {
      for (const part of childNodes(node)) this.#walk(part);
    });
    [this.#inStep, this.#inWorkflow] = [in_step, in_workflow];
  }

  #assign(node: Node): void {
    this.#values.assign(node);
    if (this.#inStep || node.bare) return;
    for (const name of getNames(node)) this.#lost.delete(name);
  }

  #call(node: Node): void {
    if (node.f !== undefined) this.#read(node.f);
    if (this.#inWorkflow && !this.#inStep) this.#outside(node);
    const call = this.#names.verbCall(node);
    const said = call?.label ?? this.#findVerb(this.#names.functions.get(node.f ?? ''));
    if (said === undefined) return;
    if (this.#inStep)
      return this.#warn(
        node,
        'lint_verb_in_step',
        `nothing can be recorded inside a step: \`${said}\` fails in it; ${NESTED}`,
      );
    if (!NOT_DURABLE.has(call?.verb ?? '')) this.#condition(said);
    if (call) this.#durable(call);
    if (call) this.#arguments(node, call);
  }

  /** Reports clocks, random numbers and I/O that a replay of a workflow repeats. */
  #outside(node: Node): void {
    const direct = this.#values.findEffect(node);
    if (direct) return this.#warn(node, 'lint_outside_step', `${direct.call} ${OUTSIDE[direct.why]}`);
    const called = this.#findEffect(this.#names.functions.get(node.f ?? ''));
    if (called)
      this.#warn(node, 'lint_outside_step', `\`${node.f}\` calls ${called.call}, which ${OUTSIDE[called.why]}`);
  }

  /** Returns the first such call that a function of the script makes outside of steps, itself or through others. */
  #findEffect(called: Node | undefined): { call: string; why: keyof typeof OUTSIDE } | undefined {
    if (!called || this.#works.has(called) || this.#calls >= MAX_CALLS) return undefined;
    if (!this.#effects.has(called)) {
      // Stands for a function that calls itself.
      this.#effects.set(called, undefined);
      this.#calls += 1;
      this.#effects.set(called, this.#searchEffect(childNodes(called)));
      this.#calls -= 1;
    }
    return this.#effects.get(called);
  }

  #searchEffect(nodes: readonly Node[]): { call: string; why: keyof typeof OUTSIDE } | undefined {
    for (const node of nodes) {
      if (node.k === 'function' && (this.#works.has(node) || !this.#immediate.has(node))) continue;
      const own = node.k === 'call' ? this.#values.findEffect(node) : undefined;
      const called = node.k === 'call' ? this.#findEffect(this.#names.functions.get(node.f ?? '')) : undefined;
      const found = own ?? called ?? this.#searchEffect(childNodes(node));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #arguments(node: Node, { verb, name, words }: VerbCall): void {
    if (words) {
      const args = words.map(toArgument);
      for (const { at, message } of this.#verb_arguments.findProblems(args))
        this.#warn(words[at] ?? node, 'lint_verb_arguments', message);
      return;
    }
    const text = literalText(name);
    const option = node.n?.timeout;
    const long = [verb === 'sleep' && name, option].flatMap((one) => (one ? [{ one, text: literalText(one) }] : []));
    for (const { one, text: said } of long) {
      const problem = said === undefined ? undefined : findDurationProblem(said);
      if (problem !== undefined) this.#warn(one, 'lint_verb_arguments', problem);
    }
    const [signal] =
      verb === 'wait-signal' && text !== undefined ? this.#verb_arguments.findProblems([{ text: verb }, { text }]) : [];
    if (signal && name) this.#warn(name, 'lint_verb_arguments', signal.message);
  }

  #condition(said: string): void {
    const around = this.#branches.find(({ why }) => why !== undefined);
    if (around)
      this.#warn(
        around.at,
        'lint_varying_condition',
        `\`${said}\` depends on ${around.why}, which differs when the script is replayed; use the result of a step instead`,
      );
  }

  #durable({ verb, name, command }: VerbCall): void {
    const why = name && NAMED.has(verb) ? this.#values.why(name) : undefined;
    if (name && why !== undefined)
      this.#warn(
        name,
        'lint_varying_name',
        `the name of this call comes from ${why}, which differs when the script is replayed; take it from the result of a step`,
      );
    const words = command.map((word) => literalText(word));
    const inside = verb === 'step' || verb === 'lock' ? verbInCommand(words, this.#verbs) : undefined;
    if (inside)
      this.#warn(
        command[inside.word]!,
        'lint_verb_in_step',
        `a step's command has no agent: \`svc ${inside.verb}\` fails in it; ${NESTED}`,
      );
  }

  /** Returns the first verb that a function calls, itself or through functions of the script. */
  #findVerb(work: Node | undefined): string | undefined {
    if (!work || this.#calls >= MAX_CALLS) return undefined;
    if (!this.#inner.has(work)) {
      // Stands for a function that calls itself.
      this.#inner.set(work, undefined);
      this.#calls += 1;
      this.#inner.set(work, this.#searchVerb(work));
      this.#calls -= 1;
    }
    return this.#inner.get(work);
  }

  #searchVerb(node: Node): string | undefined {
    const call = this.#names.verbCall(node);
    if (call && !NOT_DURABLE.has(call.verb)) return call.label;
    const called = node.k === 'call' ? this.#findVerb(this.#names.functions.get(node.f ?? '')) : undefined;
    if (called !== undefined) return called;
    for (const part of childNodes(node)) {
      const found = this.#searchVerb(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Called after a step: a replay does not set the script's variables that its function has set. */
  #lose(work: Node | undefined): void {
    if (!work) return;
    const local_names = new Set(work.p);
    const set = new Map<string, Node>();
    const collect = (node: Node): void => {
      if (node.k === 'function') for (const name of node.p ?? []) local_names.add(name);
      if (node.k === 'set')
        for (const name of getNames(node))
          if (node.d === true) local_names.add(name);
          else set.set(name, node);
      for (const part of childNodes(node)) collect(part);
    };
    collect(work);
    for (const [name, at] of set) if (!local_names.has(name)) this.#lost.set(name, at);
  }

  #read(dotted: string): void {
    const name = dotted.split('.', 1)[0]!;
    const lost = this.#inStep ? undefined : this.#lost.get(name);
    if (!lost) return;
    this.#lost.delete(name);
    this.#warn(
      lost,
      'lint_lost_variable',
      `\`${name}\` is set only inside the step, and a replay does not run the step again; return it from the step`,
    );
  }

  #warn({ l: line, c: column }: Position, code: string, message: string): void {
    const key = `${line}:${column} ${code}`;
    if (!this.#isFull() && !this.#problems.has(key)) this.#problems.set(key, { line, column, message, code });
  }

  #isFull(): boolean {
    return this.#problems.size >= MAX_WARNINGS;
  }
}

/** Returns the functions that a call runs itself: of a list's method, of a promise, or written as its callee. */
function calledAtOnce({ f, o, a = [], new: creates }: Node): Node[] {
  const runs = f === undefined || CALLS_ARGUMENT.test(f) || (creates === true && f === 'Promise');
  const given = runs ? a.filter(({ k }) => k === 'function') : [];
  return o?.k === 'function' ? [...given, o] : given;
}
