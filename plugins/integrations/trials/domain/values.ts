import { Errors } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';

export type JsonObject = { [name: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Creates the error for a member of an event file. */
export const invalid = (pointer: string, message: string) =>
  Errors.invalidRequest(`${pointer === '' ? 'it' : pointer.slice(1)} ${message}`, { errors: [{ pointer, message }] });

/** Returns a text or undefined. Throws `invalid_request`. */
export function optionalText(name: string, value: Json | undefined): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`/${name}`, 'must be a string');
}
