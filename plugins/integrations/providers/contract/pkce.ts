import { createHash } from 'node:crypto';

/** The verifier of 32 random bytes, and its challenge by S256 (RFC 7636). */
export function createPkce(random: Buffer): { verifier: string; challenge: string } {
  const verifier = random.toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}
