import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check, ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Find } from './find.tsx';
import { StatusIcon } from './status.tsx';
import { visible } from './text.ts';
import './rows.css';

export interface Choice {
  /** As the address has it. */
  name: string;
  label: string;
  options: readonly { value: string; label: string; state?: string }[];
}

interface Props {
  /** Of the field: `Find a handler`. */
  label: string;
  hint: string;
  find: string;
  choices?: readonly Choice[];
  chosen?: Readonly<Record<string, string | undefined>>;
  /** Everything that the address is to have. */
  onChange(next: Record<string, string>): void;
  /** At the right. */
  children?: ReactNode;
}

/** One bar above a list: a field that narrows it as it is typed, and a chip for each filter. */
export function FilterBar({ label, hint, find, choices = [], chosen = {}, onChange, children }: Props) {
  const put = (change: Record<string, string>) => {
    const all = { ...chosen, find, ...change };
    onChange(Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => !!one[1])));
  };
  const open = choices.filter(({ name }) => chosen[name] !== undefined);
  return (
    <div className="filters list-bar">
      <Find label={label} hint={hint} text={find} onChange={(text) => put({ find: text })} />
      {open.map((choice) => (
        <Chip key={choice.name} choice={choice} value={chosen[choice.name]!} put={put} />
      ))}
      {choices.length > open.length && (
        <Menu.Root modal={false}>
          <Menu.Trigger className="ghost small" data-key="f">
            <ListFilter size={14} aria-hidden /> Filter
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Content className="menu" align="start" sideOffset={4}>
              {choices
                .filter((choice) => !open.includes(choice))
                .map((choice) => (
                  <Menu.Group key={choice.name}>
                    <Menu.Label className="quiet">{choice.label}</Menu.Label>
                    <Options choice={choice} put={put} />
                  </Menu.Group>
                ))}
            </Menu.Content>
          </Menu.Portal>
        </Menu.Root>
      )}
      {open.length > 0 && (
        <button
          type="button"
          className="ghost small"
          onClick={() => put(Object.fromEntries(open.map(({ name }) => [name, ''])))}
        >
          Clear
        </button>
      )}
      {children && <div className="row push">{children}</div>}
    </div>
  );
}

interface PartProps {
  choice: Choice;
  value?: string;
  put(change: Record<string, string>): void;
}

const Options = ({ choice: { name, options }, value, put }: PartProps) =>
  options.map((option) => (
    <Menu.CheckboxItem
      key={option.value}
      className="item"
      checked={option.value === value}
      onCheckedChange={() => put({ [name]: option.value })}
    >
      {option.state && <StatusIcon of={option.state} silent />} {option.label}
      <Menu.ItemIndicator className="chosen">
        <Check size={14} aria-hidden />
      </Menu.ItemIndicator>
    </Menu.CheckboxItem>
  ));

function Chip({ choice, value, put }: PartProps & { value: string }) {
  const { name, label, options } = choice;
  const called = options.find((option) => option.value === value)?.label ?? value;
  return (
    <div className="fchip">
      <span>{label}</span>
      <span className="op">is</span>
      <Menu.Root modal={false}>
        <Menu.Trigger aria-label={`Change ${label}: ${called}`}>{visible(called)}</Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" align="start" sideOffset={4}>
            <Options choice={choice} value={value} put={put} />
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
      <button type="button" aria-label={`Remove the filter ${label}`} onClick={() => put({ [name]: '' })}>
        <X size={14} aria-hidden />
      </button>
    </div>
  );
}
