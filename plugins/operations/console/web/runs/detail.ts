import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { titleOf } from '../kit/error-title.ts';
import { roughly } from '../kit/span.ts';
import { askOf, isApproval } from '../run/ask.ts';

/** What there is to say of a run in one line. */
export interface Detail {
  text: string;
  /** Its first words, in the hue of the state. */
  lead?: string;
  state?: 'failed' | 'waiting';
}

/** What it waits for, or why it ended as it did. */
export function detailOf(run: RunRecord, now: number): Detail {
  const { status, substate, error, reason, requires = [] } = run;
  if (status === 'failed' && error) {
    const { title, where } = titleOf(error);
    return { lead: title, text: where ?? '', state: 'failed' };
  }
  if (status === 'cancelled') return { text: reason ? `Cancelled: ${reason.split('\n', 1)[0]}` : 'Cancelled' };
  if (run.paused) {
    const { by, reason: why } = run.paused;
    const who = by === undefined ? '' : ` by ${by}`;
    return { lead: `Paused${who}`, text: why ?? '', state: 'waiting' };
  }
  if (status === 'queued')
    return { text: requires.length > 0 ? `Needs an agent with ${requires.join(', ')}` : 'Queued' };
  if (!substate || status === 'succeeded') return { text: '' };
  return waitOf(run, substate, now);
}

function waitOf(run: RunRecord, { kind, name, deadline }: NonNullable<RunRecord['substate']>, now: number): Detail {
  switch (kind) {
    case 'signal':
      return isApproval(name)
        ? { lead: 'Needs approval', text: askOf(run).title, state: 'waiting' }
        : { lead: 'Needs a signal', text: name, state: 'waiting' };
    case 'event':
      return { text: `Event ${name}` };
    case 'ask':
      return { text: `Ask ${name}` };
    case 'any':
      return { text: `First of ${name}` };
    case 'awaiting_lease':
      return { text: `Lock ${name}` };
    case 'child':
      return { text: `Child ${name}` };
    case 'activity':
      return { text: `Activity ${name}` };
    default:
      return { text: deadline ? `Sleeping, wakes in ${roughly(Date.parse(deadline) - now)}` : 'Sleeping' };
  }
}
