import { type Database, Errors, isId, iso, type Scope, VIEWER } from '../../../../kernel/contracts/index.ts';
import type { RunFeed } from '../../runs/contract.ts';
import type { LiveTopic } from '../contract.ts';
import { runMessage, runFingerprint } from './run-record.ts';
import type { RunWatch } from './run-watch.ts';

export interface RunTopicDeps {
  database: Pick<Database, 'now'>;
  feed: RunFeed;
  watch: RunWatch;
}

/** The topic of one run: its record, and the growth of its journal and its log. */
export const runTopic = ({ database, feed, watch }: RunTopicDeps): LiveTopic => ({
  name: 'run:',
  description:
    'messages about one run: `run` when the run changes, `steps` when its journal, nodes, waits or current calls change, and `log` when its log grows',
  access: VIEWER,
  async check(scope, run_id) {
    // The record is read without its output, which may be large.
    const [run] = isId(run_id) ? await feed.records(scope, [run_id]) : [];
    if (!run) throw Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);
  },
  async open(scope: Scope, run_id, { send }) {
    let fingerprint: string | undefined;
    return watch.watch(scope.project_id, run_id, async (aspects) => {
      const messages = [];
      if (aspects.has('run')) {
        const at = iso(database.now());
        const run = await feed.record(scope, run_id);
        if (run && runFingerprint(run) !== fingerprint) messages.push(runMessage(run, at));
        fingerprint = run && runFingerprint(run);
      }
      if (aspects.has('run') || aspects.has('steps')) messages.push({ event: 'steps', data: { run_id } });
      if (aspects.has('log')) messages.push({ event: 'log', data: { run_id } });
      send(messages);
    });
  },
});
