import * as Menu from '@radix-ui/react-dropdown-menu';
import { ListFilter, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { visible } from './text.ts';
import './rows.css';

/** A filter whose value is entered as text, with suggestions. */
export interface TypedFilter<Name extends string> {
  name: Name;
  label: string;
  /** The word between label and value, such as `is`. */
  operator: string;
  hint: string;
  suggest?: readonly string[];
}

/** The ages that a filter by time suggests. */
export const AGES = ['1h', '24h', '7d', '30d'];

type Values<Name extends string> = Readonly<Partial<Record<Name, string>>>;

interface Props<Name extends string> {
  kinds: readonly TypedFilter<Name>[];
  /** The values in the address of the page. */
  values: Values<Name>;
  onChange(next: Partial<Record<Name, string>>): void;
  /** Removes these filters and those in `before`. */
  onClear(): void;
  /** Whether the button Clear is shown. */
  canClear: boolean;
  /** Elements before the chips: a search field, and chips of filters that are not in `kinds`. */
  before?: ReactNode;
  /** Items at the top of the menu, for filters that are not in `kinds`. */
  items?: ReactNode;
  /** Shown at the right end of the bar. */
  children?: ReactNode;
}

/** The bar above a list, with a chip for each filter and a menu that adds a filter. */
export function ChipBar<Name extends string>(props: Props<Name>) {
  const { kinds, values, onChange, onClear, canClear, before, items, children } = props;
  const [edited, setEdited] = useState<Name>();
  const put = (name: Name, value: string) => {
    setEdited(undefined);
    const next = Object.entries<string | undefined>({ ...values, [name]: value }).filter(([, text]) => text);
    onChange(Object.fromEntries(next) as Partial<Record<Name, string>>);
  };
  const shown = kinds.filter(({ name }) => values[name] !== undefined || name === edited);
  return (
    <div className="filters list-bar">
      {before}
      {shown.map((kind) => (
        <Chip
          key={kind.name}
          kind={kind}
          value={values[kind.name]}
          edits={kind.name === edited}
          onEdit={() => setEdited(kind.name)}
          onChange={(value) => put(kind.name, value)}
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
            // The field of the new chip gets the focus instead of the menu's button.
            onCloseAutoFocus={(event) => event.preventDefault()}
          >
            {items}
            {kinds.map(({ name, label }) => (
              <Menu.Item key={name} className="item" onSelect={() => setEdited(name)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      {canClear && (
        <button type="button" className="ghost small" onClick={onClear}>
          Clear
        </button>
      )}
      {children && <div className="row push">{children}</div>}
    </div>
  );
}

interface ChipProps {
  kind: TypedFilter<string>;
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
