import t from 'tap';
import { nameKey, readCall } from './child-call.ts';
import { toWaitOutcome } from './outcome.ts';

const call = { name: 'build', argv: ['make', ''], requires: ['linux', 'linux'] };

t.test('a call is a name, a command and capabilities', async (t) => {
  t.same(readCall(call), { name: 'build', executor: 'command', spec: { argv: ['make', ''] }, requires: ['linux'] });
  const bad: [string, unknown][] = [
    ['no object', null],
    ['no name', { ...call, name: undefined }],
    ['an empty name', { ...call, name: '' }],
    ['a long name', { ...call, name: 'x'.repeat(201) }],
    ['a line break', { ...call, name: 'a\nb' }],
    ['a lone surrogate', { ...call, name: '\ud800' }],
    ['no command', { ...call, argv: [] }],
    ['an empty program', { ...call, argv: [''] }],
    ['a NUL', { ...call, argv: ['a\0'] }],
    ['a number', { ...call, argv: [1] }],
    ['too many arguments', { ...call, argv: Array.from({ length: 10_001 }, () => 'x') }],
    ['no list', { ...call, requires: 'linux' }],
    ['no capability', { ...call, requires: ['a b'] }],
    ['too many', { ...call, requires: Array.from({ length: 33 }, (_, i) => `c${i}`) }],
    ['more', { ...call, more: 1 }],
  ];
  for (const [what, args] of bad) t.throws(() => readCall(args as never), { code: 'invalid_request' }, what);
  t.throws(() => readCall({ ...call, argv: ['x'.repeat(1024 * 1024)] }), { code: 'payload_too_large' });
  t.equal(readCall({ ...call, name: '\u{1F512}'.repeat(200) }).name.length, 400);
});

t.test('names are told apart byte by byte', async (t) => {
  const names = ['a', 'A', 'a ', 'ä', 'a\u0308'];
  t.equal(new Set(names.map(nameKey)).size, names.length);
});

t.test('what a child came to', async (t) => {
  const end = { activity_id: 'act_1', parent: 'act_0', name: 'build', executor: 'command' };
  const stdout = Buffer.from('a\0b').toString('base64');
  const done = (output: unknown) => toWaitOutcome({ ...end, result: { status: 'succeeded', output: output as never } });
  t.same(done({ exit_code: 7, stdout, message: 'why' }), { exit_code: 7, output: Buffer.from('a\0b'), message: 'why' });
  const failed = toWaitOutcome({
    ...end,
    result: { status: 'failed', code: 'executor_missing', message: 'no executor' },
  });
  t.match(failed, { exit_code: 1, message: 'child build could not be run: no executor (executor_missing)' });
  for (const odd of [null, [], 'x', {}, { exit_code: 256, stdout }, { exit_code: 0 }, { exit_code: 1.5, stdout }])
    t.match(done(odd), { exit_code: 1, message: /cannot be read/ }, JSON.stringify(odd));
});
