import { type ResourceType, USER_NAMES } from '../../../platform/resources/contract.ts';

export const GRAPH_NOUN: ResourceType = { noun: 'graph', plural: 'graphs' };

const REFERENCE = /^([^@]+)(?:@([1-9][0-9]{0,8}))?$/;

/**
 * Parses a reference to a stored graph or one of its versions: `deploy`, `deploy@3`. Returns undefined for any other
 * text.
 */
export function graphReference(text: string): { name: string; version?: number } | undefined {
  const [, name = '', version] = REFERENCE.exec(text) ?? [];
  if (USER_NAMES.validate(name) !== undefined) return undefined;
  return { name, ...(version !== undefined && { version: Number(version) }) };
}
