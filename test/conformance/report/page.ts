import { escaped } from './escape.ts';
import type { RuleVerdict, Scenario } from './verdicts.ts';
import type { Report } from './report.ts';

const WORDS: Record<RuleVerdict['result'], string> = {
  passed: 'passed',
  failed: 'failed',
  not_applicable: 'not applicable',
  not_chosen: 'not chosen',
  not_covered: 'not covered',
};

/** Of every report of this folder. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4048); --soft: light-dark(#5a636e, #a5aeb8) }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin: 0 0 2rem }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line) }
th { font-weight: 600 } td:first-child, .result { white-space: nowrap }
dt { font-weight: 600 } dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dd { margin: 0 }
ul { margin: 0; padding: 0; list-style: none } pre { white-space: pre-wrap; font-size: 13px; margin: .3rem 0 0 }
.soft, .not_applicable, .not_chosen, .not_covered { color: var(--soft) }
.result.passed { color: light-dark(#1a6b35, #6fcf8d) } .result.failed { color: light-dark(#b3261e, #ff8a80); font-weight: 600 }`;

/** One page without anything from elsewhere: what was proven, rule by rule, and every scenario that was left out or failed. */
export function pageOf(report: Report): string {
  const { counts, rules, scenarios, spec_only } = report;
  const title = `Conformance of ${report.base_url}`;
  const failed = scenarios.filter(({ result }) => result === 'failed');
  const left = scenarios.filter(({ result }) => result === 'not_applicable');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escaped(title)}</h1>
<dl>
<dt>Date</dt><dd>${escaped(report.date)}</dd>
<dt>Server</dt><dd>${escaped(report.server_version ?? 'it does not tell its version')}</dd>
<dt>Features</dt><dd>${escaped(report.suite_version)}, ${spec_only ? 'the specification alone' : 'the specification and the contract'}</dd>
<dt>Rules</dt><dd>${inWords(counts.rules)}</dd>
<dt>Scenarios</dt><dd>${inWords(counts.scenarios)}</dd>
</dl>
${failed.length === 0 ? '' : `<h2>Failed scenarios</h2>\n<table>${failed.map(failure).join('')}</table>`}
<h2>Rule by rule</h2>
<table><tr><th>Rule</th><th>Result</th><th>Shown by</th></tr>
${rules.map(row).join('\n')}
</table>
${left.length === 0 ? '' : `<h2>Scenarios that are not applicable</h2>\n<table><tr><th>Rules</th><th>Scenario</th><th>Why</th></tr>\n${left.map(leftRow).join('\n')}\n</table>`}
</body>
</html>
`;
}

const inWords = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([result, count]) => `${count} ${WORDS[result as RuleVerdict['result']]}`)
    .join(', ');

function row({ rule, result, reasons, scenarios }: RuleVerdict): string {
  const shown = scenarios.map((one) => `<li class="${one.result}">${escaped(one.scenario)}</li>`).join('');
  const why =
    result === 'not_applicable' || result === 'not_covered' ? `<p class="soft">${escaped(reasons.join('; '))}</p>` : '';
  return `<tr id="${rule}"><td>${rule}</td><td class="result ${result}">${WORDS[result]}</td><td>${why}<ul>${shown}</ul></td></tr>`;
}

const failure = ({ file, name, rules, message = '' }: Scenario): string =>
  `<tr><td>${rules.join('<br>')}</td><td>${escaped(`${file}: ${name}`)}<pre>${escaped(message)}</pre></td></tr>`;

const leftRow = ({ file, name, rules, reason = '' }: Scenario): string =>
  `<tr><td>${rules.join('<br>')}</td><td>${escaped(`${file}: ${name}`)}</td><td>${escaped(reason)}</td></tr>`;
