import { lazy, Suspense, useState } from 'react';
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

interface ReadProps {
  text: string;
  /** Its ending says in which language it is. */
  filename?: string;
  /** The line that stands out, from 1. */
  mark?: number;
  /** In the hue of which it does. */
  markState?: string;
}

const Highlighted = lazy(() => import('./highlighted.tsx'));

/** Longer documents are shown without colours, because each part of a line is an element. */
const MOST_HIGHLIGHTED = 100_000;

/** A document that one reads only. */
export function Source({ text, filename = '', mark, markState = 'waiting' }: ReadProps) {
  const shown = text.replace(/\n$/, '');
  const lines = shown.split('\n');
  const language = languageOf(filename, text);
  const uncoloured = <TextLines lines={lines} mark={mark} markState={markState} />;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys */}
      <div className="source" tabIndex={0}>
        <pre className="numbers" aria-hidden="true">
          {lines.map((_, at) => at + 1).join('\n')}
        </pre>
        <pre>
          {language === 'text' || text.length > MOST_HIGHLIGHTED ? (
            uncoloured
          ) : (
            <Suspense fallback={uncoloured}>
              <Highlighted text={shown} language={language} mark={mark} markState={markState} />
            </Suspense>
          )}
        </pre>
      </div>
      <Hidden text={text} />
    </>
  );
}

interface TextLinesProps {
  lines: readonly string[];
  mark: number | undefined;
  markState: string;
}

function TextLines({ lines, mark, markState }: TextLinesProps) {
  if (mark === undefined) return visible(lines.join('\n'));
  return (
    <>
      {visible(lines.slice(0, mark - 1).join('\n'))}
      <mark className={`marked ${markState}`}>{visible(lines[mark - 1] ?? '')}</mark>
      {visible(lines.slice(mark).join('\n'))}
    </>
  );
}
