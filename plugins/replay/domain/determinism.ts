import type { JournalRecord } from '../../runs/contract.ts';
import { siteOf } from '../../runs/contract.ts';
import type { SiteCall } from '../contract.ts';
import { place } from './source-lines.ts';

const ADVICE = `Nothing was run for the call that differs.
What to do: if the script or what it reads has changed since the run began, put the recorded order back or start a new
run; if not, the script decides by something that varies between passes (time, random numbers, a listing, the order of
background jobs): take that from the output of a \`svc step\`, which every pass is given again.`;

/** Facts about the script that a violation message uses. */
export interface Recording {
  run_id: string;
  /** The script itself. */
  source: string;
  records: readonly JournalRecord[];
}

type Call = { kind: string; name: string; ordinal: number };

const show = (call: Call): string => (call.name === '' ? siteOf(call) : `${call.kind} ${siteOf(call)}`);

/** Describes for people how `present` differs from `recorded` at its position; undefined when it is the same call. */
export function mismatch(
  recorded: JournalRecord,
  present: SiteCall & { ordinal: number },
  replay: Recording,
): string | undefined {
  const same = recorded.kind === present.kind && recorded.name === present.name && recorded.ordinal === present.ordinal;
  const arguments_differ = recorded.digest !== '' && !!present.digest && recorded.digest !== present.digest;
  if (same && !arguments_differ) return undefined;
  return [
    `The script came to another durable call than the one its journal holds.`,
    `  position: ${recorded.position}`,
    `  recorded: ${show(recorded)}`,
    `  present:  ${show(present)}${same ? ', with other arguments' : ''}`,
    ...places(replay.source, recorded, present),
    ...replays(replay, recorded),
    ADVICE,
  ].join('\n');
}

/** The same for a script that ended well before it repeated every recorded call. */
export function endedEarly(next: JournalRecord, replay: Recording): string {
  const { position } = next;
  return [
    'The script ended with exit code 0 before it had repeated all the durable calls that its journal holds.',
    `  position: ${position}`,
    `  recorded: ${show(next)} (${replay.records.length} calls in all)`,
    `  present:  the end of the script (after ${position} calls)`,
    ...places(replay.source, next, undefined),
    ...replays(replay, next),
    ADVICE,
  ].join('\n');
}

/** Where the two calls are in the script; the recorded one may be gone. */
function places(source: string, recorded: Call, present: Call | undefined): string[] {
  const of = (what: string, call: Call) => {
    const found = place(source, call);
    return found === undefined ? [] : [`  ${what} in ${found}`];
  };
  const gone =
    place(source, recorded) === undefined ? [`  the recorded call stands nowhere in the script as it is`] : [];
  return [
    ...of('the recorded call stands', recorded),
    ...gone,
    ...(present === undefined ? [] : of('the present call stands', present)),
  ];
}

/** How many records are still valid, and how to continue from there. */
function replays({ run_id, records }: Recording, at: JournalRecord): string[] {
  const before = records[at.position - 1];
  const reach =
    before === undefined
      ? '  replays:  nothing before it'
      : `  replays:  the ${at.position === 1 ? 'call' : `${at.position} calls`} before it, up to ${show(before)}`;
  const shared = records.some((other) => other.position !== at.position && siteOf(other) === siteOf(at));
  const from = shared ? `${at.kind} ${siteOf(at)}` : siteOf(at);
  return [reach, `  the nearest site that still replays is ${siteOf(at)}: svc rerun ${run_id} --from '${from}'`];
}
