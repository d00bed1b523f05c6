import type { JournalRecord } from '../../runs/contract.ts';
import { siteOf } from '../../runs/contract.ts';
import type { SiteCall } from '../contract.ts';

const ADVICE = `Nothing was run for the call that differs.
What to do: if the script or what it reads has changed since the run began, put the recorded order back or start a new
run; if not, the script decides by something that varies between passes (time, random numbers, a listing, the order of
background jobs): take that from the output of a \`svc step\`, which every pass is given again.`;

const show = (call: { kind: string; name: string; ordinal: number }): string =>
  call.name === '' ? siteOf(call) : `${call.kind} ${siteOf(call)}`;

/** What is wrong with `present` at the position of `recorded`, told for people; undefined when it is the same call. */
export function mismatch(recorded: JournalRecord, present: SiteCall & { ordinal: number }): string | undefined {
  const same = recorded.kind === present.kind && recorded.name === present.name && recorded.ordinal === present.ordinal;
  const arguments_differ = recorded.digest !== '' && !!present.digest && recorded.digest !== present.digest;
  if (same && !arguments_differ) return undefined;
  return [
    `The script came to another durable call than the one its journal holds.`,
    `  position: ${recorded.position}`,
    `  recorded: ${show(recorded)}`,
    `  present:  ${show(present)}${same ? ', with other arguments' : ''}`,
    ADVICE,
  ].join('\n');
}

/** The same for a script that ended well before it had repeated every recorded call. */
export function endedEarly(next: JournalRecord, calls: number, recorded: number): string {
  return [
    'The script ended with exit code 0 before it had repeated all the durable calls that its journal holds.',
    `  position: ${next.position}`,
    `  recorded: ${show(next)} (${recorded} calls in all)`,
    `  present:  the end of the script (after ${calls} calls)`,
    ADVICE,
  ].join('\n');
}
