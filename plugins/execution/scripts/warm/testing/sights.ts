/** Scripts that print all that a script can see of its process. */

const NODE_SIGHT = `
const fs = process.getBuiltinModule('node:fs');
const say = (what, value) => console.log(what, JSON.stringify(value, (_, one) => (typeof one === 'function' ? String(one).slice(0, 60) : one), 1));
say('argv', [process.argv, process.argv0, process.execArgv, process.execPath, process.title]);
say('env', Object.entries(process.env));
say('cwd', [process.cwd(), process.umask()]);
say('globals', [Object.getOwnPropertyNames(globalThis), Object.getOwnPropertySymbols(globalThis).map(String)]);
say('process', Object.entries(Object.getOwnPropertyDescriptors(process)).map(([name, { value, ...rest }]) => [name, typeof value, rest]));
say('preloads', process._preload_modules);
say('listeners', process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
say('resources', process.getActiveResourcesInfo());
const Module = process.getBuiltinModule('node:module');
say('modules', [Object.keys(Module._cache), Object.keys(Module._pathCache), Module.globalPaths, Object.keys(Module._extensions)]);
const files = fs.readdirSync('/proc/self/fd').map((fd) => {
  try { return [fd, fs.readlinkSync('/proc/self/fd/' + fd).replace(/\\d+/g, 'N')]; } catch { return []; }
});
say('descriptors', files.filter(([, target]) => target && !target.startsWith('/proc/')));
const status = Object.fromEntries(fs.readFileSync('/proc/self/status', 'utf8').split('\\n').map((line) => line.split(':\\t')));
say('signals', ['SigBlk', 'SigIgn', 'SigCgt', 'Groups', 'Uid', 'NoNewPrivs', 'Seccomp', 'CapEff'].map((name) => status[name]));
const stat = fs.readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
say('group', [stat[2] === String(process.pid), stat[3] === String(process.pid), stat[4], stat[16]]);
say('parent', fs.readFileSync('/proc/' + process.ppid + '/comm', 'utf8'));
say('limits', fs.readFileSync('/proc/self/limits', 'utf8'));
say('cmdline', fs.readFileSync('/proc/self/cmdline', 'utf8').split('\\0'));
say('stdin', [fs.readlinkSync('/proc/self/fd/0'), fs.readFileSync(0, 'utf8'), process.stdin.isTTY]);
say('files', [fs.readdirSync('.').filter((name) => name.startsWith('x')), fs.readdirSync(process.argv[1] + '/..')]);
process.on('beforeExit', () => console.log('before the exit'));
process.on('exit', (code) => console.log('exit', code, process.getActiveResourcesInfo()));
`;

const ESM_SIGHT = `
say('meta', [import.meta.url, import.meta.filename, import.meta.dirname, import.meta.main, Object.keys(import.meta)]);
say('cjs', [typeof require, typeof module, typeof __filename, typeof exports]);
const { createRequire } = await import('node:module');
say('required', Object.keys(createRequire(import.meta.url).cache));
`;

const CJS_SIGHT = `
say('main', [require.main === module, require.main.filename, module.id, module.paths, module.parent, module.children.length]);
say('cache', Object.keys(require.cache));
say('wrapped', [__filename, __dirname, this === module.exports, arguments.length]);
`;

const STEPS = `
await svc.step('first', () => ({ n: 1 }));
console.log(await svc.step('command', ['sh', '-c', 'env | grep -o "^SVC_[A-Z_]*"; echo $0']), Object.keys(process.env).length);
await svc.step('refuses', () => { throw new Error('no'); }).catch((error) => console.log(String(error), error.cause?.stack.split('\\n')[1]));
console.log(svc.input());
`;

export const NODE_SIGHTS: Readonly<Record<string, string>> = {
  'plain.ts': `const typed: number = 1;\n${NODE_SIGHT}\nconsole.log(typed);`,
  'plain.mts': `${NODE_SIGHT}${ESM_SIGHT}`,
  'detected.ts': `import * as svc from 'svc/sdk';\n${NODE_SIGHT}${ESM_SIGHT}${STEPS}`,
  'detected.js': `import * as svc from 'svc/sdk';\n${NODE_SIGHT}${ESM_SIGHT}${STEPS}`,
  'module.mjs': `${NODE_SIGHT}${ESM_SIGHT}const svc = await import('svc/sdk');${STEPS}`,
  'common.cjs': `${NODE_SIGHT}${CJS_SIGHT}const svc = require('svc/sdk'); (async () => {${STEPS}})(); say('after', Object.keys(require.cache));`,
  'common.js': `${NODE_SIGHT}${CJS_SIGHT}`,
  'worker.mjs': `
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(\`
      console.log(process._preload_modules, process.execArgv, Object.keys(require.cache), Object.keys(require('module')._pathCache));
      import('svc/sdk').then(({ step }) => step('in a worker', () => 1)).then(console.log);\`, { eval: true });
    worker.on('exit', (code) => console.log('worker', code));`,
  'fork.mjs': `
    import { fork } from 'node:child_process';
    if (process.send) process.send([process.argv.length, process.execArgv, Object.keys(process.env).sort()]);
    else fork(import.meta.filename, ['again']).on('message', (message) => console.log(JSON.stringify(message)));`,
  'throws.ts': `function deep(): never { throw new TypeError('deep', { cause: 1 }); }\n\ndeep();`,
  'throws.mts': `await Promise.reject(new Error('rejected'));`,
  'throws.cjs': `process.on('exit', (code) => { console.log(code); process.exitCode = 9; }); null.x;`,
  'unhandled.mjs': `Promise.reject(new Error('nobody looks'));`,
  'syntax.ts': `const x: = 1;`,
  'syntax.cjs': `const = 1;`,
  'enum.ts': `enum Not { Erasable }`,
  'missing.ts': `import './nowhere.ts';`,
  'missing.cjs': `require('./nowhere');`,
  'unsettled.mjs': `await new Promise(() => {});`,
  'exits.mjs': `process.on('exit', () => console.log('on exit')); setTimeout(() => process.exit(7), 1); await new Promise(() => {});`,
  'killed.cjs': `process.on('SIGUSR2', () => { console.log('heard'); process.kill(process.pid, 'SIGABRT'); }); process.kill(process.pid, 'SIGUSR2'); setInterval(() => {}, 1000);`,
  'interrupted.cjs': `process.on('SIGTERM', () => console.log('heard') || process.exit(3)); process.kill(0, 'SIGTERM'); setInterval(() => {}, 1000);`,
  'warns.cjs': `process.emitWarning('mine'); require('node:module').stripTypeScriptTypes('let a: 1'); new Buffer(1); console.log(new Error('here').stack.split('\\n').length);`,
};

const PYTHON_SIGHT = `
import sys, os
names = sorted(sys.modules)
def say(what, *values): print(what, *values, sep='\\n  ')
say('modules', names)
say('globals', sorted(globals()), __name__, __file__, __spec__, __loader__.__class__, __builtins__.__class__, globals().get('__cached__'))
say('argv', sys.argv, sys.orig_argv, sys.executable, sys.flags, sys._xoptions, sys.warnoptions)
say('path', sys.path, [type(one).__name__ for one in sys.meta_path], [type(one).__name__ for one in sys.path_hooks], sys.prefix)
say('env', list(os.environ.items()), list(os.environb.items()))
import posix
say('posix', posix.environ)
say('cwd', os.getcwd(), os.umask(0))
def target(fd):
    try: return os.readlink('/proc/self/fd/' + fd).split(':')[0]
    except OSError: return '/proc/'
say('descriptors', [(fd, target(fd)) for fd in os.listdir('/proc/self/fd') if not target(fd).startswith('/proc/')])
status = dict(line.split(':\\t', 1) for line in open('/proc/self/status').read().splitlines())
say('signals', [status[name] for name in ('SigBlk', 'SigIgn', 'SigCgt', 'Uid', 'Groups', 'Threads', 'NoNewPrivs', 'CapEff')])
say('group', os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid(), open(f'/proc/{os.getppid()}/comm').read())
say('limits', open('/proc/self/limits').read())
say('cmdline', open('/proc/self/cmdline').read().split('\\0'))
say('stdin', os.readlink('/proc/self/fd/0'), sys.stdin.read(), sys.stdin.encoding, sys.stdout.encoding, sys.stdout.line_buffering)
say('hooks', sys.excepthook, sys.gettrace(), sys.getprofile(), sys.getrecursionlimit(), sys.getswitchinterval())
import builtins, gc, importlib, threading
say('builtins', sorted(dir(builtins)), builtins.__import__, gc.get_threshold(), gc.isenabled(), sorted(dir(importlib)))
say('threads', threading.enumerate(), sorted(set(sys.modules) - set(names)))
import warnings
say('warnings', warnings.filters)
print(sorted(name for name in os.listdir(os.path.dirname(__file__)) if name != '__pycache__'))
`;

const PYTHON_STEPS = `
print(svc.step('first', lambda: {'n': 1}), svc.__file__, svc.__spec__.origin, svc.__spec__.loader.__class__, type(svc.__loader__))
print(svc.step('command', ['sh', '-c', 'env | grep -o "^SVC_[A-Z_]*"']), len(os.environ), svc.input())
def fails(): raise ValueError('no')
try: svc.step('refuses', fails)
except svc.StepError as error: print(repr(error), type(error).__module__, repr(error.__cause__))
`;

export const PYTHON_SIGHTS: Readonly<Record<string, string>> = {
  'plain.py': PYTHON_SIGHT,
  'sdk.py': `${PYTHON_SIGHT}\nimport svc_sdk as svc\nprint(sorted(sys.modules), sorted(dir(svc)))\n${PYTHON_STEPS}`,
  'imports.py': `
import json, sys
before = sorted(sys.modules)
import socket, datetime, subprocess, enum, typing, contextvars, re, dataclasses, inspect, asyncio
for module in [json, json.decoder, socket, datetime, subprocess, enum, typing, re, inspect]:
    print(module, module.__spec__.origin, type(module.__spec__.loader).__name__, module.__spec__.parent, importlib.util.find_spec(module.__name__) is module.__spec__ if 'importlib' in globals() else '')
print(before, sorted(sys.modules))
import os, svc_sdk as svc
from svc_sdk import aio
print(sys.modules['json'] is json, svc_sdk_json is json if 'svc_sdk_json' in globals() else '', sys.modules['svc_sdk._wire'].json is json)
${PYTHON_STEPS}
async def main(): print(await aio.step('later', lambda: 2))
asyncio.run(main())
`,
  'reload.py': `
import importlib, sys, json, os
importlib.reload(json)
del sys.modules['json']
import json as again
print(again is json, again.loads('1'))
import svc_sdk as svc
importlib.invalidate_caches()
${PYTHON_STEPS}
`,
  'shadows.py': `
import os, sys, tempfile
own = tempfile.mkdtemp()
for name in ('json', 'svc_sdk', 'socket'): open(os.path.join(own, name + '.py'), 'w').write('mine = True')
sys.path.insert(0, own)
import json, svc_sdk, socket
print(json.mine, svc_sdk.mine, socket.mine)
`,
  'json.py': `
import sys
mine = True
if __name__ == '__main__':
    import json
    print(json.mine, json.__file__)
`,
  'child.py': `
import multiprocessing, os, subprocess, sys
print(subprocess.run([sys.executable, '-c', 'import os, sys; print(sorted(os.environ), sys.path, sorted(sys.modules))'], capture_output=True, text=True).stdout)
def work(queue): queue.put((sys.argv, sorted(os.environ)))
if __name__ == '__main__':
    for way in ('spawn', 'fork'):
        context = multiprocessing.get_context(way)
        queue = context.Queue()
        child = context.Process(target=work, args=(queue,))
        child.start()
        print(queue.get()); child.join(); print(child.exitcode)
`,
  'throws.py': `
def deep():
    raise ValueError('deep') from KeyError(1)

deep()
`,
  'refused.py': `
import svc_sdk as svc
def fails(): raise ValueError('no')
svc.step('refuses', fails)
`,
  'syntax.py': `x = = 1`,
  'missing.py': `import svc_nowhere`,
  'exits.py': `
import atexit, sys
atexit.register(print, 'at the exit')
try: sys.exit(7)
finally: print('finally', file=sys.stderr)
`,
  'interrupted.py': `
import os, signal
print(signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGPIPE), flush=True)
try: os.kill(0, signal.SIGINT)
except KeyboardInterrupt: print('heard', flush=True)
os.kill(os.getpid(), signal.SIGABRT)
`,
};
