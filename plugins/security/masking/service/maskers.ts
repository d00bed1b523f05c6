import { BoundedMap } from '../../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import { type Masker, type Maskers, MIN_MASKED_BYTES } from '../contract.ts';
import { noopMasker, makeMasker } from '../domain/masker.ts';

/** The maximum number of cached maskers, and of bytes of their values. An automaton takes about 200 bytes for each. */
const MAX_CACHED = 256;
const MAX_CACHED_BYTES = 256 * 1024;

/**
 * Caches maskers for later passes with the same values. The key is a digest, so that the values are not stored twice.
 */
export function createMaskers(): Maskers {
  const cache = new BoundedMap<string, { masker: Masker; bytes: number }>(MAX_CACHED, {
    max_weight: MAX_CACHED_BYTES,
    weigh: ({ bytes }) => bytes,
  });
  return {
    masker(candidates) {
      const values = [...new Set(candidates)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_BYTES).sort();
      if (values.length === 0) return noopMasker;
      const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64');
      const cached = cache.get(digest);
      if (cached) return cached.masker;
      const masker = makeMasker(values);
      cache.set(digest, { masker, bytes: values.reduce((sum, value) => sum + Buffer.byteLength(value), 0) });
      return masker;
    },
  };
}
