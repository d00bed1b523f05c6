import { createHash } from 'node:crypto';
import { type Masker, type Maskers, SHORTEST_MASKED } from '../contract.ts';
import { idleMasker, makeMasker } from '../domain/masker.ts';

/** Maskers kept, and the bytes of the values they are made of: an automaton takes some 200 bytes for each. */
const MOST_KEPT = 256;
const MOST_KEPT_BYTES = 256 * 1024;

/** Keeps maskers for the next pass with the same values. They are found by a digest, so that the values are not kept beside them. */
export function createMaskers(): Maskers {
  const kept = new Map<string, { masker: Masker; bytes: number }>();
  let kept_bytes = 0;
  const drop = (digest: string) => {
    kept_bytes -= kept.get(digest)?.bytes ?? 0;
    kept.delete(digest);
  };
  return {
    masker(given) {
      const values = [...new Set(given)].filter((value) => Buffer.byteLength(value) >= SHORTEST_MASKED).sort();
      if (values.length === 0) return idleMasker;
      const digest = createHash('sha256').update(JSON.stringify(values)).digest('base64');
      const known = kept.get(digest);
      const masker = known?.masker ?? makeMasker(values);
      const bytes = known?.bytes ?? values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
      drop(digest);
      kept.set(digest, { masker, bytes });
      kept_bytes += bytes;
      for (const oldest of kept.keys()) {
        if (kept.size <= 1 || (kept.size <= MOST_KEPT && kept_bytes <= MOST_KEPT_BYTES)) break;
        drop(oldest);
      }
      return masker;
    },
  };
}
