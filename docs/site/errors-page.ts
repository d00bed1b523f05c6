import { errorCodes } from '../../cli/commands/errors.ts';
import type { Page } from './pages.ts';
import { joined, plain } from './text.ts';

/** The error catalogue with a heading for each code, to which the `docs` of an error leads. */
export async function errorsPage(): Promise<Page> {
  const sections = errorCodes().map(([code, status, title, next]) =>
    joined(
      `## ${code}`,
      `**${plain(title)}** ${status > 0 ? `HTTP ${status}` : 'Reported by the command line.'}`,
      plain(next),
    ),
  );
  return {
    path: 'errors',
    group: 'Reference',
    title: 'Error codes',
    markdown: joined(
      '# Error codes',
      'Look up what an error code means and what to do next. `svc errors <code>` prints the same in a terminal.',
      'Every error response is `application/problem+json` (RFC 9457). Its `code` is one of these and never changes its meaning; `detail` says what happened this time, `next` says what to do, and `docs` is the address of the section below on the same server.',
      ...sections,
    ),
  };
}
