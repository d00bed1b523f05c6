import { Fragment } from 'react';
import { visible } from './text.ts';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;
/** Longer texts are shown without colours. */
const MOST = 50_000;

/** A text, in colours and over several lines where it is JSON. */
export function JsonText({ text }: { text: string }) {
  const shown = formatted(text);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one scrolls by keys
    <pre tabIndex={0} className="well json">
      {shown === undefined ? visible(text) : <Coloured text={visible(shown)} />}
    </pre>
  );
}

/** Over several lines, without a change of any digit; undefined for what is not a JSON object or list. */
function formatted(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MOST || !/^[{[]/.test(trimmed)) return undefined;
  try {
    const value: unknown = JSON.parse(trimmed);
    const lines = JSON.stringify(value, null, 2);
    // A number that JavaScript cannot hold would come out as another one.
    return JSON.stringify(value) === trimmed.replace(/\s+/g, '') ? lines : trimmed;
  } catch {
    return undefined;
  }
}

function Coloured({ text }: { text: string }) {
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, word, number] = match;
    pieces.push(<Fragment key={at}>{text.slice(at, match.index)}</Fragment>);
    const look = string ? (colon ? 'j-k' : 'j-s') : word ? 'j-b' : number ? 'j-n' : '';
    pieces.push(
      <span key={match.index} className={look}>
        {string ?? whole}
      </span>,
    );
    if (string && colon) pieces.push(<Fragment key={`${match.index}:`}>{colon}</Fragment>);
    at = match.index + whole.length;
  }
  pieces.push(<Fragment key="end">{text.slice(at)}</Fragment>);
  return <>{pieces}</>;
}
