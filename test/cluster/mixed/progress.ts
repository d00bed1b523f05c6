import { open } from 'node:fs/promises';

interface Moment {
  at: number;
  server: string;
}

/** When something was last noted in the ledger, by server; read while runs go on. */
export class Progress {
  readonly #path: string;
  readonly #moments: Moment[] = [];
  #offset = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();
  readonly #timer: NodeJS.Timeout;

  constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => {
      this.#reading = this.#reading.then(() => this.#read());
    }, 20);
  }

  /** Seconds of the longest time in which nothing was noted since a moment; `without`: not counting that server. */
  longestStall(since: number, without?: number): number {
    const counted = this.#moments.filter(({ at, server }) => at >= since && server !== `server-${without}`);
    const marks = [since, ...counted.map(({ at }) => at), performance.now()];
    return Math.max(...marks.slice(1).map((at, n) => at - marks[n]!)) / 1000;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  async #read(): Promise<void> {
    const file = await open(this.#path, 'r').catch(() => undefined);
    if (!file) return; // Nobody has noted anything.
    try {
      const { size } = await file.stat();
      if (size === this.#offset) return;
      const { buffer } = await file.read(Buffer.alloc(size - this.#offset), 0, size - this.#offset, this.#offset);
      this.#offset = size;
      this.#take(buffer.toString('utf8'));
    } finally {
      await file.close();
    }
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const at = performance.now();
    for (const line of lines) this.#moments.push({ at, server: line.split(' ')[2] ?? '' });
  }
}
