import { type Database, Errors, isId, iso, type Scope, VIEWER } from '../../../kernel/contracts/index.ts';
import type { RunFeed } from '../../runs/contract.ts';
import type { LiveTopic } from '../contract.ts';
import { runMessage, shownOf } from './run-record.ts';
import type { RunWatch } from './run-watch.ts';

export interface RunTopicParts {
  database: Pick<Database, 'now'>;
  feed: RunFeed;
  watch: RunWatch;
}

/** One run: its record, and that its journal or its log grew. */
export const runTopic = ({ database, feed, watch }: RunTopicParts): LiveTopic => ({
  name: 'run:',
  about:
    '`run` messages of one run, `steps` when its journal, its nodes, its waits or what agents carry out changed, `log` when its log grew',
  access: VIEWER,
  async check(scope, run_id) {
    // Without its output, which may be large.
    const [run] = isId(run_id) ? await feed.records(scope, [run_id]) : [];
    if (!run) throw Errors.notFound(`no run ${run_id.slice(0, 64)} in this project`);
  },
  async open(scope: Scope, run_id, { send }) {
    let shown: string | undefined;
    return watch.watch(scope.project_id, run_id, async (parts) => {
      const messages = [];
      if (parts.has('run')) {
        const at = iso(database.now());
        const run = await feed.record(scope, run_id);
        if (run && shownOf(run) !== shown) messages.push(runMessage(run, at));
        shown = run && shownOf(run);
      }
      if (parts.has('run') || parts.has('steps')) messages.push({ event: 'steps', data: { run_id } });
      if (parts.has('log')) messages.push({ event: 'log', data: { run_id } });
      send(messages);
    });
  },
});
