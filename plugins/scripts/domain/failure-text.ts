/** How much of a script's last words goes into the message of a failed run, in code points. */
export const TAIL_LENGTH = 4000;
/** Kept while the script runs: enough to mask the longest secret before the cut. */
const KEPT_BYTES = 128 * 1024;
/** Shorter values cannot be masked without making the text unreadable. */
const SHORTEST_SECRET = 4;

/** Keeps the last bytes of a stream in bounded memory. */
export class Tail {
  #chunks: Buffer[] = [];
  #size = 0;
  #cut = false;

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size - this.#chunks[0]!.length >= KEPT_BYTES) {
      this.#size -= this.#chunks.shift()!.length;
      this.#cut = true;
    }
    // Many tiny chunks weigh more than their bytes.
    if (this.#chunks.length > 1024) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** The last `TAIL_LENGTH` code points, without the secrets and without what no database holds. */
  text(secrets: readonly string[]): string {
    const kept = Buffer.concat(this.#chunks).toString('utf8');
    const whole = this.#cut ? withoutHalfSecret(kept, secrets) : kept;
    const points = Array.from(mask(whole, secrets).replaceAll('\0', '').trimEnd());
    return points.slice(-TAIL_LENGTH).join('');
  }
}

/** Puts `***` in the place of every secret and of every line of one that spans lines. */
export function mask(text: string, secrets: readonly string[]): string {
  const values = secrets
    .flatMap((secret) => [secret, ...secret.split(/\r?\n/)])
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  return values.reduce((masked, value) => masked.replaceAll(value, '***'), text);
}

/** Takes away what begins the text and ends a secret: the rest of it was dropped, so no mask would find it. */
function withoutHalfSecret(text: string, secrets: readonly string[]): string {
  let half = 0;
  for (const secret of secrets)
    for (let length = secret.length - 1; length > half; length--)
      if (text.startsWith(secret.slice(-length))) half = length;
  return text.slice(half);
}

/** `exit code 3` or `signal SIGSEGV`. */
export function howItEnded(end: { exit_code: number | null; signal: string | null }): string {
  return end.signal === null ? `exit code ${end.exit_code}` : `signal ${end.signal}`;
}
