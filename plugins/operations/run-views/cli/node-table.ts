import { type Output, formatSpan } from '../../../../cli/contract.ts';
import type { NodeView } from '../explain/answers.ts';
import { nodeLabel } from '../explain/node-label.ts';
import { describeProgress } from '../explain/in-flight.ts';

/** Longer outputs are cut; `--json` has them whole. */
const MAX_OUTPUT_LENGTH = 200;

/** Nodes, or items of one, for people. */
export function formatNodes(nodes: readonly NodeView[], output: Output, outputs: boolean): string {
  if (nodes.length === 0) return '';
  const head = ['node', 'type', 'state', 'took', 'what', ...(outputs ? ['output'] : [])];
  return output.table(
    head,
    nodes.map((node) => [
      nodeLabel(node),
      node.type,
      formatState(node),
      formatNodeDuration(node),
      describeNode(node, output),
      ...(outputs ? [formatOutput(node)] : []),
    ]),
  );
}

function formatState({ state: now, attempt, kept }: NodeView): string {
  if (kept) return `${now} (kept)`;
  return attempt > 1 ? `${now}, attempt ${attempt}` : now;
}

function formatNodeDuration({ started_at, finished_at, state: now }: NodeView): string {
  if (started_at === undefined || (finished_at === undefined && now === 'waiting')) return '';
  return formatSpan((finished_at === undefined ? Date.now() : Date.parse(finished_at)) - Date.parse(started_at));
}

function describeNode(node: NodeView, output: Output): string {
  const { items, error, substate, activity, state: now } = node;
  if (error && now !== 'succeeded') return `${error.message} (${error.code})`;
  if (items) return `${items.ended} of ${items.total} items${items.failed > 0 ? `, ${items.failed} failed` : ''}`;
  if (node.case !== undefined) return `case ${node.case}`;
  if (substate) return describeSubstate(substate, output);
  if (activity?.running) return `${activity.running.site} ${describeProgress(activity.running, Date.now())}`;
  return activity === undefined ? '' : activity.state;
}

function describeSubstate({ kind, name, deadline }: NonNullable<NodeView['substate']>, output: Output): string {
  const until = deadline === undefined ? '' : `${output.relative ? ',' : ''} ${output.until(deadline)}`;
  const what = kind === 'awaiting_lease' ? 'lock' : kind;
  return `waits for ${what}${name === '' ? '' : ` ${name}`}${until}`;
}

function formatOutput({ output }: NodeView): string {
  const text = output === undefined ? '' : JSON.stringify(output);
  return text.length > MAX_OUTPUT_LENGTH ? `${text.slice(0, MAX_OUTPUT_LENGTH)}…` : text;
}
