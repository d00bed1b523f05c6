import { Link } from '@tanstack/react-router';
import { ChevronRight, Pause } from 'lucide-react';
import { useState } from 'react';
import type { RunRecord } from '../../../../../cli/generated/api.ts';
import type { Scope } from '../api/paths.ts';
import { Name, StatusIcon, Tag } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { usePhone } from '../kit/phone.ts';
import { useRowKeys } from '../kit/row-keys.ts';
import { exactTime, roughly, span, took, visible } from '../kit/text.ts';
import { Answer } from '../run/answer.tsx';
import { isApproval } from '../run/ask.ts';
import { COLUMNS, type Column } from './columns.tsx';
import { detailOf } from './detail.ts';
import { type RunFilters, starterOf } from './filters.ts';
import { piecesOf, type Range, rangeOf } from './time-bar.ts';
import { familiesOf, type Family, sharesOf } from './tree.ts';
import { triggerOf } from './trigger.tsx';
import '../kit/rows.css';
import './runs.css';

interface Props {
  scope: Scope;
  runs: readonly RunRecord[];
  /** If absent, runs cannot be selected. */
  selected?: ReadonlySet<string> | undefined;
  columns?: ReadonlySet<Column>;
  onSelect?(selected: ReadonlySet<string>): void;
}

const ALL: ReadonlySet<Column> = new Set(COLUMNS);

/** A table of runs, or on a phone a list of cards. Runs that another run called are folded below it. */
export function RunTable({ scope, runs, selected, columns = ALL, onSelect }: Props) {
  const phone = usePhone();
  const now = useNow();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const unfold = (run_id: string, wanted: boolean) => {
    const next = new Set(open);
    if (wanted) next.add(run_id);
    else next.delete(run_id);
    setOpen(next);
  };
  const toggle = (run_id: string) => {
    const next = new Set(selected);
    if (!next.delete(run_id)) next.add(run_id);
    onSelect?.(next);
  };
  const keys = useRowKeys({ select: toggle, unfold });
  const families = familiesOf(runs);
  if (phone) return <RunCards scope={scope} runs={runs} now={now} />;
  const range = rangeOf(runs, now);
  const has = (column: Column) => columns.has(column);
  return (
    <table className="rows runs" ref={keys}>
      <thead>
        <tr>
          {selected && (
            <th className="c-check">
              <input
                type="checkbox"
                aria-label="Select all shown runs"
                checked={runs.every(({ run_id }) => selected.has(run_id))}
                onChange={({ target }) => onSelect?.(new Set(target.checked ? runs.map(({ run_id }) => run_id) : []))}
              />
            </th>
          )}
          <th className="c-run">Run</th>
          {has('Status detail') && <th>Status detail</th>}
          {has('Trigger') && <th className="c-trigger">Trigger</th>}
          {has('Time') && <th className="c-time">{range.name}</th>}
          {has('Duration') && <th className="c-took">Duration</th>}
          {has('Age') && <th className="c-age">Age</th>}
        </tr>
      </thead>
      <tbody>
        {families.flatMap((family) => [
          <RunRow
            key={family.run.run_id}
            {...{ scope, range, now, columns, selected, toggle }}
            run={family.run}
            family={family}
            open={open.has(family.run.run_id)}
            onUnfold={(wanted) => unfold(family.run.run_id, wanted)}
          />,
          ...(open.has(family.run.run_id)
            ? family.children.map((run) => (
                <RunRow key={run.run_id} {...{ scope, range, now, columns, selected, toggle }} run={run} child />
              ))
            : []),
        ])}
      </tbody>
    </table>
  );
}

interface RowProps {
  scope: Scope;
  run: RunRecord;
  range: Range;
  now: number;
  columns: ReadonlySet<Column>;
  selected: ReadonlySet<string> | undefined;
  toggle(run_id: string): void;
  family?: Family;
  child?: boolean;
  open?: boolean;
  onUnfold?(open: boolean): void;
}

function RunRow({
  scope,
  run,
  range,
  now,
  columns,
  selected,
  toggle,
  family,
  child,
  open = false,
  onUnfold,
}: RowProps) {
  const chosen = selected?.has(run.run_id) ?? false;
  const children = family?.children ?? [];
  const has = (column: Column) => columns.has(column);
  return (
    <tr className={`${chosen ? 'on' : ''} ${child ? 'kid' : ''}`.trim()} data-row={run.run_id}>
      {selected && (
        <td className="c-check">
          <input
            type="checkbox"
            aria-label={`Select ${run.run_id}`}
            checked={chosen}
            onChange={() => toggle(run.run_id)}
          />
        </td>
      )}
      <td className="c-run">
        <div className="row-name">
          <StatusIcon of={run.status} />
          <Link
            className="clip"
            to="/orgs/$org/projects/$project/runs/$run"
            params={{ ...scope, run: run.run_id }}
            title={visible(run.workflow)}
          >
            {visible(run.workflow)}
          </Link>
          <span className="id">{run.run_id.slice(-6)}</span>
          {children.length > 0 && <Fold runs={children} open={open} onToggle={() => onUnfold?.(!open)} />}
          {run.tags.slice(0, 2).map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          {!run.trusted && <span className="quiet">not trusted</span>}
        </div>
      </td>
      {has('Status detail') && (
        <td className="why">
          <Detail run={run} now={now} />
        </td>
      )}
      {has('Trigger') && (
        <td className="c-trigger">
          <Trigger scope={scope} run={run} />
        </td>
      )}
      {has('Time') && (
        <td className="c-time">
          <TimeBar run={run} now={now} range={range} />
        </td>
      )}
      {has('Duration') && (
        <td className="c-took num" title={took(run, now)}>
          {lastedOf(run, now)}
        </td>
      )}
      {has('Age') && (
        <td className="c-age num">
          <time dateTime={run.created_at} title={exactTime(run.created_at)}>
            {roughly(now - Date.parse(run.created_at))}
          </time>
        </td>
      )}
    </tr>
  );
}

const lastedOf = ({ started_at, finished_at }: RunRecord, now: number): string =>
  started_at ? span((finished_at ? Date.parse(finished_at) : now) - Date.parse(started_at)) : '—';

function Detail({ run, now }: { run: RunRecord; now: number }) {
  const { lead, text, state } = detailOf(run, now);
  return (
    <>
      {lead && <span className={`lead toned ${state ?? ''}`}>{visible(lead)}</span>}
      {lead && text && ' · '}
      {visible(text)}
    </>
  );
}

/** What started a run, as a link to all runs with the same trigger. */
function Trigger({ scope, run }: { scope: Scope; run: RunRecord }) {
  const { icon: Icon, text } = triggerOf(run);
  return (
    <Link
      className="trigger"
      to="/orgs/$org/projects/$project/runs"
      params={scope}
      search={{ trigger: starterOf(run.trigger) ?? run.trigger.type }}
      title={`All runs started by ${visible(starterOf(run.trigger) ?? run.trigger.type)}`}
    >
      <Icon size={14} aria-hidden />
      <span className="clip">{visible(text)}</span>
    </Link>
  );
}

function TimeBar({ run, now, range }: { run: RunRecord; now: number; range: Range }) {
  return (
    <svg className="timebar" height="12" aria-hidden="true">
      <rect className="ground" y="5" width="100%" height="2" rx="1" />
      {piecesOf(run, now, range).map(({ state, left, width }) => (
        <rect key={state} className={`fill ${state}`} x={`${left}%`} y="2" width={`${width}%`} height="8" rx="2" />
      ))}
    </svg>
  );
}

function Fold({ runs, open, onToggle }: { runs: readonly RunRecord[]; open: boolean; onToggle(): void }) {
  let left = 0;
  return (
    <button
      type="button"
      className="fold"
      aria-expanded={open}
      aria-label={`${open ? 'Collapse' : 'Expand'} ${runs.length === 1 ? '1 child' : `${runs.length} children`}`}
      onClick={onToggle}
    >
      <ChevronRight size={12} aria-hidden /> {runs.length}
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        {sharesOf(runs).map(([status, count]) => {
          const width = (count / runs.length) * 100;
          left += width;
          return <rect key={status} className={`fill ${status}`} x={left - width} width={width} height="4" />;
        })}
      </svg>
    </button>
  );
}

function RunCards({ scope, runs, now }: { scope: Scope; runs: readonly RunRecord[]; now: number }) {
  const asks = ({ substate }: RunRecord) => substate?.kind === 'signal';
  const groups: [string, RunRecord[]][] = [
    ['Needs attention', runs.filter(asks)],
    ['Newest first', runs.filter((run) => !asks(run))],
  ];
  return groups.map(([name, list]) =>
    list.length === 0 ? null : (
      <section key={name} className="row-cards" aria-label={name}>
        <h2 className="day">{name}</h2>
        <ul>
          {list.map((run) => (
            <RunCard key={run.run_id} scope={scope} run={run} now={now} />
          ))}
        </ul>
      </section>
    ),
  );
}

function RunCard({ scope, run, now }: { scope: Scope; run: RunRecord; now: number }) {
  const { icon: Icon, text } = triggerOf(run);
  return (
    <li>
      <StatusIcon of={run.status} size="l" />
      <Link className="nm clip" to="/orgs/$org/projects/$project/runs/$run" params={{ ...scope, run: run.run_id }}>
        {visible(run.workflow)} <span className="id">{run.run_id.slice(-6)}</span>
      </Link>
      <span className="age">{roughly(now - Date.parse(run.created_at))}</span>
      <div className="l2">
        <span className="clip">
          <Detail run={run} now={now} />
          {run.status === 'succeeded' && lastedOf(run, now)}
        </span>
        <span className="by push">
          <Icon size={14} aria-hidden /> {visible(text)}
        </span>
      </div>
      {run.substate?.kind === 'signal' && isApproval(run.substate.name) && (
        <div className="acts">
          <Answer scope={scope} run={run} />
        </div>
      )}
    </li>
  );
}

/** A link to the runs that match a filter. */
export const RunsLink = ({ scope, filters, children }: { scope: Scope; filters: RunFilters; children: string }) => (
  <Link to="/orgs/$org/projects/$project/runs" params={scope} search={filters}>
    <Name>{children}</Name>
  </Link>
);

/** The type of the event, and the handler or schedule; each is a link to all runs that it started. */
export function StartedBy({ scope, run: { trigger } }: { scope: Scope; run: RunRecord }) {
  const name = starterOf(trigger);
  return (
    <>
      <RunsLink scope={scope} filters={{ trigger: trigger.type }}>
        {trigger.type}
      </RunsLink>
      {name && (
        <>
          {' · '}
          <RunsLink scope={scope} filters={{ trigger: name }}>
            {name}
          </RunsLink>
        </>
      )}
    </>
  );
}

/** Beside the status of a run, which stays what it was. */
export const PausedPill = () => (
  <span className="pill status waiting">
    <Pause size={12} aria-hidden /> Paused
  </span>
);

export function Took({ run }: { run: RunRecord }) {
  return <>{took(run, useNow())}</>;
}
