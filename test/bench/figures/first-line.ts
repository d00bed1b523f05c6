import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench-run.ts';
import { atMost, type Figure, mustBe, type Row } from '../figure.ts';
import { median, wallMs } from '../statistics.ts';

/** The first run of a name starts its interpreter, whatever waits later. */
const WARM_UP = 3;
/** Between runs, as on an agent that is not busy: an interpreter comes to wait meanwhile. */
const PAUSE_MS = 250;

/** Each writes the moment of its first line, in epoch milliseconds. */
const SCRIPTS = {
  bash: { filename: 'bench.sh', source: (file: string) => `echo \${EPOCHREALTIME/[.,]/} >> "${file}"\n` },
  python: {
    filename: 'bench.py',
    source: (file: string) =>
      `import time\nnow = time.time_ns() // 1000\nopen(${JSON.stringify(file)}, "a").write(f"{now}\\n")\n`,
  },
  TypeScript: {
    filename: 'bench.ts',
    source: (file: string) =>
      `const now: number = Math.round((performance.timeOrigin + performance.now()) * 1000);
       process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(file)}, now + '\\n');\n`,
  },
} as const;
type Language = keyof typeof SCRIPTS;
const LANGUAGES = Object.keys(SCRIPTS) as Language[];

/** Milliseconds from the submit to the first line, the languages in turn, so that a busy machine is busy for all. */
function spansOf(bench: Bench, count: number, agent_env: Record<string, string>): Promise<Record<Language, number>> {
  return bench.at({ agent_env }, async (place) => {
    const api = place.api();
    const sent: Record<Language, number[]> = { bash: [], python: [], TypeScript: [] };
    const fileOf = (language: Language) => join(place.folder, language);
    for (let round = 0; round < WARM_UP + count; round += 1)
      for (const language of LANGUAGES) {
        const { filename, source } = SCRIPTS[language];
        await pause(PAUSE_MS / LANGUAGES.length);
        sent[language].push(wallMs());
        await api.runToEnd({ filename, source: source(fileOf(language)) });
      }
    const found = {} as Record<Language, number>;
    for (const language of LANGUAGES) {
      const lines = (await readFile(fileOf(language), 'utf8')).trim().split('\n');
      mustBe(`first lines of ${language}`, lines.length, WARM_UP + count);
      found[language] = median(lines.map((line, at) => Number(line) / 1000 - sent[language][at]!).slice(WARM_UP));
    }
    api.close();
    return found;
  });
}

export const firstLineByInterpreter: Figure = {
  name: 'first-line',
  summary: 'from the submit to the first line by interpreter: prepared ones (warm) and started ones (cold), on SQLite',
  async measure(bench) {
    const count = bench.size(100, 5);
    const rows: Row[] = [];
    for (const [how, agent_env] of [
      ['warm', {}],
      ['cold', { SVC_AGENT_WARM: 'off' }],
    ] as const) {
      const found = await spansOf(bench, count, agent_env);
      const floor = { value: found.bash, is: 'the first line of bash, in turn' };
      for (const language of LANGUAGES) {
        const row = {
          figure: `submit to first line, ${language}, ${how}, p50`,
          unit: 'ms',
          ours: found[language],
          done: count,
        };
        if (language === 'bash') rows.push(row);
        else rows.push({ ...row, floor, ...(how === 'warm' ? { goal: atMost(2) } : {}) });
      }
    }
    return rows;
  },
};
