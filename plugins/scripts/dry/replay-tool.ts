import { Clock, Ids, type LocalTool, Log } from '../../../kernel/contracts/index.ts';
import { Replay } from '../../replay/contract.ts';
import { Verbs } from '../contract.ts';
import { playDry } from './dry-replay.ts';
import { type ReplayedHistory, verdictOf } from './verdict.ts';

/** `svc check --replay`: plays a script on the history of a run. */
export const replayTool: LocalTool = {
  name: 'script-replay',
  async run(use, { given, env }) {
    const history = given as ReplayedHistory;
    const parts = { clock: use(Clock), ids: use(Ids), log: use(Log), env, replay: use(Replay) };
    const verdict = verdictOf(history, await playDry({ ...parts, verbs: () => use.all(Verbs) }, history));
    return { json: verdict, text: verdict.note, ok: verdict.problems.length === 0 };
  },
};
