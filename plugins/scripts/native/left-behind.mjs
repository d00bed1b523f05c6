// For the spawner where there is no compiler: what an ended process left running, as far as /proc tells.
import { readdirSync, readFileSync, statSync } from 'node:fs';

export function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

/** State and process group of a process that still runs. */
function running(pid) {
  try {
    const [state, , group] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { group: Number(group) };
  } catch {
    // It has ended.
    return undefined;
  }
}

/** Whether a process holds the output of a job. A descriptor may close between its listing and the look at it. */
function holds(pid, identities) {
  const isMine = (file) => {
    try {
      const { dev, ino } = statSync(`/proc/${pid}/fd/${file}`, { bigint: true });
      return identities.some((mine) => mine.dev === dev && mine.ino === ino);
    } catch {
      return false;
    }
  };
  try {
    return readdirSync(`/proc/${pid}/fd`).some(isMine);
  } catch {
    // It has ended, or is another user's.
    return false;
  }
}

/** Whoever is left in the group of an ended process, or left the group but still holds its output. */
export function leftBehind({ pid, identities }) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    const found = running(name);
    return found && (found.group === pid || holds(name, identities));
  });
}
