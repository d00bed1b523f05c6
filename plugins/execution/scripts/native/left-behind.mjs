// For the spawner without a compiler: finds what an ended process left running, as far as /proc shows it.
import { readdirSync, readFileSync, statSync } from 'node:fs';

export function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is empty.
  }
}

/** State and process group of a process that still runs. */
function running(pid) {
  try {
    const [state, , group] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { group: Number(group) };
  } catch {
    // The process has ended.
    return undefined;
  }
}

/** True when a process holds the output of a job open. A descriptor may close between listing and reading it. */
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
    // The process has ended, or belongs to another user.
    return false;
  }
}

/** Processes that remain in the group of an ended process, or that left the group and still hold its output. */
export function leftBehind({ pid, identities }) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    const found = running(name);
    return found && (found.group === pid || holds(name, identities));
  });
}
