import type { Flags, FlagValues } from './command.ts';
import { usageError } from './errors.ts';

export interface StoreReference {
  store: string;
  path: string;
  field?: string;
}

/** Splits `path#field`, which names a value in a secret store. A path contains no `#`. */
export function splitReference(reference: string): { path: string; field?: string } {
  const at = reference.indexOf('#');
  return at < 0 ? { path: reference } : { path: reference.slice(0, at), field: reference.slice(at + 1) };
}

/** Where a value is, for people: `main:app/db#password`. */
export const formatReference = ({ store, path, field }: StoreReference): string =>
  `${store}:${path}${field === undefined ? '' : `#${field}`}`;

/** Reads `--from-store` and `--path`, which belong together. Returns undefined without them. */
export function readReference({ fromStore, path }: FlagValues): StoreReference | undefined {
  if (fromStore === undefined && path === undefined) return undefined;
  if (fromStore === undefined || path === undefined)
    throw usageError('--from-store and --path belong together', 'give both');
  return { store: String(fromStore), ...splitReference(String(path)) };
}

/** The flags that say where a value is. */
export const REFERENCE_FLAGS: Flags = {
  'from-store': { type: 'string', value: '<store>', summary: 'the secret store that has the value' },
  path: { type: 'string', value: '<path#field>', summary: 'where it is in the secret store' },
};
