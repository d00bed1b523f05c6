import { Errors, type Fault } from '../../../../kernel/contracts/index.ts';
import type { StoreReference } from '../generated/store-reference.ts';
import type { StoreKind } from './options.ts';

/** Each kind has its own names. No path can leave the engine or the project of its store. */
const PATHS: Readonly<Record<StoreKind, { pattern: RegExp; says: string }>> = {
  vault: {
    pattern: /^(?!.*(^|\/)\.{1,2}(\/|$))[^\p{Cc}/?#%\\]+(\/[^\p{Cc}/?#%\\]+)*$/u,
    says: 'must be names separated by /, below the mount of the store',
  },
  aws: { pattern: /^[A-Za-z0-9/_+=.@:-]+$/, says: 'must be the name or the ARN of a secret' },
  gcp: {
    pattern: /^[A-Za-z0-9_-]{1,255}(\/versions\/([0-9]{1,18}|latest))?$/,
    says: 'must be the name of a secret, with or without /versions/ and a version',
  },
};

/** Throws `invalid_request`. */
export function checkReference(kind: StoreKind, { path, field }: Omit<StoreReference, 'store'>): void {
  const errors: Fault[] = [];
  const { pattern, says } = PATHS[kind];
  if (!path.isWellFormed() || !pattern.test(path)) errors.push({ pointer: '/path', message: says });
  if (field !== undefined && (!field.isWellFormed() || /\p{Cc}/u.test(field)))
    errors.push({ pointer: '/field', message: 'must not contain control characters' });
  if (field === undefined && kind === 'vault')
    errors.push({ pointer: '/field', message: 'is missing: a secret of a Vault is an object' });
  if (errors.length === 0) return;
  throw Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer} ${message}`).join('; '), { errors });
}
