import type { ReplayedCall } from '../../agents/contract.ts';
import { type Problem, siteOf } from '../../runs/contract.ts';
import { type Seen, sameCall } from './dry-host.ts';
import type { DryRun, Played } from './dry-replay.ts';

/** The history of a run, and the call that it waits in. */
export interface ReplayedHistory extends DryRun {
  waiting?: ReplayedCall;
}

/** How an edited script reads a history. */
export interface ReplayVerdict {
  run_id: string;
  /** `same`: to its end. `anew`: to its end, and on. `waits`: to the call in which the run waits. */
  outcome: 'same' | 'anew' | 'waits' | 'differs' | 'ended' | 'endless';
  /** Calls that are the same, and calls in the history. */
  read: number;
  recorded: number;
  /** One sentence for people. */
  note: string;
  problems: Problem[];
}

const ADVICE = [
  'A run keeps the script with which it was submitted: this edit changes nothing for it. To replay this history, either',
  'put the recorded call back at its place, and add new calls with new names after the recorded ones; or keep the old',
  'lines for it, and choose between both versions by the output of a recorded step. Otherwise submit the edited script as',
  'a new run.',
].join(' ');

type Placed = ReplayedCall & { lines?: readonly number[] };

export const shown = (call: ReplayedCall): string => (call.name === '' ? siteOf(call) : `${call.kind} ${siteOf(call)}`);

export function verdictOf(history: ReplayedHistory, played: Played): ReplayVerdict {
  const { records, run_id, waiting } = history;
  const verdict = (outcome: ReplayVerdict['outcome'], note: string, problems: Problem[] = []): ReplayVerdict => ({
    ...{ run_id, outcome, read: played.read, recorded: records.length, note, problems },
  });
  const { differs, beyond } = played;
  if (differs) return verdict('differs', 'differs', [difference(history, played, differs.recorded, differs.present)]);
  if (beyond && waiting && !sameCall(beyond, waiting))
    return verdict('differs', 'differs', [difference(history, played, waiting, beyond)]);
  const all = `reads all ${counted(records.length)} of ${run_id}`;
  if (beyond && waiting) return verdict('waits', `${all} and waits in ${shown(waiting)}, as the run does`);
  if (beyond) return verdict('anew', `${all}; from here on it would run anew: ${shown(beyond)}${lineOf(beyond)}`);
  if (played.timed_out)
    return verdict('endless', 'does not end', [
      problem(played.last, 'replay_endless', `the script did not end in time, ${after(played)}`),
    ]);
  const { end } = played;
  const failed = end.end === 'completed' && end.completion.status === 'failed' ? end.completion : undefined;
  if (played.read === records.length && !waiting)
    return verdict('same', `${all}${failed ? `, and fails at its end: ${firstLine(failed.message)}` : ''}`);
  const said = failed ? failed.message : 'the script was stopped';
  return verdict('ended', 'ends early', [
    problem(
      played.last,
      'replay_ended',
      `before it has read all ${counted(records.length)}, ${after(played)}: ${said}`,
    ),
  ]);
}

function difference(history: DryRun, played: Seen, recorded: ReplayedCall, present: Placed | undefined): Problem {
  const nth = played.read + 1;
  const same = present !== undefined && sameCall(recorded, present);
  const asks = present === undefined ? 'ends' : `calls ${shown(present)}${same ? ' with other arguments' : ''}`;
  const had = `call ${nth} of ${history.run_id} is ${shown(recorded)}, and the script ${asks}`;
  return problem(present ?? played.last, 'replay_differs', `${had}, ${after(played)}. ${ADVICE}`);
}

const after = ({ read, last }: Seen): string =>
  last === undefined
    ? 'before any call'
    : `after ${counted(read)} that ${read === 1 ? 'is' : 'are'} the same, up to ${shown(last)}`;

const counted = (calls: number): string => (calls === 1 ? '1 call' : `${calls} calls`);

const lineOf = ({ lines = [] }: Placed): string => (lines.length === 1 ? ` in line ${lines[0]}` : '');

/** A call that may stand in several lines is shown in the first one, and the message names all of them. */
function problem(call: Placed | undefined, code: string, message: string): Problem {
  const lines = call?.lines ?? [];
  const several = lines.length > 1 ? ` (one of the lines ${lines.slice(0, 5).join(', ')})` : '';
  return { line: lines[0] ?? 1, column: 1, message: `${message}${several}`, code };
}

const firstLine = (text: string): string => text.split('\n', 1)[0]!;
