// The verb client without a compiler: the same behaviour as verb-client.c as far as Node can (README.md lists the
// differences). Arguments: which of the descriptors 0 and 1 were closed, the folder of svc.verbs and svc.cli, then the
// caller's. Plain JavaScript in one file, because start time is its cost.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { constants as os } from 'node:os';
import { dirname, join } from 'node:path';

const [closed, folder, ...args] = process.argv.slice(2);
const path = process.env.SVC_AGENT_SOCKET;
const LINE_LIMIT = 64 * 1024 * 1024;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];
const OTHER_VERSION = 'the agent and this client are of different versions.';

const REASONS = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  ENOTDIR: 'Not a directory',
  ENOEXEC: 'Exec format error',
  E2BIG: 'Argument list too long',
  EMFILE: 'Too many open files',
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection reset by peer',
  EPIPE: 'Broken pipe',
  EBADF: 'Bad file descriptor',
  ENOSPC: 'No space left on device',
};

const reason = (error) => REASONS[error.code] ?? error.message;

/** Waits until the descriptor is ready; somebody else made it non-blocking. */
function waitABit() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
}

/** The error of the write, if any. */
function write(descriptor, bytes) {
  if (bytes.length > 0 && descriptor === 1 && closed.includes('1')) return { code: 'EBADF' };
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN' && error.code !== 'EINTR') return error;
      waitABit();
    }
  return undefined;
}

function complain(text) {
  write(2, Buffer.from(`svc: ${text}\n`));
}

function fail(text) {
  complain(text);
  process.exit(1);
}

function lost(what, error) {
  fail(
    `${what} (${path}${error ? `: ${reason(error)}` : ''}). The agent has ended or abandoned this pass; the run continues ` +
      'when an agent claims it again, and recorded calls are not repeated.',
  );
}

function words(name) {
  try {
    const text = readFileSync(join(folder, name), 'utf8');
    return text.endsWith('\0') ? text.slice(0, -1).split('\0') : [];
  } catch {
    return [];
  }
}

function becomeCli() {
  const cli = words('svc.cli');
  if (cli.length === 0) fail('the file svc.cli next to this program is missing; restart the agent.');
  try {
    process.execve(cli[0], [...cli, ...args], process.env);
  } catch (error) {
    fail(`cannot start the command-line program (${cli[0]}: ${reason(error)}); start the agent again.`);
  }
}

function withoutAgent() {
  const verb = words('svc.verbs').find((name) => [args[0], args.slice(0, 2).join(' ')].includes(name));
  if (verb === undefined) return becomeCli();
  fail(
    `SVC_AGENT_SOCKET is not set: \`svc ${verb}\` works only in a script run, and not inside a step body. Call it ` +
      'from the script itself, before or after the step; a step body returns values on its standard output.',
  );
}

/** True when our stdout goes to the script's log. */
function isLog(log) {
  if (!log || closed.includes('1')) return false;
  const { dev, ino } = fstatSync(1, { bigint: true });
  return log.split(' ').includes(`${dev}:${ino}`);
}

/** A real pipe: Node's socket cannot be opened as /dev/stdout. */
function makePipe() {
  const fifo = join(dirname(path), `.pipe-${process.pid}`);
  try {
    execFileSync('mkfifo', ['-m', '600', fifo], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  try {
    const read = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(fifo, constants.O_WRONLY) };
  } finally {
    unlinkSync(fifo);
  }
}

function notStarted(name, error) {
  const unknown = error.code === 'ENOENT' && !name.includes('/');
  return {
    exit: error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 127 : 126,
    error: `${name}: ${unknown ? 'command not found' : reason(error)}`,
  };
}

/** Runs a command until it has ended and its stdout is closed. */
function run(argv, key, limit, live) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  env.SVC_IDEMPOTENCY_KEY = key;
  // The span of a step has the beginning of its key for an id.
  const [trace, flags] = (process.env.SVC_TRACE ?? '').split('-');
  if (flags) env.TRACEPARENT = `00-${trace}-${key.slice(0, 16)}-${flags}`;
  const outcome = { exit: 0, size: 0, chunks: [] };
  const pipe = makePipe();
  const { promise, resolve } = Promise.withResolvers();
  let waiting = 2;
  const done = () => --waiting === 0 && resolve(outcome);
  let child;
  const signals = FORWARDED.map((name) => [name, () => child?.kill(name)]);
  // Before the start: a signal must not end us and leave the command alone.
  for (const [name, forward] of signals) process.on(name, forward);
  try {
    child = spawn(argv[0], argv.slice(1), { stdio: ['inherit', pipe ? pipe.write : 'pipe', 'inherit'], env });
  } catch (error) {
    return Promise.resolve({ ...outcome, ...notStarted(argv[0], error) });
  } finally {
    if (pipe) closeSync(pipe.write);
  }
  const stdout = pipe ? new Socket({ fd: pipe.read, readable: true, writable: false }) : child.stdout;
  stdout.on('data', (data) => {
    const room = limit - outcome.size;
    if (room > 0) outcome.chunks.push(data.subarray(0, room));
    outcome.size += data.length;
    // A failing log is no reason to lose the record.
    if (live && write(1, data)) live = false;
  });
  stdout.on('close', done);
  child.on('error', (error) => {
    Object.assign(outcome, notStarted(argv[0], error));
    done();
  });
  child.on('exit', (code, signal) => {
    for (const [name, forward] of signals) process.off(name, forward);
    outcome.exit = signal ? 128 + os.signals[signal] : code;
    done();
  });
  return promise;
}

/** Standard input up to `limit` bytes; `size` is larger when there was more. */
function readStdin(limit) {
  const data = Buffer.alloc(limit + 1);
  let size = 0;
  if (closed.includes('0')) fail(`cannot read standard input: ${REASONS.EBADF}`);
  while (size <= limit)
    try {
      const got = readSync(0, data, size, data.length - size, null);
      if (got === 0) break;
      size += got;
    } catch (error) {
      if (error.code === 'EOF') break;
      if (error.code !== 'EAGAIN' && error.code !== 'EINTR') fail(`cannot read standard input: ${reason(error)}`);
      waitABit();
    }
  return { data: data.subarray(0, Math.min(size, limit)).toString('base64'), size };
}

const isCount = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;
const isText = (value) => typeof value === 'string';
const isFlag = (value) => typeof value === 'boolean';
const isArgument = (value) => isText(value) && !value.includes('\0');
const isWords = (value) => Array.isArray(value) && isCount(value.length - 1, 99_999) && value.every(isArgument);
const SHAPES = {
  exit: (value) => isCount(value, 255),
  stdout: (value) => isText(value) && Buffer.from(value, 'base64').toString('base64') === value,
  stderr: isText,
  replayed: isFlag,
  exec: isWords,
  under: isWords,
  key: isArgument,
  limit: (value) => isCount(value, 2 ** 30),
  log: isArgument,
  stdin: (value) => isCount(value, 2 ** 30),
  handoff: isFlag,
  gone: isFlag,
  ok: isFlag,
  error: (value) => isText(value) || (typeof value === 'object' && !Array.isArray(value)),
};

function parse(line) {
  try {
    const reply = JSON.parse(line);
    if (typeof reply !== 'object' || reply === null || Array.isArray(reply)) return undefined;
    for (const [name, fits] of Object.entries(SHAPES)) {
      if (reply[name] === null) delete reply[name];
      if (reply[name] !== undefined && !fits(reply[name])) return undefined;
    }
    return reply.exec && (reply.key === undefined || reply.limit === undefined) ? undefined : reply;
  } catch {
    return undefined;
  }
}

function finish(reply, before) {
  const given = reply.stdout === undefined ? undefined : Buffer.from(reply.stdout, 'base64');
  const bytes = given ?? (reply.code === undefined ? before?.captured : undefined) ?? Buffer.alloc(0);
  const error = before?.echoed || (reply.replayed && isLog(reply.log)) ? undefined : write(1, bytes);
  write(2, Buffer.from(reply.stderr ?? ''));
  if (error?.code === 'EPIPE') process.exit(128 + os.signals.SIGPIPE);
  if (error) fail(`cannot write to standard output: ${reason(error)}`);
  process.exit(reply.exit);
}

async function execute(reply, send) {
  const echoed = isLog(reply.log);
  const argv = [...(reply.under ?? []), ...reply.exec];
  const { exit, size, chunks, error } = await run(argv, reply.key, reply.limit, echoed);
  const captured = Buffer.concat(chunks);
  send({ id: 1, op: 'result', exit, stdout: captured.toString('base64'), size, error });
  // Output over the limit is not recorded, so it is not echoed.
  return { echoed, captured: size > captured.length ? undefined : captured };
}

function converse() {
  const socket = connect(path);
  let pending = [];
  let before;
  let [connected, greeted, gone] = [false, false, false];
  const send = (message) => socket.write(`${JSON.stringify(message)}\n`);

  async function take(line) {
    const reply = parse(line);
    if (!reply) fail(`the agent's answer cannot be read; ${OTHER_VERSION}`);
    const { error } = reply;
    if (error !== undefined) fail(isText(error) ? error : [error.message ?? '', error.next].filter(isText).join(' '));
    if (!greeted) {
      if (!reply.ok) fail('the agent does not speak protocol 2 of its socket; run an agent of this version.');
      greeted = true;
    } else if (reply.exit !== undefined) finish(reply, before);
    else if (reply.handoff) becomeCli();
    else if (reply.exec) {
      before = await execute(reply, send);
    } else if (reply.stdin !== undefined) send({ id: 1, op: 'stdin', ...readStdin(reply.stdin) });
    else if (reply.gone) {
      gone = true;
      setInterval(() => undefined, 2 ** 30);
    } else fail(`the agent's answer contains an unknown request; ${OTHER_VERSION}`);
  }

  let turn = Promise.resolve();
  socket.on('connect', () => {
    connected = true;
  });
  socket.on('data', (data) => {
    pending.push(data);
    if (!data.includes(10)) {
      if (pending.reduce((sum, chunk) => sum + chunk.length, 0) > LINE_LIMIT) lost("the agent's answer is too long");
      return;
    }
    const bytes = Buffer.concat(pending);
    const end = bytes.lastIndexOf(10);
    pending = [bytes.subarray(end + 1)];
    for (const line of bytes.toString('utf8', 0, end).split('\n')) turn = turn.then(() => take(line));
  });
  socket.on('error', (error) => {
    if (!gone) lost(connected ? 'the agent closed the connection' : 'cannot reach the agent', error);
  });
  socket.on('end', () => {
    turn = turn.then(() => gone || lost('the agent closed the connection before it answered'));
  });
  let cwd = '';
  try {
    cwd = process.cwd();
  } catch {
    // It was removed; the empty text tells the agent.
  }
  socket.write(`{"id":0,"op":"hello","protocol":2}\n${JSON.stringify({ id: 1, op: 'verb', argv: args, cwd })}\n`);
}

if (path) converse();
else withoutAgent();
