import type { ReplayedCall } from '../../agents/contract.ts';
import { type Problem, siteOf } from '../../../engine/runs/contract.ts';
import { type ReplayProgress, isSameCall } from './dry-host.ts';
import type { DryRun, DryReplayResult } from './dry-replay.ts';

/** The history of a run, and the call in which it waits. */
export interface ReplayedHistory extends DryRun {
  waiting?: ReplayedCall;
}

/** How an edited script reads a history. */
export interface ReplayVerdict {
  run_id: string;
  /** `same`: to its end; `anew`: to its end and beyond; `waits`: to the call in which the run waits. */
  outcome: 'same' | 'anew' | 'waits' | 'differs' | 'ended' | 'endless';
  /** Number of matching calls, and of calls in the history. */
  read: number;
  recorded: number;
  /** One sentence for people. */
  note: string;
  problems: Problem[];
}

const ADVICE = [
  'A run keeps the script that it was submitted with: this edit does not affect it. To replay this history, either',
  'put the recorded call back where it was, and add new calls with new names after the recorded ones; or keep the old',
  'lines for it, and choose between the versions with the output of a recorded step. Otherwise submit the edited script as',
  'a new run.',
].join(' ');

type LocatedCall = ReplayedCall & { lines?: readonly number[] };

export const describeCall = (call: ReplayedCall): string =>
  call.name === '' ? siteOf(call) : `${call.kind} ${siteOf(call)}`;

export function evaluateReplay(history: ReplayedHistory, played: DryReplayResult): ReplayVerdict {
  const { records, run_id, waiting } = history;
  const result = (outcome: ReplayVerdict['outcome'], note: string, problems: Problem[] = []): ReplayVerdict => ({
    run_id,
    outcome,
    read: played.read,
    recorded: records.length,
    note,
    problems,
  });
  const { differs, beyond } = played;
  if (differs) return result('differs', 'differs', [difference(history, played, differs.recorded, differs.present)]);
  if (beyond && waiting && !isSameCall(beyond, waiting))
    return result('differs', 'differs', [difference(history, played, waiting, beyond)]);
  const all = `reads all ${counted(records.length)} of ${run_id}`;
  if (beyond && waiting) return result('waits', `${all} and waits in ${describeCall(waiting)}, like the run`);
  if (beyond)
    return result(
      'anew',
      `${all}; from here on it would make new calls: ${describeCall(beyond)}${describeLine(beyond)}`,
    );
  if (played.timed_out)
    return result('endless', 'does not end', [
      problem(played.last_call, 'replay_endless', `the script did not end in time, ${after(played)}`),
    ]);
  const { end } = played;
  const failed = end.end === 'completed' && end.completion.status === 'failed' ? end.completion : undefined;
  if (played.read === records.length && !waiting)
    return result('same', `${all}${failed ? `, and fails at its end: ${firstLine(failed.message)}` : ''}`);
  const reason = failed ? failed.message : 'the script was stopped';
  return result('ended', 'ends early', [
    problem(
      played.last_call,
      'replay_ended',
      `the script ends before it has read all ${counted(records.length)}, ${after(played)}: ${reason}`,
    ),
  ]);
}

function difference(
  history: DryRun,
  played: ReplayProgress,
  recorded: ReplayedCall,
  present: LocatedCall | undefined,
): Problem {
  const nth = played.read + 1;
  const same = present !== undefined && isSameCall(recorded, present);
  const present_call =
    present === undefined ? 'ends' : `calls ${describeCall(present)}${same ? ' with other arguments' : ''}`;
  const recorded_call = `call ${nth} of ${history.run_id} is ${describeCall(recorded)}, but the script ${present_call}`;
  return problem(present ?? played.last_call, 'replay_differs', `${recorded_call}, ${after(played)}. ${ADVICE}`);
}

const after = ({ read, last_call }: ReplayProgress): string =>
  last_call === undefined
    ? 'before any call'
    : `after ${counted(read)} that ${read === 1 ? 'is' : 'are'} the same, up to ${describeCall(last_call)}`;

const counted = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`);

const describeLine = ({ lines = [] }: LocatedCall): string => (lines.length === 1 ? ` in line ${lines[0]}` : '');

/** A call that may stand in several lines is reported at the first one; the message names all of them. */
function problem(call: LocatedCall | undefined, code: string, message: string): Problem {
  const lines = call?.lines ?? [];
  const several = lines.length > 1 ? ` (one of the lines ${lines.slice(0, 5).join(', ')})` : '';
  return { line: lines[0] ?? 1, column: 1, message: `${message}${several}`, code };
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;
