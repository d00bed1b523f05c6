import type { JournalRecord } from '../../../engine/runs/contract.ts';
import { siteOf } from '../../../engine/runs/contract.ts';
import type { SiteCall } from '../contract.ts';
import { describeLocation } from './source-lines.ts';

const ADVICE = `The call that differs was not executed.
What to do: if the script or what it reads has changed since the run began, restore the recorded order or start a new
run; if not, the script depends on something that varies between passes (time, random numbers, a listing, the order of
background jobs): take that from the output of a \`svc step\`, which every pass gets again.`;

/** What a violation message needs of the script. */
export interface Recording {
  run_id: string;
  /** The text of the script. */
  source: string;
  records: readonly JournalRecord[];
}

type Call = { kind: string; name: string; ordinal: number };

const formatCall = (call: Call): string => (call.name === '' ? siteOf(call) : `${call.kind} ${siteOf(call)}`);

/**
 * Describes how `present` differs from `recorded` at its position, in words for people, or returns undefined if they
 * are the same call.
 */
export function describeMismatch(
  recorded: JournalRecord,
  present: SiteCall & { ordinal: number },
  replay: Recording,
): string | undefined {
  const same = recorded.kind === present.kind && recorded.name === present.name && recorded.ordinal === present.ordinal;
  const arguments_differ = recorded.digest !== '' && !!present.digest && recorded.digest !== present.digest;
  if (same && !arguments_differ) return undefined;
  return [
    `The script made a different durable call from the one in its journal.`,
    `  position: ${recorded.position}`,
    `  recorded: ${formatCall(recorded)}`,
    `  present:  ${formatCall(present)}${same ? ', with other arguments' : ''}`,
    ...describeLines(replay.source, recorded, present),
    ...describeReplayable(replay, recorded),
    ADVICE,
  ].join('\n');
}

/** Describes a script that ended well before it repeated every recorded call. */
export function describeEarlyEnd(next: JournalRecord, replay: Recording): string {
  const { position } = next;
  return [
    'The script ended with exit code 0 before it had repeated all durable calls in its journal.',
    `  position: ${position}`,
    `  recorded: ${formatCall(next)} (${replay.records.length} calls in total)`,
    `  present:  the end of the script (after ${position} calls)`,
    ...describeLines(replay.source, next, undefined),
    ...describeReplayable(replay, next),
    ADVICE,
  ].join('\n');
}

/** Tells where the two calls stand in the script; the recorded one may no longer be there. */
function describeLines(source: string, recorded: Call, present: Call | undefined): string[] {
  const describe = (what: string, call: Call) => {
    const found = describeLocation(source, call);
    return found === undefined ? [] : [`  ${what} in ${found}`];
  };
  const missing =
    describeLocation(source, recorded) === undefined ? [`  the recorded call is nowhere in the current script`] : [];
  return [
    ...describe('the recorded call is', recorded),
    ...missing,
    ...(present === undefined ? [] : describe('the current call is', present)),
  ];
}

/** Tells how many records are still valid, and how to continue from there. */
function describeReplayable({ run_id, records }: Recording, next: JournalRecord): string[] {
  const before = records[next.position - 1];
  const replayable =
    before === undefined
      ? '  replays:  nothing before it'
      : `  replays:  the ${next.position === 1 ? 'call' : `${next.position} calls`} before it, up to ${formatCall(before)}`;
  const shared = records.some((other) => other.position !== next.position && siteOf(other) === siteOf(next));
  const from = shared ? `${next.kind} ${siteOf(next)}` : siteOf(next);
  return [replayable, `  the nearest site that still replays is ${siteOf(next)}: svc rerun ${run_id} --from '${from}'`];
}
