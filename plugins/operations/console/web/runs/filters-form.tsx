import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check, ListFilter, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { StatusIcon } from '../kit/basics.tsx';
import { Find } from '../kit/find.tsx';
import { stateWord } from '../kit/state.ts';
import { visible } from '../kit/text.ts';
import { chosenStatuses, type RunFilters, STATUSES, toggled } from './filters.ts';

/** The beginnings of what a run may have been started by. */
const STARTERS = ['manual', 'spawn', 'push', 'schedule.tick', 'handler:', 'schedule:', 'event:', 'run:'];
const SINCE = ['1h', '24h', '7d', '30d'];

interface Kind {
  name: Exclude<keyof RunFilters, 'status'>;
  label: string;
  operator: string;
  hint: string;
  suggest?: readonly string[];
}

const KINDS: readonly Kind[] = [
  { name: 'workflow', label: 'Workflow', operator: 'is', hint: 'release.sh' },
  { name: 'tag', label: 'Tag', operator: 'is', hint: 'team:web' },
  { name: 'subject', label: 'Subject', operator: 'is', hint: 'order:20931' },
  { name: 'trigger', label: 'Started by', operator: 'is', hint: 'push, handler:…', suggest: STARTERS },
  { name: 'since', label: 'Created', operator: 'in the last', hint: '2h, or a time', suggest: SINCE },
  { name: 'until', label: 'Created before', operator: '', hint: '2h, 2026-01-31', suggest: SINCE },
];

interface Props {
  filters: RunFilters;
  onChange(next: RunFilters): void;
  /** Narrows what is shown, as it is typed. */
  find: string;
  onFind(text: string): void;
  /** At the right. */
  children?: ReactNode;
}

/** Every change is in the address at once. */
export function Filters({ filters, onChange, find, onFind, children }: Props) {
  const [edited, setEdited] = useState<Kind['name']>();
  const change = (next: RunFilters) => {
    setEdited(undefined);
    onChange(Object.fromEntries(Object.entries(next).filter(([, value]) => value)));
  };
  const shown = KINDS.filter(({ name }) => filters[name] !== undefined || name === edited);
  const any = Object.keys(filters).length > 0;
  return (
    <div className="filters list-bar">
      <Find label="Find among these runs" hint="Workflow, ID, tag or error" text={find} onChange={onFind} />
      {filters.status !== undefined && <StatusChip filters={filters} onChange={change} />}
      {shown.map((kind) => (
        <Chip
          key={kind.name}
          kind={kind}
          value={filters[kind.name]}
          edits={kind.name === edited}
          onEdit={() => setEdited(kind.name)}
          onChange={(value) => change({ ...filters, [kind.name]: value })}
        />
      ))}
      <Menu.Root modal={false}>
        <Menu.Trigger className="ghost small" data-key="f">
          <ListFilter size={14} aria-hidden /> Filter
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content
            className="menu"
            align="start"
            sideOffset={4}
            // The field of the new chip has the focus.
            onCloseAutoFocus={(event) => event.preventDefault()}
          >
            <Menu.Sub>
              <Menu.SubTrigger className="item">Status</Menu.SubTrigger>
              <Menu.Portal>
                <Menu.SubContent className="menu">
                  <StatusItems filters={filters} onChange={change} />
                </Menu.SubContent>
              </Menu.Portal>
            </Menu.Sub>
            {KINDS.map(({ name, label }) => (
              <Menu.Item key={name} className="item" onSelect={() => setEdited(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {any && (
        <button type="button" className="ghost small" onClick={() => change({})}>
          Clear
        </button>
      )}
      <div className="row push">{children}</div>
    </div>
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
      onCheckedChange={() => onChange(toggled(filters, status))}
      // Several are chosen one after another.
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

interface ChipProps {
  kind: Kind;
  value: string | undefined;
  edits: boolean;
  onEdit(): void;
  onChange(value: string): void;
}

function Chip({ kind: { label, operator, hint, suggest = [] }, value = '', edits, onEdit, onChange }: ChipProps) {
  return (
    <div className="fchip">
      <span>{label}</span>
      {operator && <span className="op">{operator}</span>}
      {edits ? (
        <ChipField label={label} value={value} hint={hint} suggest={suggest} onChange={onChange} />
      ) : (
        <button type="button" aria-label={`Change ${label}: ${value}`} onClick={onEdit}>
          {visible(value)}
        </button>
      )}
      <button type="button" aria-label={`Remove the filter ${label}`} onClick={() => onChange('')}>
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}

interface FieldProps {
  label: string;
  value: string;
  hint: string;
  suggest: readonly string[];
  onChange(value: string): void;
}

function ChipField({ label, value, hint, suggest, onChange }: FieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onChange(value);
  };
  return (
    <form onSubmit={submit}>
      <input
        ref={field}
        aria-label={label}
        placeholder={hint}
        list={suggest.length > 0 ? id : undefined}
        value={text}
        spellCheck={false}
        onKeyDown={onKeyDown}
        onChange={({ target }) => setText(target.value)}
        onBlur={() => onChange(text.trim())}
      />
      {suggest.length > 0 && (
        <datalist id={id}>
          {suggest.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </form>
  );
}
