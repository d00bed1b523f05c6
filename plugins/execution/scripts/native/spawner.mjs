// The spawner without a compiler: the same frames (frames.h) and the same rules as spawner.c, as far as Node can. It
// has no subreaper: a process that left the group and closed stdout and stderr is not found. If this process is killed,
// the agent kills the groups that it knows.
import { spawn } from 'node:child_process';
import { fchownSync, fstatSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants as os } from 'node:os';
import { killGroup, leftBehind } from './left-behind.mjs';
import { closeAll, dropPipes, makePipes } from './pipes.mjs';

const PENDING_LIMIT = 256 * 1024;
const SPAWN = 1;
const KILL = 2;
const PAUSE = 3;
const RESUME = 4;
const SYNC = 5;
const HELLO = 1;
const STARTED = 2;
const OUTPUT = 3;
const EXIT = 4;
const FAILED = 5;
const SYNCED = 6;
/** For user and group. */
const AS_THE_SPAWNER = 0xffff_ffff;
const STAGE_PREPARE = 1;
const STAGE_DIRECTORY = 2;
const STAGE_PROGRAM = 3;
/** Output held open by a process that is stuck in the kernel is not awaited without end. */
const PATIENCE_MS = 10_000;

const runtimeFolder = process.argv[2];
const jobs = new Map();
const agent = new Socket({ fd: 1, readable: false, writable: true });
let full = false;

function send(type, id, payload) {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(5 + payload.length, 0);
  head.writeUInt8(type, 4);
  head.writeUInt32LE(id, 5);
  agent.write(head);
  agent.write(payload);
  if (!full && agent.writableLength >= PENDING_LIMIT) {
    full = true;
    for (const job of jobs.values()) flow(job);
  }
}

agent.on('drain', () => {
  full = false;
  for (const job of jobs.values()) flow(job);
});

function numbers(...values) {
  const payload = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => {
    payload.writeInt32LE(value, at * 4);
  });
  return payload;
}

function flow(job) {
  for (const pipe of job.pipes) {
    if (full || job.paused) pipe.pause();
    else pipe.resume();
  }
}

/** Longest drain of a process that prints all the time. */
const DRAIN_MS = 250;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Answers once a whole turn of the event loop, in which every pipe was looked at, brought no output. */
async function sync(job) {
  const since = performance.now();
  for (let quiet = 0, seen = job.seen; quiet < 3 && jobs.has(job.id); ) {
    await turn();
    if (full || job.paused) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      quiet = 0;
    } else if (performance.now() - since > DRAIN_MS && quiet === 0 && job.seen !== seen) break;
    else quiet = job.seen === seen ? quiet + 1 : 0;
    seen = job.seen;
  }
  // The end of a process tells the same.
  if (jobs.has(job.id)) send(SYNCED, job.id, Buffer.alloc(0));
}

function swept(job) {
  job.swept = true;
  job.identities = [];
  closeAll(job.held.splice(0));
  settle(job);
}

/**
 * Kills what an ended process left behind, and looks again until nothing is left: a process forked during one look is
 * found by the next, and a killed process closes its output shortly before it is gone.
 */
function sweep(job, pause = 1) {
  const left = leftBehind(job);
  if (left.length === 0) return swept(job);
  killGroup(job.pid);
  for (const pid of left)
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended meanwhile, or belongs to another user.
    }
  job.sweeper = setTimeout(() => sweep(job, Math.min(pause * 2, 100)), pause);
}

function directoryFault(cwd) {
  try {
    return statSync(cwd).isDirectory() ? undefined : os.errno.ENOTDIR;
  } catch (error) {
    return -error.errno;
  }
}

function start(job, { cwd, argv, env, user }, ends) {
  const stdio = ends ? ['ignore', ends[0].write, ends[1].write] : ['ignore', 'pipe', 'pipe'];
  try {
    // It may open them by name too.
    if (ends && user) for (const { write } of ends) fchownSync(write, user.uid, user.gid);
    return spawn(argv[0], argv.slice(1), { cwd, env, stdio, detached: true, ...user });
  } catch (error) {
    job.failed = { stage: STAGE_PROGRAM, errno: -(error.errno ?? -os.errno.EINVAL) };
    return undefined;
  } finally {
    if (ends) closeAll(ends.map(({ write }) => write));
  }
}

function identify(job, child, ends) {
  const sources = ends ? ends.map(({ read }) => fstatSync(read, { bigint: true })) : socketIdentities(child.pid);
  job.identities = ends ? sources : [];
  job.held = ends ? ends.map(({ held }) => held) : [];
  const payload = Buffer.alloc(36);
  payload.writeInt32LE(child.pid, 0);
  sources.forEach(({ dev, ino }, at) => {
    payload.writeBigUInt64LE(dev, 4 + at * 16);
    payload.writeBigUInt64LE(ino, 12 + at * 16);
  });
  send(STARTED, job.id, payload);
}

function socketIdentities(pid) {
  return [1, 2].map((fd) => {
    try {
      return statSync(`/proc/${pid}/fd/${fd}`, { bigint: true });
    } catch {
      return { dev: 0n, ino: 0n };
    }
  });
}

/** Reports the end when the process has ended, left nothing behind, and its output was read completely. */
function settle(job) {
  if (job.end === undefined || job.open > 0 || (job.pid && !job.swept)) return;
  jobs.delete(job.id);
  clearTimeout(job.patience);
  if (job.failed) send(FAILED, job.id, numbers(job.failed.stage, job.failed.errno));
  else send(EXIT, job.id, numbers(job.end.code ?? -1, job.end.code === null ? os.signals[job.end.signal] : 0));
}

/** Stops waiting for the end of output or of a process, unless the agent is what does not accept output. */
function lose(job) {
  if (full || job.paused) {
    job.patience = setTimeout(() => lose(job), PATIENCE_MS);
    return;
  }
  clearTimeout(job.sweeper);
  for (const pipe of job.pipes) pipe.destroy();
  swept(job);
}

function finish(job, code, signal) {
  if (job.end) return undefined;
  job.end = { code, signal };
  if (!job.pid) return settle(job);
  job.patience = setTimeout(() => lose(job), PATIENCE_MS);
  sweep(job);
}

function listen(job, pipe, stream) {
  job.open++;
  job.pipes.push(pipe);
  pipe.on('data', (data) => {
    // Output that nobody accepts for a while does not mean that a process is stuck.
    job.patience?.refresh();
    job.seen++;
    send(OUTPUT, job.id, Buffer.concat([Buffer.from([stream]), data]));
  });
  pipe.on('error', () => pipe.destroy());
  pipe.on('close', () => {
    job.open--;
    settle(job);
  });
}

async function launch(job, order) {
  const fault = directoryFault(order.cwd);
  const ends = fault === undefined ? await makePipes(runtimeFolder) : undefined;
  const child = fault === undefined ? start(job, order, ends) : undefined;
  if (fault !== undefined) job.failed = { stage: STAGE_DIRECTORY, errno: fault };
  if (ends && child?.pid === undefined) closeAll(ends.flatMap(({ read, held }) => [read, held]));
  if (!child) return finish(job, null, null);
  child.on('error', (error) => {
    if (child.pid !== undefined) return;
    job.failed = { stage: error.code === 'EAGAIN' ? STAGE_PREPARE : STAGE_PROGRAM, errno: -error.errno };
    finish(job, null, null);
  });
  if (child.pid === undefined) return;
  job.pid = child.pid;
  identify(job, child, ends);
  const pipes = ends
    ? ends.map(({ read }) => new Socket({ fd: read, readable: true, writable: false }))
    : [child.stdout, child.stderr];
  pipes.forEach((pipe, at) => {
    listen(job, pipe, at + 1);
  });
  flow(job);
  for (const number of job.signals.splice(0)) signalGroup(job, number);
  child.on('exit', (code, signal) => finish(job, code, signal));
}

function signalGroup(job, number) {
  if (job.end) return;
  if (!job.pid) return void job.signals.push(number);
  try {
    process.kill(-job.pid, number);
  } catch {
    // It is ending; its exit event follows.
  }
}

function request(type, id, payload) {
  const job = jobs.get(id);
  if (type === SPAWN) {
    const argc = payload.readUInt32LE(0);
    const [uid, gid] = [payload.readUInt32LE(8), payload.readUInt32LE(12)];
    const [cwd, ...rest] = payload.subarray(16, -1).toString().split('\0');
    const env = Object.fromEntries(
      rest.slice(argc).map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    const made = { id, pipes: [], open: 0, signals: [], identities: [], paused: false, seen: 0 };
    jobs.set(id, made);
    const user = uid === AS_THE_SPAWNER ? undefined : { uid, gid };
    launch(made, { cwd, argv: rest.slice(0, argc), env, user }).catch(die);
  } else if (!job) return;
  else if (type === KILL) signalGroup(job, payload.readInt32LE(0));
  else if (type === SYNC) sync(job).catch(die);
  else {
    job.paused = type === PAUSE;
    if (type !== PAUSE && type !== RESUME) die(new Error(`unknown request ${type}`));
    job.patience?.refresh();
    flow(job);
  }
}

/** Everything that still runs is killed with this process. */
function die(error) {
  for (const job of jobs.values()) if (job.pid && !job.swept) sweep(job);
  if (error) process.stderr.write(`svc: the spawner failed: ${error.stack}\n`);
  dropPipes();
  process.exit(error ? 1 : 0);
}

let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  let bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk;
  while (bytes.length >= 9 && bytes.length >= bytes.readUInt32LE(0) + 4) {
    const end = bytes.readUInt32LE(0) + 4;
    request(bytes.readUInt8(4), bytes.readUInt32LE(5), bytes.subarray(9, end));
    bytes = bytes.subarray(end);
  }
  rest = bytes;
});
process.stdin.on('end', () => die());
process.stdin.on('error', () => die());
agent.on('error', () => die());
process.on('uncaughtException', die);
// The agent stops this process by closing its stdin; a signal to a whole terminal or service must not.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(name, () => undefined);
process.chdir('/');
send(HELLO, 0, numbers(4));
