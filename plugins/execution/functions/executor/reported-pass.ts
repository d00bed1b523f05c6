import type { CallUnderWay } from '../../../engine/runs/contract.ts';
import type { ActivityHost } from '../../agents/contract.ts';

/** The kind under which `svc explain` and the page of a run name a function that blocks its program. */
const BLOCKED = 'blocked';

type Report = NonNullable<ActivityHost['reportCall']>;

/** What those who watch a run see of a pass: the call in progress, or that its program does not answer. */
export class ReportedPass {
  readonly #report: Report;
  #call: CallUnderWay | undefined;
  #blocked: CallUnderWay | undefined;
  #endReport: () => void = () => undefined;

  constructor(host: Pick<ActivityHost, 'reportCall'>) {
    this.#report = (call) => host.reportCall?.(call) ?? (() => undefined);
  }

  readonly begin: Report = (call) => {
    this.#call = call;
    this.#show();
    return () => {
      if (this.#call !== call) return;
      this.#call = undefined;
      this.#show();
    };
  };

  /**
   * The program does not answer. `functions` are those that it runs, one of which blocks it; `position` is where the next
   * record will stand.
   */
  block(functions: readonly string[], position: number): void {
    const [name = ''] = functions;
    const label =
      functions.length === 1
        ? `the function ${name} blocks the event loop of its program`
        : `one of ${functions.length} functions blocks the event loop of their program: ${functions.slice(0, 3).join(', ')}${functions.length > 3 ? ', …' : ''}`;
    this.#blocked = { kind: BLOCKED, name: functions.length === 1 ? name : 'event-loop', ordinal: 0, label, position };
    this.#show();
  }

  /** The program answers again. */
  unblock(): void {
    if (this.#blocked === undefined) return;
    this.#blocked = undefined;
    this.#show();
  }

  #show(): void {
    this.#endReport();
    const reported = this.#blocked ?? this.#call;
    this.#endReport = reported === undefined ? () => undefined : this.#report(reported);
  }
}
