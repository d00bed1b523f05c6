import { useState } from 'react';
import { DocumentField } from './editor/document-field.tsx';
import { languageOf } from './editor/language.ts';
import { Hidden } from './hidden.tsx';
import { visible } from './text.ts';

/** A document in a form, which reads it by `name`. */
export function SourceField({ name, label, value = '', filename = '' }: SourceProps) {
  const [text, setText] = useState(value);
  return (
    <div>
      <span className="label" aria-hidden="true">
        {label}
      </span>
      <DocumentField label={label} value={text} onChange={setText} language={languageOf(filename, text)} />
      <input type="hidden" name={name} value={text} />
    </div>
  );
}

interface SourceProps {
  name: string;
  label: string;
  value?: string;
  /** Its ending says in which language it is. */
  filename?: string;
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
