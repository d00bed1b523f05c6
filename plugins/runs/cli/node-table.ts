import { type Output, span } from '../../../cli/contract.ts';
import type { NodeView } from '../explain/answers.ts';
import { nodeLabel } from '../explain/node-label.ts';
import { runningFor } from '../explain/under-way.ts';

/** Longer outputs are cut; `--json` has them whole. */
const MAX_SHOWN = 200;

/** Nodes, or items of one, for people. */
export function nodeTable(nodes: readonly NodeView[], output: Output, outputs: boolean): string {
  if (nodes.length === 0) return '';
  const head = ['node', 'type', 'state', 'took', 'what', ...(outputs ? ['output'] : [])];
  return output.table(
    head,
    nodes.map((node) => [
      nodeLabel(node),
      node.type,
      state(node),
      took(node),
      what(node, output),
      ...(outputs ? [shown(node)] : []),
    ]),
  );
}

function state({ state: now, attempt, kept }: NodeView): string {
  if (kept) return `${now} (kept)`;
  return attempt > 1 ? `${now}, attempt ${attempt}` : now;
}

function took({ started_at, finished_at, state: now }: NodeView): string {
  if (started_at === undefined || (finished_at === undefined && now === 'waiting')) return '';
  return span((finished_at === undefined ? Date.now() : Date.parse(finished_at)) - Date.parse(started_at));
}

function what(node: NodeView, output: Output): string {
  const { items, error, substate, activity, state: now } = node;
  if (error && now !== 'succeeded') return `${error.message} (${error.code})`;
  if (items) return `${items.ended} of ${items.total} items${items.failed > 0 ? `, ${items.failed} failed` : ''}`;
  if (node.case !== undefined) return `case ${node.case}`;
  if (substate) return waits(substate, output);
  if (activity?.running) return `${activity.running.site} ${runningFor(activity.running, Date.now())}`;
  return activity === undefined ? '' : activity.state;
}

function waits({ kind, name, deadline }: NonNullable<NodeView['substate']>, output: Output): string {
  const until = deadline === undefined ? '' : `${output.relative ? ',' : ''} ${output.until(deadline)}`;
  const what = kind === 'awaiting_lease' ? 'lock' : kind;
  return `waits for ${what}${name === '' ? '' : ` ${name}`}${until}`;
}

function shown({ output }: NodeView): string {
  const text = output === undefined ? '' : JSON.stringify(output);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
