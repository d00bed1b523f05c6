import { escaped } from './escape.ts';
import type { Scenario } from './verdicts.ts';
import type { Report } from './report.ts';

type Told = Pick<Report, 'date' | 'scenarios'>;

/** One suite per feature file. Scenarios that were not chosen are not in it; what is not applicable is skipped. */
export function junitOf({ date, scenarios }: Told): string {
  const chosen = scenarios.filter(({ result }) => result !== 'not_chosen');
  const files = Map.groupBy(chosen, ({ file }) => file);
  const suites = [...files].map(([file, own]) => suite(file, own, date));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="conformance" ${numbers(chosen)}>\n${suites.join('')}</testsuites>\n`;
}

function suite(file: string, scenarios: readonly Scenario[], date: string): string {
  const cases = scenarios.map((one) => testCase(one)).join('');
  // The schema wants the time without a zone.
  const timestamp = date.replace(/\.\d+Z$/, '');
  const head = `name="${escaped(file)}" timestamp="${timestamp}" hostname="conformance" ${numbers(scenarios)}`;
  return `  <testsuite ${head}>\n${cases}  </testsuite>\n`;
}

function numbers(scenarios: readonly Scenario[]): string {
  const count = (result: Scenario['result']) => scenarios.filter((one) => one.result === result).length;
  const time = scenarios.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return `tests="${scenarios.length}" failures="${count('failed')}" errors="0" skipped="${count('not_applicable')}" time="${time}"`;
}

function testCase({ file, name, rules, result, reason, message = '', seconds }: Scenario): string {
  const classname = file.replace(/^features\//, '').replace(/\.feature$/, '');
  const shown = rules.length === 0 ? name : `${name} [${rules.join(' ')}]`;
  const head = `    <testcase classname="${escaped(classname)}" name="${escaped(shown)}" time="${seconds.toFixed(3)}"`;
  if (result === 'not_applicable')
    return `${head}>\n      <skipped message="${escaped(reason ?? '')}"/>\n    </testcase>\n`;
  if (result !== 'failed') return `${head}/>\n`;
  const [first = ''] = message.split('\n', 1);
  return `${head}>\n      <failure message="${escaped(first)}" type="failed">${escaped(message)}</failure>\n    </testcase>\n`;
}
