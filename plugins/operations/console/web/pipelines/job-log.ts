import type { LogLine } from '../run/log-lines.ts';

/** One step as the service noted it in the log of its job. */
export interface StepOfJob {
  name: string;
  state: 'begun' | 'ended' | 'failed' | 'skipped';
  from: string;
  /** When the next one began, or the job ended. */
  to?: string;
  /** Number of its first line among those of the job. */
  line: number;
}

/** `build`, or `build[1]` of a matrix. */
export const writerOf = (job: string, item: number | undefined): string =>
  item === undefined ? job : `${job}[${item}]`;

/**
 * The steps of a job's newest attempt, by the lines of the service, which no program can write. `ended_at` is the end of the
 * job, if it is over.
 */
export function stepsOfJob(lines: readonly LogLine[], writer: string, ended_at: string | undefined): StepOfJob[] {
  let steps: StepOfJob[] = [];
  const head = `[${writer}] `;
  for (const [line, { stream, text, at }] of lines.entries()) {
    if (stream !== 'system' || !text.startsWith(head)) continue;
    const note = text.slice(head.length);
    const last = steps.at(-1);
    if (last && failureOf(note, last.name)) Object.assign(last, { state: 'failed', to: at });
    else if (note.endsWith(': skipped'))
      steps.push({ name: note.slice(0, -': skipped'.length), state: 'skipped', from: at, to: at, line });
    else {
      // A step that begins a second time begins another attempt of the job.
      if (steps.some(({ name }) => name === note)) steps = [];
      end(steps.at(-1), at);
      steps.push({ name: note, state: 'begun', from: at, line });
    }
  }
  if (ended_at !== undefined) end(steps.at(-1), ended_at);
  return steps;
}

const failureOf = (note: string, name: string): boolean => note.startsWith(`${name}: failed`);

function end(step: StepOfJob | undefined, at: string): void {
  if (step?.state === 'begun') Object.assign(step, { state: 'ended', to: at });
}
