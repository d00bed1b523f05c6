export const TABS = ['steps', 'log', 'input', 'source', 'lineage', 'artifacts', 'trace', 'cli'] as const;
export type RunTab = (typeof TABS)[number];

/** What the address of a run says: the tab, the step or job that is looked at, and a line of the log. */
export interface RunAddress {
  tab?: Exclude<RunTab, 'steps'>;
  step?: string;
  job?: string;
  line?: number;
}

const isTab = (value: unknown): value is Exclude<RunTab, 'steps'> =>
  value !== 'steps' && (TABS as readonly unknown[]).includes(value);

/** Anything else that stands in an address is left out. */
export function readRun({ tab, step, job, line }: Record<string, unknown>): RunAddress {
  return {
    ...(isTab(tab) && { tab }),
    ...(typeof step === 'string' && step !== '' && { step }),
    ...(typeof job === 'string' && job !== '' && { job }),
    ...(typeof line === 'number' && Number.isInteger(line) && line > 0 && { line }),
  };
}
