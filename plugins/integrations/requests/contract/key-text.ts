import { createHash } from 'node:crypto';

/** The key of a node as a header carries it: one with other characters than a header can carry is sent as its digest. */
export const keyText = (key: string): string =>
  /^[\x21-\x7e]+$/.test(key) ? key : createHash('sha256').update(key).digest('hex');
