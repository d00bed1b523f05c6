import { Clock, Ids, type LocalTool, Log } from '../../../../kernel/contracts/index.ts';
import { Replay } from '../../replay/contract.ts';
import { Verbs } from '../contract.ts';
import { runDryReplay } from './dry-replay.ts';
import { type ReplayedHistory, evaluateReplay } from './replay-result.ts';

/** Implements `svc check --replay`: replays a script on the history of a run. */
export const replayTool: LocalTool = {
  name: 'script-replay',
  async run(use, { input, env }) {
    const history = input as ReplayedHistory;
    const parts = { clock: use(Clock), ids: use(Ids), log: use(Log), env, replay: use(Replay) };
    const result = evaluateReplay(history, await runDryReplay({ ...parts, verbs: () => use.all(Verbs) }, history));
    return { json: result, text: result.note, ok: result.problems.length === 0 };
  },
};
