import { useMemo } from 'react';
import { highlightLines, type Piece } from './editor/highlight.ts';
import type { DocumentLanguage } from './editor/language.ts';
import { visible } from './text.ts';

interface Props {
  text: string;
  language: DocumentLanguage;
  mark: number | undefined;
  markState: string;
}

/** A document in the colours of its language, with one line that may stand out. Loaded when it is shown. */
export default function Highlighted({ text, language, mark, markState }: Props) {
  const lines = useMemo(() => highlightLines(text, language), [text, language]);
  if (mark === undefined) return <Lines lines={lines} />;
  return (
    <>
      <Lines lines={lines.slice(0, mark - 1)} />
      <mark className={`marked ${markState}`}>
        <Lines lines={lines.slice(mark - 1, mark)} />
      </mark>
      <Lines lines={lines.slice(mark)} />
    </>
  );
}

const Lines = ({ lines }: { lines: readonly Piece[][] }) => (
  <>
    {lines.map((line, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a document do not move
      <span key={at}>
        {at > 0 && '\n'}
        {line.map(({ text, look }, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nor do the parts of a line
          <span key={n} className={look}>
            {visible(text)}
          </span>
        ))}
      </span>
    ))}
  </>
);
