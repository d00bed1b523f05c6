import { BoundedMap, FairSemaphore } from '../../../../kernel/contracts/index.ts';
import { createHash } from 'node:crypto';
import { type Masker, type Maskers, MIN_MASKED_BYTES } from '../contract.ts';
import { assertMaskable, makeMasker, makeMaskerYielding, noopMasker } from '../domain/masker.ts';

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
  /** Maskers that are being made. */
  const pending = new Map<string, Promise<Masker>>();
  // A masker takes up to 90 MB while it is made.
  const making = new FairSemaphore(1);
  const store = (digest: string, masker: Masker, values: readonly string[]): Masker => {
    cache.set(digest, { masker, bytes: values.reduce((sum, value) => sum + Buffer.byteLength(value), 0) });
    return masker;
  };
  return {
    masker(candidates) {
      const values = maskableValues(candidates);
      if (values.length === 0) return noopMasker;
      const digest = digestOf(values);
      return cache.get(digest)?.masker ?? store(digest, makeMasker(values), values);
    },
    async prepare(candidates, owner) {
      const values = maskableValues(candidates);
      if (values.length === 0) return noopMasker;
      assertMaskable(values);
      const digest = digestOf(values);
      const cached = cache.get(digest);
      if (cached) return cached.masker;
      const make = async () => store(digest, await makeMaskerYielding(values), values);
      if (owner === undefined) return make();
      const made = pending.get(digest) ?? making.run(make, owner).finally(() => pending.delete(digest));
      pending.set(digest, made);
      return made;
    },
  };
}

const maskableValues = (candidates: readonly string[]): string[] =>
  [...new Set(candidates)].filter((value) => Buffer.byteLength(value) >= MIN_MASKED_BYTES).sort();

const digestOf = (values: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(values)).digest('base64');
