import type { CallUnderWay } from '../../runs/contract.ts';
import type { ReplayedPass } from '../contract.ts';
import type { Made, Site } from './calls.ts';

/** A call as those see it who look at the run while it is carried out. */
export class ShownCall {
  readonly #host: Pick<ReplayedPass['host'], 'underWay'>;
  readonly #site: Site;
  #over: (() => void) | undefined;

  constructor(host: Pick<ReplayedPass['host'], 'underWay'>, site: Site) {
    this.#host = host;
    this.#site = site;
  }

  begin(attempt: Pick<CallUnderWay, 'attempt' | 'attempts'> = {}): void {
    const { kind, name, ordinal, label, position } = this.#site;
    this.#over = this.#host.underWay?.({ kind, name, ordinal, label, position, ...attempt });
  }

  /** Safe to call twice. */
  end(): void {
    this.#over?.();
    this.#over = undefined;
  }
}

/** Until the record is durable: so a call is never in between. */
export async function shownWhile(
  host: Pick<ReplayedPass['host'], 'underWay'>,
  site: Site,
  work: (shown: ShownCall) => Promise<Made>,
): Promise<Made> {
  const shown = new ShownCall(host, site);
  const end = () => shown.end();
  try {
    const made = await work(shown);
    void made.stored.then(end, end);
    return made;
  } catch (error) {
    end();
    throw error;
  }
}
