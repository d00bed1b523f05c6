import type { ActivityHost } from '../../agents/contract.ts';
import { PassEnded } from '../../replay/contract.ts';
import { bytesOf } from './journal-bytes.ts';

/**
 * The agent's services for a function, of whichever pass has it now. Between two passes there are none: whatever the function
 * does then fails, and reaches nobody under the claim of a pass that has ended.
 */
export class CurrentHost implements ActivityHost {
  #host: ActivityHost | undefined;
  #last: ActivityHost;
  /** Bytes of the outputs that the journal has, as they count in memory. */
  journal_bytes: number;

  constructor(host: ActivityHost, journal_bytes: number) {
    this.#host = host;
    this.#last = host;
    this.journal_bytes = journal_bytes;
  }

  attach(host: ActivityHost): void {
    this.#host = host;
    this.#last = host;
  }

  detach(): void {
    this.#host = undefined;
  }

  get #attached(): ActivityHost {
    if (this.#host === undefined) throw new PassEnded();
    return this.#host;
  }

  get agent(): ActivityHost['agent'] {
    return this.#last.agent;
  }

  /** All passes of a kept function have the same secrets. */
  get masker(): ActivityHost['masker'] {
    return this.#last.masker;
  }

  get files(): ActivityHost['files'] {
    return this.#host?.files;
  }

  get contents(): ActivityHost['contents'] {
    return this.#host?.contents;
  }

  get tokens(): ActivityHost['tokens'] {
    return this.#host?.tokens;
  }

  readonly append: ActivityHost['append'] = async (record) => {
    this.journal_bytes += bytesOf(record);
    await this.#attached.append(record);
  };

  readonly perform: ActivityHost['perform'] = async (call) => {
    const record = await this.#attached.perform(call);
    this.journal_bytes += bytesOf(record);
    return record;
  };

  readonly park: ActivityHost['park'] = async (wait) => await this.#attached.park(wait);
  readonly attempt: ActivityHost['attempt'] = async (failed) => await this.#attached.attempt(failed);
  readonly annotate: ActivityHost['annotate'] = async (nth, text) => await this.#attached.annotate(nth, text);
  readonly log: ActivityHost['log'] = (stream, data) => this.#host?.log(stream, data);
  readonly setLogSite = (site: string): void => this.#host?.setLogSite?.(site);
  readonly reportCall: NonNullable<ActivityHost['reportCall']> = (call) =>
    this.#host?.reportCall?.(call) ?? (() => undefined);
  readonly hasClaim = (): boolean => this.#host !== undefined && this.#host.hasClaim?.() !== false;
}
