import { useEffect, useState } from 'react';

interface Props {
  label: string;
  value: string;
  /** Answers what is wrong with it, if anything is. Called when it was typed whole. */
  take(text: string): string | undefined;
}

/** A text that counts when Enter is pressed or the field is left. */
export function TypedText({ label, value, take }: Props) {
  const [text, setText] = useState(value);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    setText(value);
    setFault(undefined);
  }, [value]);
  const done = () => setFault(text === value ? undefined : take(text));
  return (
    <>
      <input
        aria-label={label}
        aria-invalid={fault !== undefined}
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={done}
        onKeyDown={({ key }) => key === 'Enter' && done()}
      />
      {fault && (
        <p className="bad" role="alert">
          ✕ {fault}
        </p>
      )}
    </>
  );
}
