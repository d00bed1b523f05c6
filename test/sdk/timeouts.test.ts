import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { needs } from '../kit/needs.ts';

const SDK = join(import.meta.dirname, '../../plugins/execution/scripts/sdk');
const run = promisify(execFile);

t.test('JavaScript: a time longer than a timer can hold is waited for to its end', async (t) => {
  const source = `
    const waited = [];
    globalThis.setTimeout = (over, ms) => { waited.push(ms); setImmediate(over); };
    const { inTime } = await import(${JSON.stringify(join(SDK, 'policy.mjs'))});
    const month = 30 * 86_400_000;
    await inTime(month, () => new Promise(() => {})).catch((error) => console.log(error.name));
    console.log(waited.length, waited.reduce((sum, ms) => sum + ms, 0) === month);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source]);
  t.equal(stdout, 'TimeoutError\n2 true\n');
});

const python = async (source: string): Promise<string> => {
  const env = { PATH: process.env.PATH, PYTHONPATH: SDK, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run('python3', ['-c', source], { env, timeout: 30_000 });
  return stdout;
};

t.test(
  'Python: a time that is over as the step ends meets nothing that comes after it',
  needs('python3'),
  async (t) => {
    await t.test('in the main thread', async (t) => {
      const stdout = await python(`
import signal, time
from svc_sdk import _policy
before, stop = signal.getsignal(signal.SIGALRM), signal.setitimer
def late(which, seconds, interval=0.0):
    if seconds == 0 and signal.getsignal(signal.SIGALRM) is not before and not told:
        told.append(1)
        signal.raise_signal(signal.SIGALRM)
    return stop(which, seconds, interval)
told = []
signal.setitimer = late
try:
    with _policy.in_time(0.05): pass
except _policy.TimeOver: print("over")
print(signal.getsignal(signal.SIGALRM) is before, signal.getitimer(signal.ITIMER_REAL))`);
      t.equal(stdout, 'over\nTrue (0.0, 0.0)\n');
    });

    await t.test('in another thread', async (t) => {
      const stdout = await python(`
import threading
from svc_sdk import _policy
class Late:
    """It was on its way when it was called off."""
    def __init__(self, seconds, over): timers.append(threading.Thread(target=over))
    def start(self): pass
    def cancel(self): pass
timers = []
threading.Timer = Late
def work():
    try:
        with _policy.in_time(60): pass
        timers[0].start()
        timers[0].join()
        for _ in range(1000): pass
        print("on")
    except BaseException as error: print(repr(error))
thread = threading.Thread(target=work)
thread.start()
thread.join()`);
      t.equal(stdout, 'on\n');
    });
  },
);

t.test('Python: a coroutine whose time is over ends before its step does', needs('python3'), async (t) => {
  const stdout = await python(`
import asyncio
from svc_sdk._async import _awaited
from svc_sdk._policy import TimeOver
async def deaf():
    for _ in range(2):
        try: await asyncio.sleep(600)
        except asyncio.CancelledError: print("asked")
async def tidy():
    try: await asyncio.sleep(600)
    finally:
        await asyncio.sleep(0.1)
        print("tidied")
async def main():
    try: await _awaited(deaf(), 0.05)
    except TimeOver: print("over")
    step = asyncio.ensure_future(_awaited(tidy(), 600))
    await asyncio.sleep(0.05)
    step.cancel()
    try: await step
    except asyncio.CancelledError: print("cancelled")
asyncio.run(main())`);
  t.equal(stdout, 'asked\nasked\nover\ntidied\ncancelled\n');
});
