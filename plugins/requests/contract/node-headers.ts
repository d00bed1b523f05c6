import type { Fault } from '../../../kernel/contracts/index.ts';
import { requestHeaderFaults } from '../../egress/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };

/** Headers as the config of a node gives them; null stands for a header that is left out. */
export type NodeHeaders = { readonly [name: string]: string | number | boolean | null };

/** The JSON Schema of the member `headers` of a node's config. */
export const NODE_HEADERS = schema.properties.headers;

/** The headers that are sent, as texts. */
export function headerTexts(headers: NodeHeaders): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** What is wrong with the headers of a config before it is rendered. Values of expressions are checked when they are known. */
export function headerFaults(headers: Json | undefined): Fault[] {
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers) || '$expr' in headers) return [];
  const known = Object.entries(headers).filter(([, value]) => value === null || typeof value !== 'object');
  return requestHeaderFaults(headerTexts(Object.fromEntries(known) as NodeHeaders)).map(({ name, message }) => ({
    pointer: pointerTo('/headers', name),
    message,
  }));
}
