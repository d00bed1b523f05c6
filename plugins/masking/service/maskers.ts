import { BoundedMap } from '../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import { type Masker, type Maskers, MIN_MASKED_LENGTH } from '../contract.ts';
import { idleMasker, makeMasker } from '../domain/masker.ts';

/** Number of cached maskers, and total bytes of their values. An automaton takes about 200 bytes for each. */
const MAX_KEPT = 256;
const MAX_KEPT_BYTES = 256 * 1024;

/**
 * Caches maskers for later passes with the same values. The key is a digest, so that the values are not stored twice.
 */
export function createMaskers(): Maskers {
  const kept = new BoundedMap<string, { masker: Masker; bytes: number }>(MAX_KEPT, {
    max_weight: MAX_KEPT_BYTES,
    weigh: ({ bytes }) => bytes,
  });
  return {
    masker(given) {
      const values = [...new Set(given)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_LENGTH).sort();
      if (values.length === 0) return idleMasker;
      const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64');
      const known = kept.get(digest);
      if (known) return known.masker;
      const masker = makeMasker(values);
      kept.set(digest, { masker, bytes: values.reduce((sum, value) => sum + Buffer.byteLength(value), 0) });
      return masker;
    },
  };
}
