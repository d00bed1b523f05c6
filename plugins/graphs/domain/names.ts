import { type Noun, PLAIN_NAMES } from '../../resources/contract.ts';

export const GRAPH_NOUN: Noun = { noun: 'graph', plural: 'graphs' };

const REFERENCE = /^([^@]+)(?:@([1-9][0-9]{0,8}))?$/;

/** A stored graph, or one version of it: `deploy`, `deploy@3`. Undefined for a text that names none. */
export function graphReference(text: string): { name: string; version?: number } | undefined {
  const [, name = '', version] = REFERENCE.exec(text) ?? [];
  if (PLAIN_NAMES.fault(name) !== undefined) return undefined;
  return { name, ...(version !== undefined && { version: Number(version) }) };
}
