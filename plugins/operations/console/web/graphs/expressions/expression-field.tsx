import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { visible } from '../../kit/text.ts';
import { atSelection, useInserted } from '../node/insertion.ts';
import { completionsAt, type Option } from './completion.ts';
import './expressions.css';
import type { ExpressionNames } from './names.ts';
import { ExpressionValue } from './value.tsx';

export type { ExpressionNames } from './names.ts';

interface Props {
  value: string;
  onChange(value: string): void;
  /** Of the field; what stands above it is for its page to say. */
  label: string;
  names: ExpressionNames;
  /** What the check says of it. */
  error?: string | undefined;
}

interface Offered {
  options: readonly Option[];
  /** -1: none, so that Enter and Tab do what they do everywhere. */
  active: number;
}

const NOTHING: Offered = { options: [], active: -1 };

/** A CEL expression: it offers what may stand at the caret, and shows what the engine says of the whole. */
export function ExpressionField({ value, onChange, label, names, error }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const caret = useRef<number>(undefined);
  const [{ options, active }, setOffered] = useState(NOTHING);
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  const offer = (text: string, at: number) => setOffered({ options: completionsAt(text, at, names), active: -1 });
  const take = ({ insert, from, to, caret: inside = insert.length }: Option) => {
    const text = value.slice(0, from) + insert + value.slice(to);
    caret.current = from + inside;
    onChange(text);
    setOffered(NOTHING);
    field.current?.focus();
  };
  const onFocus = useInserted((cel) => {
    const made = atSelection(field.current, value, cel);
    caret.current = made.caret;
    onChange(made.text);
    field.current?.focus();
  });
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { selectionStart } = event.currentTarget;
    if (event.key === ' ' && event.ctrlKey) offer(value, selectionStart);
    else if (options.length === 0) return;
    else if (event.key === 'ArrowDown') setOffered({ options, active: (active + 1) % options.length });
    else if (event.key === 'ArrowUp') setOffered({ options, active: active <= 0 ? options.length - 1 : active - 1 });
    else if (event.key === 'Escape') {
      // It closes the list, and not the dialog around it too.
      event.stopPropagation();
      setOffered(NOTHING);
    } else if (event.key === 'Enter' && active >= 0) take(options[active]!);
    else return;
    event.preventDefault();
  };
  const open = options.length > 0;
  return (
    <div className="expression">
      <textarea
        ref={field}
        aria-label={label}
        rows={Math.min(8, value.split('\n').length)}
        value={value}
        spellCheck={false}
        autoComplete="off"
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open && active >= 0 ? `${id}-${active}` : undefined}
        aria-describedby={`${id}-value`}
        aria-invalid={error !== undefined}
        onChange={({ target }) => {
          onChange(target.value);
          // A list at every space would be in the way; it comes when it is asked for.
          if (/[\w.]$/.test(target.value.slice(0, target.selectionStart))) offer(target.value, target.selectionStart);
          else setOffered(NOTHING);
        }}
        onFocus={onFocus}
        onKeyDown={onKeyDown}
        onBlur={() => setOffered(NOTHING)}
      />
      {open && <Options id={id} label={label} offered={{ options, active }} onTake={take} />}
      <span className="hidden" role="status">
        {open ? `${options.length} suggestions; use the arrow keys to choose` : ''}
      </span>
      <div id={`${id}-value`} className="expression-said" role="status">
        <ExpressionValue expression={value} names={names} />
      </div>
      {error !== undefined && <p className="bad">{visible(error)}</p>}
    </div>
  );
}

interface OptionsProps {
  id: string;
  label: string;
  offered: Offered;
  onTake(option: Option): void;
}

/** The field keeps the focus; the chosen one is named by it. */
const Options = ({ id, label, offered: { options, active }, onTake }: OptionsProps) => (
  <div id={`${id}-list`} className="expression-options" role="listbox" aria-label={`Suggestions for ${label}`}>
    {options.map((option, at) => (
      <div
        key={option.label}
        id={`${id}-${at}`}
        ref={(row) => {
          if (at === active) row?.scrollIntoView({ block: 'nearest' });
        }}
        className="item"
        role="option"
        tabIndex={-1}
        aria-selected={at === active}
        onPointerDown={(event) => {
          event.preventDefault();
          onTake(option);
        }}
      >
        <code>{visible(option.label)}</code> <span className="quiet clip">{visible(option.detail)}</span>
      </div>
    ))}
  </div>
);
