import { token } from '../../../../kernel/contracts/index.ts';

/** Infinity: there is no bound. */
export interface BoundsOfRun {
  /** Bytes of its log. */
  log: number;
  /** Bytes of its artifacts. */
  artifacts: number;
  /** Runs that it may spawn. */
  spawns: number;
  /** Slots that it may hold at once at the agents of one server. */
  slots: number;
  /**
   * Of an untrusted run: bytes that its calls are given and print. Of a trusted run: bytes that the recorded calls of one of its
   * activities have printed, because an agent reads them all before it continues.
   */
  calls: number;
}

export interface BoundsOfProject {
  /** Bytes of the logs of its runs. */
  log: number;
  /** Bytes of the artifacts of its runs. */
  artifacts: number;
  /** Bytes of its caches; the least recently used ones make room for new ones. */
  cache: number;
  /** Slots that its runs may hold at once at the agents of one server. */
  slots: number;
}

/** Of untrusted runs only: what a member starts is the project's own. */
export interface BoundsOfUntrusted extends BoundsOfRun {
  /** Children that its scripts may have, and runs that it may call, together. */
  children: number;
}

/** Of all untrusted runs of a project. */
export interface BoundsOfUntrustedProject extends BoundsOfProject {
  /** Runs that are not over. */
  runs: number;
  /** Runs that handlers have started and that are not over, whether they are in flight or wait. */
  handlers: number;
  /** Bytes that the calls of its runs are given and print, until the runs are removed. */
  calls: number;
}

/** What runs and projects may use. Work of untrusted runs has bounds of its own, and is counted by itself. */
export interface RunLimits {
  run: { trusted: BoundsOfRun; untrusted: BoundsOfUntrusted };
  project: {
    trusted: BoundsOfProject;
    untrusted: BoundsOfUntrustedProject;
  };
  /** How many runs that one run called, and that these called, may be open. Spawned runs are not among them. */
  called_runs: number;
  /** The timeout of untrusted runs that set none; undefined: no limit. */
  untrusted_timeout_ms: number | undefined;
  /** The timeout of the steps of jobs that set none; undefined: no limit. */
  job_timeout_ms: number | undefined;
}

export const RunLimits = token<RunLimits>('runs.RunLimits');

/** The bounds of a kind of run. */
export const ofTrust = <T>(bounds: { trusted: T; untrusted: T }, trusted: boolean): T =>
  trusted ? bounds.trusted : bounds.untrusted;

/** As settings write it: the largest unit of which it is a whole number. */
export function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let size = bytes;
  while (size >= 1024 && size % 1024 === 0 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size}${units[unit]!}`;
}
