import type { OutlineItem, OutlinePosition } from '../../../engine/runs/contract.ts';
import type { VerbHelp } from '../contract/verb.ts';
import type { Argument } from '../lint/verb-arguments.ts';

/** A call of a verb as a script writes it. */
export interface ReadCall {
  positionals: readonly Argument[];
  /** The options by name. An option that only a run knows may be any of them. */
  options: ReadonlyMap<string, readonly Argument[]>;
}

const COMPUTED: Argument = { any_number: true };
/** Commands of `svc` that read or print only. */
const HARMLESS = new Set(['--version', '--help', '-h', 'help', 'version']);

/** Splits the words after a verb. Whatever follows a word that may be an option may be its value, and is unknown. */
export function readCall(help: VerbHelp, words: readonly Argument[]): ReadCall {
  const dashes = words.findIndex(({ text }) => text === '--');
  const takes_command = /-- <command>/.test(help.usage);
  const own = dashes < 0 ? words : words.slice(0, dashes);
  const rest = dashes < 0 || takes_command ? [] : words.slice(dashes + 1);
  const positionals: Argument[] = [];
  const options = new Map<string, Argument[]>();
  for (let at = 0; at < own.length; at += 1) {
    const word = own[at]!;
    const { text } = word;
    if (text === undefined || !text.startsWith('--')) {
      positionals.push(word);
      continue;
    }
    const [name = '', ...inline] = text.slice(2).split('=');
    const values = options.get(name) ?? [];
    options.set(name, values);
    if (inline.length > 0) values.push({ text: inline.join('=') });
    else if (help.flags?.[name]?.type === 'boolean') values.push({ text: 'true' });
    else values.push(own[(at += 1)] ?? COMPUTED);
  }
  return { positionals: [...positionals, ...rest], options };
}

/** Lists what a call of `svc` does. `words` follow `svc`. */
export function itemsOfWords(
  words: readonly Argument[],
  verbs: ReadonlyMap<string, VerbHelp>,
  at: OutlinePosition,
): OutlineItem[] {
  const [first] = words;
  const unknown = (what: string): OutlineItem[] => [{ ...at, does: 'unknown', what }];
  // It prints its help.
  if (!first) return [];
  if (first.text === undefined) return unknown('calls svc with a computed verb');
  const verb = first.text;
  const help = verbs.get(verb);
  if (help) return itemsOfCall(verb, readCall(help, words.slice(1)), at);
  if (HARMLESS.has(verb) || [...verbs.keys()].some((two) => two.startsWith(`${verb} `))) return [];
  if (verb === 'run' || verb === 'submit') {
    const file = words.slice(1).find(({ text }) => text === undefined || !text.startsWith('-'))?.text;
    return unknown(`runs svc ${verb} ${file ?? 'with a computed file'}, which is on the agent`);
  }
  return unknown(`runs the command svc ${verb}, which acts with a token of its own`);
}

/** Lists what a call of a verb does. */
export function itemsOfCall(verb: string, { positionals, options }: ReadCall, at: OutlinePosition): OutlineItem[] {
  const unknown = (what: string): OutlineItem[] => [{ ...at, does: 'unknown', what }];
  const [first] = positionals;
  const name = first?.text;
  const flag = (option: string) => options.has(option) || positionals.some((word) => word.any_number);
  switch (verb) {
    case 'emit':
      return name === undefined
        ? unknown('emits an event whose type is computed')
        : [{ ...at, does: 'emit', type: name }];
    case 'wait-event': {
      if (name === undefined) return unknown('waits for an event whose type is computed');
      const when = options.get('when')?.[0]?.text;
      return [{ ...at, does: 'wait', type: name, when, untrusted: flag('untrusted') }];
    }
    case 'wait-any':
      return positionals.flatMap((word) => {
        const [kind, ...type] = (word.text ?? word.begins ?? '').split(':');
        if (kind === 'signal' || kind === 'ask' || kind === 'timeout') return [];
        if (kind !== 'event' || word.text === undefined) return unknown('waits for something that is computed');
        return [{ ...at, does: 'wait' as const, type: type.join(':'), untrusted: flag('untrusted') }];
      });
    case 'lock':
      if (name !== undefined) return [{ ...at, does: 'lease', name }];
      return first?.begins
        ? [{ ...at, does: 'lease', name: `${first.begins}…` }]
        : unknown('takes a lock whose name is computed');
    case 'activity':
    case 'activity-submit':
      return [...(options.get('requires') ?? []), ...positionals.filter((word) => word.any_number)].flatMap(
        ({ text }) =>
          text === undefined
            ? unknown('requires an agent by a computed label')
            : [{ ...at, does: 'agent', name: text }],
      );
    case 'id-token':
      return [{ ...at, does: 'id_token' }];
    case 'spawn':
      return unknown(
        name === undefined
          ? 'spawns a computed file'
          : name === '-'
            ? 'spawns a workflow from its standard input'
            : `spawns ${name}, which is on the agent`,
      );
    case 'call':
      return itemsOfCalled(positionals, options, at);
    default:
      return [];
  }
}

function itemsOfCalled(
  [form, name, ...more]: readonly Argument[],
  options: ReadCall['options'],
  at: OutlinePosition,
): OutlineItem[] {
  const unknown = (what: string): OutlineItem => ({ ...at, does: 'unknown', what });
  if (form?.text === undefined) return [unknown('calls a computed workflow')];
  if (options.has('definition')) return [unknown('calls a graph that the script defines')];
  if (name?.text === undefined) return [unknown(`calls a ${form.text} whose name is computed`)];
  if (form.text === 'graph' || form.text === 'function') return [calledByName(form.text, name.text, at)];
  const config = options.get('config')?.[0];
  // Words that only a run knows may be the option.
  const is_computed = [form, name, ...more].some((word) => word.any_number);
  return itemsOfNode(name.text, config === undefined && !is_computed ? {} : parsed(config?.text), at);
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const calledByName = (form: 'graph' | 'function', name: string, at: OutlinePosition): OutlineItem => ({
  ...at,
  does: 'call',
  name,
  workflow: { [form]: name },
});

/** A node that a script runs. Its config is undefined if only a run knows it. */
export function itemsOfNode(kind: string, config: unknown, at: OutlinePosition): OutlineItem[] {
  if (typeof config === 'object' && config !== null)
    return [{ ...at, does: 'call', name: kind, workflow: { node: kind, config: config as Record<string, never> } }];
  const [connector = '', action] = kind.split('.', 2);
  return [
    ...(action === undefined ? [] : [{ ...at, does: 'connector' as const, name: connector }]),
    { ...at, does: 'unknown', what: `calls the node ${kind} with a computed config` },
  ];
}
