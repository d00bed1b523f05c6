import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import ts from 'typescript';
import * as sdk from '../../plugins/execution/scripts/sdk/sdk.mjs';
import * as testing from '../../plugins/execution/scripts/sdk/testing.mjs';
import { homeFolder } from '../../features/support/home.ts';
import { needs } from '../kit/needs.ts';

const run = promisify(execFile);
const clone = join(import.meta.dirname, '../..');
const folder = join(clone, 'plugins/execution/scripts/sdk');

t.test('the examples of the README do what they say', { timeout: 600_000, ...needs('python3') }, async (t) => {
  const workdir = await homeFolder('svc-sdk-readme-');
  t.teardown(() => rm(workdir, { recursive: true, force: true }));
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm)];
  for (const [, , file, text = ''] of blocks) if (file) await writeFile(join(workdir, file), text);
  const sessions = blocks.filter(([, language]) => language === 'console').map(([, , , text = '']) => text);
  t.equal(sessions.length, 7);
  const { PATH = '' } = process.env;
  for (const session of sessions) {
    const [, file = '', prints] = /^\$ svc run (\S+)\n([\s\S]*)$/.exec(session) ?? [];
    const { stdout } = await run(join(clone, 'cli/svc'), ['run', file], { cwd: workdir, env: { PATH, HOME: workdir } });
    t.equal(stdout, prints, file);
  }
});

t.test('the types say what the modules export, and hold users to it', async (t) => {
  const files = { 'sdk.d.mts': sdk, 'testing.d.mts': testing };
  const paths = Object.keys(files).map((file) => join(folder, file));
  const options = { strict: true, noEmit: true, module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022 };
  const use = join(import.meta.dirname, 'programs/types.ts');
  const program = ts.createProgram([...paths, use], { ...options, types: ['node'], skipLibCheck: false });
  const faults = ts.getPreEmitDiagnostics(program).filter((fault) => /\/(sdk|test)\//.test(fault.file?.fileName ?? ''));
  t.same(
    faults.map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, '\n')),
    [],
  );
  const checker = program.getTypeChecker();
  for (const [file, module] of Object.entries(files)) {
    const source = program.getSourceFile(join(folder, file))!;
    const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
    const values = exported.filter(({ flags }) => flags & ts.SymbolFlags.Value).map(({ name }) => name);
    t.same(values.sort(), Object.keys(module).sort(), file);
  }
});

t.test(
  'Python: everything public has hints and says what it does, and both flavours have the same',
  needs('python3'),
  async (t) => {
    const source = `
import inspect, typing, sys
sys.path.insert(0, ${JSON.stringify(folder)})
import svc_sdk
from svc_sdk import aio, _client

def members(module):
    for name in module.__all__ + ["exec", "input"]:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield name, value
        elif not inspect.isclass(value):
            for method, function in inspect.getmembers(value, inspect.ismethod):
                yield name + "." + method, function

for module in (svc_sdk, aio):
    for name, function in members(module):
        hints = typing.get_type_hints(function, None, vars(_client))
        parameters = [p for p in inspect.signature(function).parameters if p not in hints and p != "self"]
        assert not parameters and "return" in hints, (name, parameters)
        assert function.__doc__, name
for (name, plain), (other, awaited) in zip(members(svc_sdk), members(aio)):
    assert name == other, (name, other)
    same = inspect.signature(plain).parameters.keys() == inspect.signature(awaited).parameters.keys()
    assert same, name
    immediate = ("attempt", "data", "idempotency_key", "input", "run_id", "secret", "traceparent", "vars", "workflow")
    assert inspect.iscoroutinefunction(awaited) or name in immediate, name
    print(name)
`;
    const { stdout } = await run('python3', ['-B', '-W', 'error', '-c', source]);
    const calls =
      'activity activity_collect activity_submit activity_wait_all annotate answer artifact_put call call_graph call_node data emit ' +
      'attempt id_token idempotency_key lock output.set run_handle run_id secret serve sleep spawn state.delete state.get state.get_json state.list ' +
      'state.set step submit traceparent vars verb wait_any wait_ask wait_event wait_signal workflow exec input';
    t.same(stdout.trim().split('\n'), calls.split(' '));
  },
);
