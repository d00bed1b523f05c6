import { useState } from 'react';
import type { RunRecord } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Confirm } from '../kit/confirm.tsx';
import { CompareLink } from '../run/actions.tsx';
import { shellQuote } from '../kit/text.ts';
import { commandOf, type RunFilters } from './filters.ts';

interface Props {
  scope: Scope;
  runs: readonly RunRecord[];
  selected: ReadonlySet<string>;
  /** By which the list was made, for the command that does the same to all that it selects. */
  filters: RunFilters;
  onChange(selected: ReadonlySet<string>): void;
}

const OPEN = ['queued', 'running', 'waiting'];

/** What can be done with the runs that are ticked. Only those that are shown count. */
export function Selection({ scope, runs, selected, filters, onChange }: Props) {
  const [done, setDone] = useState('');
  const chosen = runs.filter(({ run_id }) => selected.has(run_id));
  const open = chosen.filter(({ status }) => OPEN.includes(status));
  const ended = chosen.filter(({ status }) => !OPEN.includes(status));
  const each = async (list: readonly RunRecord[], path: string, body: object, said: string) => {
    const failures: string[] = [];
    for (const { run_id } of list)
      await json(scoped(scope, `/runs/${encodeURIComponent(run_id)}/${path}`), { method: 'POST', body }).catch(
        (error: Error) => failures.push(`${run_id.slice(-6)}: ${error.message}`),
      );
    onChange(new Set());
    setDone(`${list.length - failures.length} ${said}`);
    if (failures.length > 0) throw new Error(failures.join('\n'));
  };
  return (
    <fieldset className="row selection">
      <legend className="hidden">Selected runs</legend>
      <Confirm
        label={`Cancel ${open.length || ''}`}
        title="Cancel the selected runs?"
        verb="Cancel them"
        danger
        disabled={open.length === 0}
        run={() => each(open, 'cancel', {}, 'cancelled')}
      >
        {open.length} of the selected runs are not over. What they have done stays done.{' '}
        <code>{commandOf(filters, shellQuote, 'cancel')}</code> cancels all that the list selects.
      </Confirm>
      <Confirm
        label={`Rerun ${ended.length || ''}`}
        title="Rerun the selected runs?"
        verb="Rerun them"
        disabled={ended.length === 0}
        run={() => each(ended, 'rerun', { all: true }, 'started again')}
      >
        {ended.length} of the selected runs are over. Each begins again from its start, as a new run.{' '}
        <code>{commandOf(filters, shellQuote, 'rerun')}</code> reruns all that the list selects.
      </Confirm>
      {chosen.length === 2 && (
        // The older one first: ids are ordered by time.
        <CompareLink scope={scope} a={chosen[1]!.run_id} b={chosen[0]!.run_id}>
          Compare the two
        </CompareLink>
      )}
      <span className="quiet" role="status">
        {chosen.length > 0 ? `${chosen.length} selected` : done}
      </span>
    </fieldset>
  );
}
