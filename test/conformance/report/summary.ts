import type { Report } from './report.ts';

/** A few lines for the terminal: how many rules were shown, and why others were not, the most frequent reason first. */
export function summaryOf({ rules }: Pick<Report, 'rules'>): string {
  const of = (result: string) => rules.filter((one) => one.result === result);
  const left = [...of('not_applicable'), ...of('not_covered')];
  const reasons = Map.groupBy(left, (one) => one.reasons.join('; ') || 'no scenario shows it');
  const lines = [...reasons]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([reason, those]) => `  ${those.length} left out: ${reason}\n    ${those.map(({ rule }) => rule).join(' ')}`);
  const failed = of('failed').map(({ rule }) => rule);
  return [
    `rules proved: ${of('passed').length} of ${rules.length}`,
    ...(failed.length === 0 ? [] : [`  ${failed.length} failed: ${failed.join(' ')}`]),
    ...lines,
    '',
  ].join('\n');
}
