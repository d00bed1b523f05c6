import { hash } from 'node:crypto';
import { Errors } from '../../../kernel/contracts/index.ts';

const PREFIX = 'sha256:';

/** The hexadecimal part of `sha256:<hex>`. Throws `invalid_request` for another text. */
export function hexOf(digest: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest.slice(PREFIX.length);
  throw Errors.invalidRequest(`${JSON.stringify(digest.slice(0, 80))} is no digest: sha256:<64 hex digits>`);
}

export const digestOf = (hex: string): string => `${PREFIX}${hex}`;

export const sha256 = (data: Buffer): string => hash('sha256', data, 'hex');

/** The set of what a run has brought for others that it makes. */
export const broughtBy = (run_id: string): string => hash('sha256', `run\0${run_id}`, 'hex');
