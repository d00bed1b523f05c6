import type { RetryFinding, SlowerFinding, WaitFinding } from './findings.ts';

/** The argument of a command, quoted for a shell when it needs quotes. */
const quote = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns what shortens waits of this kind, the command first. */
export function adviseOnWait({ kind, name, run_id, workflow }: WaitFinding): string[] {
  switch (kind) {
    case 'agent':
      return ['start another agent, or give one more slots: svc agents ls', `svc explain ${run_id}`];
    case 'awaiting_lease':
      return ['see who holds it: svc locks ls', `see what this run does with it: svc steps ${run_id}`];
    case 'signal':
    case 'ask':
      return [`see who can answer, and set a timeout: svc explain ${run_id}`];
    case 'event':
      return [`see which events did not match: svc explain ${run_id}`, `svc events ls --type ${quote(name)}`];
    default:
      return [`see what it waited for: svc steps ${run_id}`, `svc runs ls --workflow ${quote(workflow)}`];
  }
}

export const adviseOnRetries = ({ run_id, workflow }: RetryFinding): string[] => [
  `see why each attempt failed: svc explain ${run_id}`,
  `if it can never succeed, throw a NonRetryableError, or lower its retries: svc source ${run_id}`,
  `svc runs ls --workflow ${quote(workflow)} --status failed`,
];

export const adviseOnSlower = ({ run_id }: SlowerFinding): string[] => [
  `see the times of each call: svc steps ${run_id}`,
  `compare it with an older run: svc runs diff <older run> ${run_id}`,
];

/** What is known of the events for which a handler listens. */
export interface HeardEvents {
  /** Undefined if nobody has looked for one. Null: none has been recorded lately. */
  last: string | null | undefined;
  /** One of its patterns. */
  pattern: string;
}

export function adviseOnIdle(name: string, { last, pattern }: HeardEvents): string[] {
  const listens = `see what it listens for: svc handler show ${quote(name)}`;
  if (last === null) return ['no event of its types was recorded; see which types exist: svc events types', listens];
  const event = last === undefined ? `--type ${quote(pattern.replace('*', '…'))} --payload '{}'` : `--event ${last}`;
  return [`see why an event does not start it: svc handler test ${quote(name)} ${event}`, listens];
}
