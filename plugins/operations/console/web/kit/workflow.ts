import { parseObject } from './json.ts';

/** What a form says that shall run. */
export type What = 'source' | 'graph' | 'node' | 'nothing';

/** Texts of the fields of a form. */
export type Fields = Readonly<Record<string, string>>;

/** What a workflow may have beside its document. */
const FURTHER = [
  ...(['input', 'env', 'args', 'files', 'credentials', 'tags', 'subject', 'requires', 'cancel_on'] as const),
  ...(['timeout', 'checkout'] as const),
] as const;
const OF_SOURCE = ['filename', 'kind', 'interpreter'] as const;

export function whatOf(workflow: Readonly<Record<string, unknown>> | null | undefined): What {
  if (!workflow) return 'nothing';
  if (workflow.graph !== undefined) return 'graph';
  return workflow.node === undefined ? 'source' : 'node';
}

/** In a few words: the file, the graph or the node. */
export function runsWhat(workflow: Readonly<Record<string, unknown>> | null | undefined): string {
  const what = whatOf(workflow);
  if (!workflow || what === 'nothing') return '';
  if (what === 'source') return String(workflow.filename ?? `a ${String(workflow.kind ?? 'script')}`);
  return `${what} ${String(workflow[what])}`;
}

/** The fields of the form for a workflow as the API shows it. */
export function fieldsOf(workflow: Readonly<Record<string, unknown>> | null | undefined): Record<string, string> {
  const text = (name: string) => (typeof workflow?.[name] === 'string' ? workflow[name] : '');
  const further = Object.fromEntries(FURTHER.flatMap((name) => given(name, workflow?.[name])));
  return {
    source: text('source'),
    filename: text('filename'),
    kind: text('kind'),
    interpreter: text('interpreter'),
    graph: text('graph'),
    node: text('node'),
    config: jsonText(workflow?.config),
    further: jsonText(further),
  };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

const given = (name: string, value: unknown): [string, unknown][] => (isEmpty(value) ? [] : [[name, value]]);

const jsonText = (value: unknown): string => (isEmpty(value) ? '' : JSON.stringify(value, null, 2));

/** The workflow that a form says; undefined: nothing runs. Throws an error in plain words. */
export function workflowOf(fields: Fields): Record<string, unknown> | undefined {
  const { what = 'source', source = '', graph = '', node = '', config = '', further = '' } = fields;
  if (what === 'nothing') return undefined;
  const beside = parseObject(further, 'More settings');
  const unknown = Object.keys(beside).filter((name) => !(FURTHER as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new Error(`Unknown settings: ${unknown.join(', ')}. You can set ${FURTHER.join(', ')}.`);
  if (what === 'graph') return { ...beside, graph: graph.trim() };
  if (what === 'node') return { ...beside, node: node.trim(), config: parseObject(config, 'The configuration') };
  // Forms write line ends as Windows does; a shell does not read such a script.
  return { ...beside, ...textsOf(fields, OF_SOURCE), source: source.replaceAll('\r\n', '\n') };
}

/** Those of the fields in which something stands. */
export const textsOf = (fields: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = fields[name]?.trim() ?? '';
      return text === '' ? [] : [[name, text]];
    }),
  );
