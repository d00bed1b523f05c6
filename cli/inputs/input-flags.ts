import { parseExact } from '../../plugins/platform/schema/contract/exact-json.ts';
import { isNumber } from '../../plugins/platform/schema/contract/exact-number.ts';
import { similarNames } from '../../plugins/platform/schema/contract/nearest.ts';
import type { Flag, Flags } from '../command.ts';
import { usageError } from '../errors.ts';

/** What of a JSON Schema the flags know. */
export interface InputSchema {
  type?: string | readonly string[];
  description?: string;
  enum?: readonly unknown[];
  default?: unknown;
  format?: string;
  items?: InputSchema;
  properties?: Readonly<Record<string, InputSchema>>;
  required?: readonly string[];
}

/** The inputs that a workflow declares. */
export interface WorkflowInputs {
  /** How the workflow is called in messages. */
  workflow: string;
  schema: InputSchema;
}

export type InputValues = Readonly<Record<string, unknown>>;

/** Every input has this name too, which no flag of a command has. */
const PREFIX = 'input.';

const kebab = (name: string): string =>
  name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const typesOf = ({ type }: InputSchema): readonly string[] =>
  (type === undefined ? [] : [type].flat()).filter((one) => one !== 'null');

const isBoolean = (schema: InputSchema): boolean => schema.enum === undefined && typesOf(schema).join() === 'boolean';
const isList = (schema: InputSchema): boolean => typesOf(schema).join() === 'array';

interface InputFlag {
  name: string;
  schema: InputSchema;
  /** The value that the flag sets by itself; undefined: it takes one. */
  value?: boolean;
}

/** The flags of inputs by all of their names. Flags of the command win, and `--input.<name>` always names the input. */
function namesOf({ properties = {} }: InputSchema, command_flags: Flags): Map<string, InputFlag> {
  const flags = new Map<string, InputFlag>();
  const add = (flag: string, of: InputFlag) => {
    if (!Object.hasOwn(command_flags, kebab(flag)) && !flags.has(flag)) flags.set(flag, of);
  };
  const all = Object.entries(properties);
  for (const [name, schema] of all) {
    const of = { name, schema, ...(isBoolean(schema) && { value: true }) };
    for (const flag of [name, `${PREFIX}${name}`]) add(flag, of);
  }
  for (const [name, schema] of all) {
    const of = { name, schema, ...(isBoolean(schema) && { value: true }) };
    add(kebab(name), of);
    if (isBoolean(schema))
      for (const flag of [`no-${name}`, `no-${kebab(name)}`, `${PREFIX}no-${name}`]) add(flag, { ...of, value: false });
  }
  return flags;
}

/** The place of the first flag that the command does not have; undefined: it has all of them. */
export function findUnknownFlag(argv: readonly string[], flags: Flags): number | undefined {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  for (let at = 0; at < end; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-') || word === '-') continue;
    const flag = flagNamed(word, flags);
    if (flag === undefined) return word.startsWith('--') ? at : undefined;
    if (flag.type !== 'boolean' && !word.includes('=')) at++;
  }
  return undefined;
}

function flagNamed(word: string, flags: Flags): Flag | undefined {
  const [written = ''] = word.split('=', 1);
  if (written.startsWith('--')) return flags[written.slice(2).replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)];
  return Object.values(flags).find(({ short }) => short === written.slice(1));
}

/**
 * Takes the flags of inputs out of a command line, and reads their values. Throws a usage error that names the flag. A flag that
 * neither the command nor the workflow has stays, so that the command says so.
 */
export function extractInputFlags(
  argv: readonly string[],
  flags: Flags,
  { workflow, schema }: WorkflowInputs,
): { rest: string[]; values: InputValues } {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const names = namesOf(schema, flags);
  const rest: string[] = [];
  const texts = new Map<string, { of: InputFlag; flag: string; texts: string[] }>();
  const help = `\`svc help ${workflow}\` lists its inputs`;
  for (let at = 0; at < end; at++) {
    const word = argv[at]!;
    const command_flag = word.startsWith('-') && word !== '-' ? flagNamed(word, flags) : undefined;
    if (command_flag !== undefined || !word.startsWith('--')) {
      rest.push(word);
      if (command_flag !== undefined && command_flag.type !== 'boolean' && !word.includes('=') && at + 1 < end)
        rest.push(argv[++at]!);
      continue;
    }
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const of = names.get(flag.slice(2));
    if (of === undefined) throw unknownFlag(flag, workflow, [...names.keys(), ...Object.keys(flags)], help);
    let text = equals < 0 ? undefined : word.slice(equals + 1);
    if (of.value !== undefined) {
      if (text !== undefined && text !== 'true' && text !== 'false')
        throw usageError(`${flag} is ${quoted(text)}; it must be true or false, or ${flag} alone`, help);
      text = String(text === undefined ? of.value : (text === 'true') === of.value);
    } else if (text === undefined) {
      text = at + 1 < end && !argv[at + 1]!.startsWith('--') ? argv[++at] : undefined;
      if (text === undefined) throw usageError(`${flag} needs a value`, help);
    }
    const before = texts.get(of.name);
    if (before !== undefined && !isList(of.schema))
      throw usageError(`${flag} is set twice, but takes only one value`, help);
    if (before) before.texts.push(text);
    else texts.set(of.name, { of, flag, texts: [text] });
  }
  const values = [...texts.values()].map(({ of, flag, texts: written }): [string, unknown] => [
    of.name,
    isList(of.schema) ? readList(flag, of.schema, written, help) : readValue(flag, of.schema, written[0]!, help),
  ]);
  return { rest: [...rest, ...argv.slice(end)], values: Object.fromEntries(values) };
}

function unknownFlag(flag: string, workflow: string, candidates: readonly string[], help: string) {
  const [suggestion] = similarNames(flag.slice(2), candidates);
  const hint = suggestion === undefined ? '' : `did you mean --${suggestion}? `;
  return usageError(`neither the command nor ${workflow} has ${flag}`, `${hint}${help}`);
}

const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Several flags make a list, and so does a single JSON list. */
function readList(flag: string, { items = {} }: InputSchema, texts: readonly string[], help: string): unknown[] {
  if (texts.length === 1 && texts[0]!.trimStart().startsWith('[')) {
    const list = parseJson(texts[0]!);
    if (!Array.isArray(list)) throw usageError(`${flag} is ${quoted(texts[0]!)}; it is not a JSON list`, help);
    return list;
  }
  return texts.map((text) => readValue(flag, items, text, help));
}

/** Reads a value as its schema says. The server checks the rest, such as the smallest number. */
function readValue(flag: string, schema: InputSchema, text: string, help: string): unknown {
  const must = (what: string) => usageError(`${flag} is ${quoted(text)}; it must be ${what}`, help);
  const { enum: choices } = schema;
  if (choices !== undefined) {
    const found = choices.find((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice)) === text);
    if (found === undefined) throw must(`one of ${choices.map(textOf).join(', ')}`);
    return found;
  }
  const types = typesOf(schema);
  if (types.join() === 'string') return text;
  const value = parseJson(text);
  if (types.join() === 'integer' && !/^-?\d+$/.test(text)) throw must('a whole number');
  if (types.join() === 'number' && !isNumber(value)) throw must('a number');
  if (types.join() === 'object' && (typeof value !== 'object' || value === null || Array.isArray(value)))
    throw must('a JSON object');
  return value === undefined ? text : value;
}

function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Throws a usage error for a required input that nothing sets. */
export function checkRequired({ workflow, schema }: WorkflowInputs, values: InputValues, command_flags: Flags): void {
  const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(values, name));
  const [name] = missing;
  if (name === undefined) return;
  const more =
    missing.length > 1
      ? `; so ${missing.length > 2 ? 'are' : 'is'} ${missing
          .slice(1)
          .map((one) => displayName(one, command_flags))
          .join(', ')}`
      : '';
  throw usageError(
    `${displayName(name, command_flags)} is missing${more}`,
    `\`svc help ${workflow}\` lists its inputs`,
  );
}

const displayName = (name: string, command_flags: Flags): string =>
  `--${Object.hasOwn(command_flags, kebab(name)) ? `${PREFIX}${name}` : kebab(name)}`;

function placeholderOf(schema: InputSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(textOf).join('|');
  const [type = 'json'] = typesOf(schema);
  if (isList(schema)) return placeholderOf(schema.items ?? {});
  return `<${type === 'object' ? 'json' : type === 'string' ? (schema.format ?? 'text').replace('textarea', 'text') : type}>`;
}

/** The inputs as flags of the command, for completion. */
export function inputFlags({ schema }: WorkflowInputs, command_flags: Flags): Flags {
  const rows = Object.entries(schema.properties ?? {}).map(([name, of]): [string, Flag] => {
    const flag = displayName(name, command_flags).slice(2);
    const summary = of.description ?? '';
    if (isBoolean(of)) return [of.default === true ? withNo(flag) : flag, { type: 'boolean', summary }];
    const { enum: choices } = isList(of) ? (of.items ?? {}) : of;
    return [flag, { type: 'string', summary, value: placeholderOf(of), choices: choices?.map(textOf) ?? [] }];
  });
  return Object.fromEntries(rows);
}

/** `input.no-push` for `input.push`, like the flags that can be written. */
const withNo = (flag: string): string =>
  flag.startsWith(PREFIX) ? `${PREFIX}no-${flag.slice(PREFIX.length)}` : `no-${flag}`;

/** The inputs as the rows of a manual: flag, and what it means. */
export function inputRows({ schema }: WorkflowInputs, command_flags: Flags): [flag: string, meaning: string][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).map(([name, of]) => {
    const display_name = displayName(name, command_flags);
    const details = [
      ...(required.includes(name) ? ['required'] : []),
      ...(isList(of) ? ['can be repeated'] : []),
      ...(of.default === undefined ? [] : [`default: ${textOf(of.default)}`]),
    ];
    const flag = isBoolean(of)
      ? of.default === true
        ? `--${withNo(display_name.slice(2))}`
        : display_name
      : `${display_name} ${placeholderOf(of)}`;
    const meaning = [of.description ?? '', details.length === 0 ? '' : `(${details.join(', ')})`].filter(
      (text) => text !== '',
    );
    return [flag, meaning.join(' ')];
  });
}
