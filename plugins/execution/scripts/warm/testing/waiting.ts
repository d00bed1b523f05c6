import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Processes below the agent of a test that lie in wait: their scripts are not there. */
export function waiting({ runtime_dir }: { runtime_dir: string }): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const script = wordsOf(pid).find((word, at) => at > 0 && word.startsWith(`${runtime_dir}/p`));
      return script !== undefined && !existsSync(script);
    });
}

function wordsOf(pid: number): string[] {
  try {
    return pid > 0 ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') : [];
  } catch {
    // It has ended.
    return [];
  }
}

export const gone = (pid: number): boolean => wordsOf(pid).length <= 1;

export const parentOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1]);
