import { useState } from 'react';
import { visible } from './text.ts';

/** A document with the numbers of its lines. */
export function SourceField({ name, label, value = '' }: { name: string; label: string; value?: string }) {
  const [text, setText] = useState(value);
  const lines = Math.max(6, text.split('\n').length);
  return (
    <div>
      <label htmlFor={`source-${name}`}>{label}</label>
      <div className="source">
        <LineNumbers lines={lines} />
        <textarea
          id={`source-${name}`}
          name={name}
          required
          rows={lines}
          wrap="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <Hidden text={text} />
    </div>
  );
}

/** A document that one reads only. */
export const Source = ({ text }: { text: string }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys */}
    <div className="source" tabIndex={0}>
      <LineNumbers lines={text.replace(/\n$/, '').split('\n').length} />
      <pre>{visible(text)}</pre>
    </div>
    <Hidden text={text} />
  </>
);

const LineNumbers = ({ lines }: { lines: number }) => (
  <pre className="numbers" aria-hidden="true">
    {Array.from({ length: lines }, (_, at) => at + 1).join('\n')}
  </pre>
);

/** Marks of direction can make a line read as something else. */
const Hidden = ({ text }: { text: string }) =>
  visible(text) === text ? null : (
    <p className="bad">It has characters that do not show, or that turn the direction of what follows them.</p>
  );
