import { Copy, X } from 'lucide-react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Confirm } from '../kit/confirm.tsx';
import { toast } from '../kit/toasts.tsx';
import { CompareLink } from '../run/actions.tsx';
import { shellQuote } from '../kit/text.ts';
import { commandOf, type RunFilters } from './filters.ts';
import { IconButton } from '../kit/icon-button.tsx';

interface Props {
  scope: Scope;
  runs: readonly RunRecord[];
  selected: ReadonlySet<string>;
  /** The filters of the list, for the command that does the same to all runs that they select. */
  filters: RunFilters;
  onChange(selected: ReadonlySet<string>): void;
}

const OPEN = ['queued', 'running', 'waiting'];

/** The actions for the selected runs. Selected runs that are not shown are ignored. */
export function Selection({ scope, runs, selected, filters, onChange }: Props) {
  const chosen = runs.filter(({ run_id }) => selected.has(run_id));
  const open = chosen.filter(({ status }) => OPEN.includes(status));
  const paused = open.filter((run) => run.paused !== undefined);
  const active = open.filter((run) => run.paused === undefined);
  const ended = chosen.filter(({ status }) => !OPEN.includes(status));
  const each = async (list: readonly RunRecord[], path: string, body: object | undefined, said: string) => {
    const failures = new Map<string, string>();
    for (const { run_id } of list)
      await json(scoped(scope, `/runs/${encodeURIComponent(run_id)}/${path}`), {
        method: 'POST',
        ...(body && { body }),
      }).catch((error: Error) => failures.set(run_id, `${run_id.slice(-6)}: ${error.message}`));
    // Runs whose change failed stay selected: without a selection, the dialog with their errors would close.
    onChange(new Set(failures.keys()));
    if (failures.size < list.length) toast(`${list.length - failures.size} ${said}`);
    if (failures.size > 0) throw new Error([...failures.values()].join('\n'));
  };
  if (chosen.length === 0) return null;
  return (
    <div className="floatbar" role="toolbar" aria-label={`${chosen.length} selected`}>
      <span className="n" role="status">
        {chosen.length} selected
      </span>
      <span className="vsep" />
      <Confirm
        label={`Cancel ${open.length || ''}`}
        title="Cancel the selected runs?"
        verb="Cancel runs"
        danger
        disabled={open.length === 0}
        run={() => each(open, 'cancel', {}, 'cancelled')}
      >
        {open.length} of the selected runs are in progress. Completed steps are not undone.{' '}
        <code>{commandOf(filters, shellQuote, 'cancel')}</code> cancels all runs that match the filters.
      </Confirm>
      {active.length > 0 && (
        <Confirm
          label={`Pause ${active.length}`}
          title="Pause the selected runs?"
          verb="Pause runs"
          run={() => each(active, 'pause', {}, 'paused')}
        >
          This pauses {active.length} of the selected runs. Nothing new starts in a paused run until you resume it.{' '}
          <code>{commandOf(filters, shellQuote, 'pause')}</code> pauses all runs that match the filters.
        </Confirm>
      )}
      {paused.length > 0 && (
        <Confirm
          label={`Resume ${paused.length}`}
          title="Resume the selected runs?"
          verb="Resume runs"
          run={() => each(paused, 'resume', undefined, 'resumed')}
        >
          This resumes {paused.length} of the selected runs. <code>{commandOf(filters, shellQuote, 'resume')}</code>{' '}
          resumes all runs that match the filters.
        </Confirm>
      )}
      <Confirm
        label={`Rerun ${ended.length || ''}`}
        title="Rerun the selected runs?"
        verb="Rerun runs"
        disabled={ended.length === 0}
        run={() => each(ended, 'rerun', { all: true }, 'started again')}
      >
        {ended.length} of the selected runs have ended. Each starts again from the beginning, as a new run.{' '}
        <code>{commandOf(filters, shellQuote, 'rerun')}</code> reruns all runs that match the filters.
      </Confirm>
      {chosen.length === 2 && (
        // The older run comes first, because IDs are sorted by time.
        <CompareLink scope={scope} a={chosen[1]!.run_id} b={chosen[0]!.run_id} className="button ghost small">
          Compare the two
        </CompareLink>
      )}
      <button
        type="button"
        className="ghost small"
        onClick={() => {
          const ids = chosen.map(({ run_id }) => run_id).join('\n');
          navigator.clipboard.writeText(ids).then(
            () => toast(`${chosen.length} IDs copied`),
            () => toast('The browser did not allow copying', { state: 'failed' }),
          );
        }}
      >
        <Copy size={14} aria-hidden /> Copy IDs
      </button>
      <span className="vsep" />
      <IconButton label="Clear selection" icon={X} onClick={() => onChange(new Set())} />
    </div>
  );
}
