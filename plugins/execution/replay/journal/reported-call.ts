import type { CallUnderWay } from '../../../engine/runs/contract.ts';
import type { ReplayedPass } from '../contract.ts';
import type { CallResult, Site } from './calls.ts';

/** Reports a call to those who watch the run while it lasts. */
export class ReportedCall {
  readonly #host: Pick<ReplayedPass['host'], 'reportCall'>;
  readonly #site: Site;
  #endReport: (() => void) | undefined;

  constructor(host: Pick<ReplayedPass['host'], 'reportCall'>, site: Site) {
    this.#host = host;
    this.#site = site;
  }

  begin(attempt: Pick<CallUnderWay, 'attempt' | 'attempts'> = {}): void {
    const { kind, name, ordinal, label, position } = this.#site;
    this.#endReport = this.#host.reportCall?.({ kind, name, ordinal, label, position, ...attempt });
  }

  /** Safe to call twice. */
  end(): void {
    this.#endReport?.();
    this.#endReport = undefined;
  }
}

/** Reports a call until its record is durable, so that it is visible at every moment. */
export async function reportWhile(
  host: Pick<ReplayedPass['host'], 'reportCall'>,
  site: Site,
  work: (report: ReportedCall) => Promise<CallResult>,
): Promise<CallResult> {
  const shown = new ReportedCall(host, site);
  const end = () => shown.end();
  try {
    const result = await work(shown);
    void result.stored.then(end, end);
    return result;
  } catch (error) {
    end();
    throw error;
  }
}
