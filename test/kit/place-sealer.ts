import { createHash } from 'node:crypto';
import type { KeyedDigest, SealContext, Sealer } from '../../kernel/contracts/index.ts';

/** The first byte of what the real sealer seals: stores tell a sealed value from another one by it. */
const FORMAT = 1;

function mark(place: SealContext): Buffer {
  const digest = createHash('sha256').update(JSON.stringify(place)).digest();
  digest[0] = FORMAT;
  return digest;
}

/** Encrypts nothing. Like the real sealer it opens a value only where it was sealed, and only after `prepare`. */
export class PlaceSealer implements Sealer {
  readonly #prepared = new Set<string>();

  async prepare(org_id: string): Promise<void> {
    this.#prepared.add(org_id);
  }

  seal(place: SealContext, plain: Buffer): Buffer {
    this.#check(place);
    return Buffer.concat([mark(place), plain]);
  }

  open(place: SealContext, blob: Buffer): Buffer {
    this.#check(place);
    if (!blob.subarray(0, 32).equals(mark(place))) throw new Error(`a value was moved to ${place.table}/${place.name}`);
    return blob.subarray(32);
  }

  digest(place: Omit<SealContext, 'name'>, text: string, key_version = 1): KeyedDigest {
    this.#check(place);
    if (key_version !== 1) throw new Error(`there is no key version ${key_version}`);
    return {
      hex: createHash('sha256')
        .update(JSON.stringify([place, text]))
        .digest('hex'),
      key_version,
    };
  }

  #check({ org_id }: Pick<SealContext, 'org_id'>): void {
    if (!this.#prepared.has(org_id)) throw new Error(`the keys of ${org_id} were not prepared`);
  }
}
