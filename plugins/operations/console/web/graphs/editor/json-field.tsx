import { useEffect, useRef, useState } from 'react';
import { atSelection, useInserted } from '../node/insertion.ts';
import { parseExact } from '../../../../../platform/schema/contract/exact-json.ts';

interface Props {
  label: string;
  value: unknown;
  /** Not called while what was typed is not JSON. Undefined: nothing was typed. */
  onChange(value: unknown): void;
  rows?: number;
}

const textOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

/** Any JSON. What is typed stays as it was typed until the value is changed from elsewhere. */
export function JsonField({ label, value, onChange, rows }: Props) {
  const [text, setText] = useState(() => textOf(value));
  const [fault, setFault] = useState<string>();
  const said = useRef(value);
  useEffect(() => {
    if (textOf(said.current) === textOf(value)) return;
    said.current = value;
    setText(textOf(value));
    setFault(undefined);
  }, [value]);
  const field = useRef<HTMLTextAreaElement>(null);
  const onFocus = useInserted((cel) => {
    type(atSelection(field.current, text, JSON.stringify({ $expr: cel })).text);
    field.current?.focus();
  });
  const type = (now: string) => {
    setText(now);
    try {
      const read: unknown = now.trim() === '' ? undefined : parseExact(now);
      setFault(undefined);
      said.current = read;
      onChange(read);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  return (
    <>
      <textarea
        ref={field}
        onFocus={onFocus}
        aria-label={label}
        aria-invalid={fault !== undefined}
        spellCheck={false}
        rows={rows ?? Math.min(16, Math.max(2, text.split('\n').length))}
        value={text}
        onChange={({ target }) => type(target.value)}
      />
      {fault && <p className="bad">✕ This is not JSON yet: {fault}. Text needs quotes.</p>}
    </>
  );
}
