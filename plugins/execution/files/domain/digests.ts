import { hash } from 'node:crypto';
import { Errors } from '../../../../kernel/contracts/index.ts';

const PREFIX = 'sha256:';

/** Returns the hexadecimal part of `sha256:<hex>`. Throws `invalid_request` for any other text. */
export function parseDigest(digest: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest.slice(PREFIX.length);
  throw Errors.invalidRequest(`${JSON.stringify(digest.slice(0, 80))} is not a digest: sha256:<64 hex digits>`);
}

export const toDigest = (hex: string): string => `${PREFIX}${hex}`;

export const sha256 = (data: Buffer): string => hash('sha256', data, 'hex');

/** Names the set of contents that a run has uploaded for the runs it starts. */
export const uploadSetOf = (run_id: string): string => hash('sha256', `run\0${run_id}`, 'hex');
