import type { Fault } from '../../../../kernel/contracts/index.ts';
import { validateHeaders as validateHttpHeaders } from '../../../platform/egress/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };

/** Headers in the config of a node; null omits a header. */
export type NodeHeaders = { readonly [name: string]: string | number | boolean | null };

/** The JSON Schema of the member `headers` of a node's config. */
export const NODE_HEADERS = schema.properties.headers;

/** The headers that are sent, as texts. */
export function headerTexts(headers: NodeHeaders): Record<string, string> {
  const sent = Object.entries(headers).filter(([, value]) => value !== null);
  return Object.fromEntries(sent.map(([name, value]) => [name, String(value)]));
}

/**
 * Validates the headers of a config before it is rendered. The values of expressions are checked after they are
 * evaluated.
 */
export function validateHeaders(headers: Json | undefined): Fault[] {
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers) || '$expr' in headers) return [];
  const literal = Object.entries(headers).filter(([, value]) => value === null || typeof value !== 'object');
  return validateHttpHeaders(headerTexts(Object.fromEntries(literal) as NodeHeaders)).map(({ name, message }) => ({
    pointer: pointerTo('/headers', name),
    message,
  }));
}
