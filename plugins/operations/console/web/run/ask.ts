import type { RunRecord } from '../../../../../cli/generated/api.ts';
import { plain } from '../kit/ansi.ts';

/** What a run asks a person. */
export interface Ask {
  title: string;
  /** What it wrote below the question, as Markdown. */
  detail?: string;
}

const APPROVAL = /approv|accept|confirm|sign.?off|consent|review/i;

/** Is this the name of a signal by which somebody agrees to something? */
export const isApproval = (signal: string): boolean => APPROVAL.test(signal);

/**
 * The last note of a run that waits for a person is its question: the first line is asked, what follows explains it.
 * Without a note the name of the signal must do.
 */
export function askOf({
  annotations,
  substate,
  workflow,
}: Pick<RunRecord, 'annotations' | 'substate' | 'workflow'>): Ask {
  const note = annotations.at(-1)?.trim() ?? '';
  const [first = '', ...rest] = note.split('\n');
  const title = plainWords(first);
  if (title === '') return { title: titleWithout(substate?.name ?? '', workflow) };
  const detail = rest.join('\n').trim();
  return { title, ...(detail !== '' && { detail }) };
}

/** The first line of a message is asked, what follows explains it. */
export function messageOf(message: string): Ask {
  const [first = '', ...rest] = message.split('\n');
  const detail = rest.join('\n').trim();
  return { title: plain(first), ...(detail !== '' && { detail }) };
}

/** Without the marks of Markdown, which a title does not draw. */
const plainWords = (line: string): string =>
  plain(line)
    .replace(/^#{1,6}\s+/, '')
    .replace(/(\*\*|__|`)(.+?)\1/g, '$2')
    .trim();

const titleWithout = (signal: string, workflow: string): string =>
  isApproval(signal) ? `Approve ${workflow}?` : `${workflow} waits for ${signal}`;

/** Notes that are not the question. */
export const notesOf = ({
  annotations,
  status,
  substate,
}: Pick<RunRecord, 'annotations' | 'status' | 'substate'>): string[] =>
  status === 'waiting' && substate?.kind === 'signal' ? annotations.slice(0, -1) : annotations;
