import { escaped } from '../conformance/report/escape.ts';
import { STYLE } from '../conformance/report/page.ts';
import { areaOf, type Mutant } from './planted.ts';
import type { Known } from './results.ts';

export interface Outcome {
  mutant: Mutant;
  /** Undefined for one that was not run. */
  known: Known | undefined;
}

export type Standing = 'caught' | 'weak' | 'survived' | 'invalid' | 'doubtful' | 'equivalent' | 'not_run';

const WORDS: Record<Standing, string> = {
  caught: 'caught',
  weak: 'caught, but not by a test of the rule',
  survived: 'survived',
  invalid: 'invalid',
  doubtful: 'doubtful',
  equivalent: 'equivalent',
  not_run: 'not run',
};

/** How a mutant stands in the end. */
export function standingOf({ mutant, known }: Outcome): Standing {
  if (mutant.equivalent !== undefined) return 'equivalent';
  if (known === undefined) return 'not_run';
  const { verdict, confirmed } = known;
  if (!('by' in verdict)) return verdict.result;
  if (confirmed === false) return 'doubtful';
  return verdict.by.names_rule === false ? 'weak' : 'caught';
}

/** What became of it, in a line. */
export function told({ mutant, known }: Outcome): string {
  if (mutant.equivalent !== undefined) return `equivalent: ${mutant.equivalent}`;
  if (known === undefined) return 'not run';
  const { verdict, confirmed } = known;
  switch (verdict.result) {
    case 'survived':
      return `survived ${verdict.ran} runs of tests${verdict.left_out > 0 ? `; ${verdict.left_out} files left out for time` : ''}`;
    case 'invalid':
      return `invalid: ${verdict.why}`;
    default: {
      const { test, name, store } = verdict.by;
      const by = `${test}${name === '' ? '' : ` "${name}"`}${store === 'mysql' ? ' on MySQL' : ''}`;
      const doubt = confirmed === false ? '; but that fails without the fault too' : '';
      return `${verdict.result === 'hung' ? `caught by timeout in ${by}` : `caught by ${by}`}${doubt}`;
    }
  }
}

export function countsOf(outcomes: readonly Outcome[]): Record<Standing, number> {
  const counts: Record<Standing, number> = {
    caught: 0,
    weak: 0,
    survived: 0,
    invalid: 0,
    doubtful: 0,
    equivalent: 0,
    not_run: 0,
  };
  for (const outcome of outcomes) counts[standingOf(outcome)] += 1;
  return counts;
}

export const inWords = (counts: Record<Standing, number>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([standing, count]) => `${count} ${WORDS[standing as Standing]}`)
    .join(', ');

/** One page without anything from elsewhere: rule by rule, which planted faults the tests notice. */
export function pageOf(outcomes: readonly Outcome[], date: Date): string {
  const sorted = [...outcomes].sort((a, b) => a.mutant.breaks.localeCompare(b.mutant.breaks));
  const areas = [...new Set(sorted.map(({ mutant }) => areaOf(mutant.breaks)))];
  const rules = new Set(sorted.map(({ mutant }) => mutant.breaks));
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mutants</title><style>${STYLE}
.result.weak, .result.equivalent { color: light-dark(#7a5a00, #e3b341) } .result.survived, .result.doubtful { color: light-dark(#b3261e, #ff8a80); font-weight: 600 }
.result.caught { color: light-dark(#1a6b35, #6fcf8d) } code { font-size: 13px; white-space: pre-wrap } del { opacity: .7 }</style></head>
<body>
<h1>Mutants</h1>
<p>Each is one small fault, planted in a copy of the tree; the tests that name the rule or load the file have to notice it.</p>
<dl>
<dt>Date</dt><dd>${escaped(date.toISOString())}</dd>
<dt>Mutants</dt><dd>${outcomes.length} for ${rules.size} rules: ${inWords(countsOf(outcomes))}</dd>
</dl>
<h2>By family</h2>
<table><tr><th>Family</th><th>Mutants</th></tr>
${areas.map((area) => familyRow(area, sorted)).join('\n')}
</table>
<h2>Rule by rule</h2>
<table><tr><th>Rule</th><th>Result</th><th>Fault</th></tr>
${sorted.map(row).join('\n')}
</table>
</body>
</html>
`;
}

function familyRow(area: string, outcomes: readonly Outcome[]): string {
  const own = outcomes.filter(({ mutant }) => areaOf(mutant.breaks) === area);
  return `<tr><td>${area}</td><td>${inWords(countsOf(own))}</td></tr>`;
}

function row(outcome: Outcome): string {
  const { breaks, what, file, find, replace } = outcome.mutant;
  const standing = standingOf(outcome);
  const change = `<details><summary class="soft">${escaped(file)}</summary><code><del>${escaped(find)}</del><br>${escaped(replace)}</code></details>`;
  return `<tr><td>${breaks}</td><td class="result ${standing}">${WORDS[standing]}</td><td>${escaped(what)}<div class="soft">${escaped(told(outcome))}</div>${change}</td></tr>`;
}
