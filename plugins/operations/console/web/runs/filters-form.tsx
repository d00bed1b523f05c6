import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { StatusIcon } from '../kit/basics.tsx';
import { AGES, ChipBar, type TypedFilter } from '../kit/chip-bar.tsx';
import { Find } from '../kit/find.tsx';
import { stateWord } from '../kit/state.ts';
import { visible } from '../kit/text.ts';
import { chosenStatuses, type RunFilters, STATUSES, toggleStatus } from './filters.ts';

/** Suggestions for the filter `trigger`; those that end with a colon are prefixes. */
const STARTERS = ['manual', 'spawn', 'push', 'schedule.tick', 'handler:', 'schedule:', 'event:', 'run:'];

const KINDS: readonly TypedFilter<Exclude<keyof RunFilters, 'status' | 'view'>>[] = [
  { name: 'paused', label: 'Paused', operator: 'is', hint: 'true', suggest: ['true', 'false'] },
  { name: 'workflow', label: 'Workflow', operator: 'is', hint: 'release.sh' },
  { name: 'tag', label: 'Tag', operator: 'is', hint: 'team:web' },
  { name: 'subject', label: 'Subject', operator: 'is', hint: 'order:20931' },
  { name: 'trigger', label: 'Started by', operator: 'is', hint: 'push, handler:…', suggest: STARTERS },
  { name: 'output', label: 'Output', operator: 'has', hint: 'words' },
  { name: 'error', label: 'Error', operator: 'has', hint: 'disk full' },
  { name: 'step', label: 'Step', operator: 'is', hint: 'deploy' },
  { name: 'account', label: 'Account', operator: 'is', hint: 'github' },
  { name: 'since', label: 'Created', operator: 'in the last', hint: '2h, or a time', suggest: AGES },
  { name: 'until', label: 'Created before', operator: '', hint: '2h, 2026-01-31', suggest: AGES },
];

interface Props {
  /** Without a view: its filters are among these. */
  filters: Omit<RunFilters, 'view'>;
  onChange(next: RunFilters): void;
  /** The text that the runs on the page must contain. */
  find: string;
  onFind(text: string): void;
  /** Shown at the right end of the bar. */
  children?: ReactNode;
}

/** The bar with the filters of the list of runs. Every change is in the address immediately. */
export function Filters({ filters, onChange, find, onFind, children }: Props) {
  const change = (next: RunFilters) => onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value)));
  const { status, ...typed } = filters;
  return (
    <ChipBar
      kinds={KINDS}
      values={typed}
      onChange={(next) => onChange({ ...(status !== undefined && { status }), ...next })}
      onClear={() => onChange({})}
      canClear={Object.keys(filters).length > 0}
      before={
        <>
          <Find label="Find among these runs" hint="Workflow, subject, tag or error" text={find} onChange={onFind} />
          {status !== undefined && <StatusChip filters={filters} onChange={change} />}
        </>
      }
      items={
        <Menu.Sub>
          <Menu.SubTrigger className="item">Status</Menu.SubTrigger>
          <Menu.Portal>
            <Menu.SubContent className="menu">
              <StatusItems filters={filters} onChange={change} />
            </Menu.SubContent>
          </Menu.Portal>
        </Menu.Sub>
      }
    >
      {children}
    </ChipBar>
  );
}

interface StatusProps {
  filters: RunFilters;
  onChange(next: RunFilters): void;
}

const StatusItems = ({ filters, onChange }: StatusProps) =>
  STATUSES.map((status) => (
    <Menu.CheckboxItem
      key={status}
      className="item"
      checked={chosenStatuses(filters).includes(status)}
      onCheckedChange={() => onChange(toggleStatus(filters, status))}
      // The menu stays open, so that several statuses can be selected.
      onSelect={(event) => event.preventDefault()}
    >
      <StatusIcon of={status} silent /> {stateWord(status)}
      <Menu.ItemIndicator className="chosen">
        <Check size={14} aria-hidden />
      </Menu.ItemIndicator>
    </Menu.CheckboxItem>
  ));

function StatusChip({ filters, onChange }: StatusProps) {
  const chosen = chosenStatuses(filters);
  return (
    <div className="fchip">
      <span>Status</span>
      <span className="op">{chosen.length > 1 ? 'is any of' : 'is'}</span>
      <Menu.Root modal={false}>
        <Menu.Trigger aria-label={`Change status: ${chosen.join(', ')}`}>
          {chosen.map((one) => visible(stateWord(one))).join(', ')}
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="start" sideOffset={4}>
            <StatusItems filters={filters} onChange={onChange} />
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <button type="button" aria-label="Remove the filter Status" onClick={() => onChange({ ...filters, status: '' })}>
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}
