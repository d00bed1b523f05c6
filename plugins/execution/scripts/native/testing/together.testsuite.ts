import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { openSpawner } from '../spawner.ts';
import { verbClient } from '../verb-client.ts';
import { gone, privateFolder, testAgent, until } from './test-agent.ts';
import { MIB, steps } from './verb-client-case.ts';

/** Scripts as an agent runs them: the spawner starts them, they call the client, the client asks the agent. */
export function togetherSuite(t: Test, native: boolean): void {
  const opened = async (t: Test) => {
    const folder = privateFolder(t);
    const bin = await verbClient(folder, { verbs: ['step'], cli: ['/bin/echo'], native });
    const spawner = await openSpawner({ runtime_dir: folder, native });
    t.teardown(() => spawner.close());
    const start = async (script: string) => {
      const text = { stdout: '', stderr: '' };
      const path = join(folder, 'socket');
      const log = () => Promise.all([child.log, child.error_log]).then((names) => names.join(' '));
      const agent = await testAgent(path, (message, socket) => {
        if (message['op'] !== 'verb') return { id: 1, exit: message['exit'] };
        // The script can call before the names of its log have been read.
        void log().then((names) => {
          const replayed = message['argv'].includes('old');
          const old = { id: 1, exit: 0, stdout: Buffer.from('old\n').toString('base64'), replayed, log: names };
          socket.write(`${JSON.stringify(replayed ? old : steps({ log: names, limit: MIB })(message, socket))}\n`);
        });
        return undefined;
      });
      t.teardown(() => agent.close());
      const env = { PATH: `${bin}:${process.env['PATH']}`, SVC_AGENT_SOCKET: path };
      const child = spawner.spawn({ argv: ['bash', '-eu', '-c', script], env, cwd: folder });
      child.onOutput((stream, data) => {
        text[stream] += data;
      });
      return { child, text, agent };
    };
    return { folder, start };
  };

  t.test('what leads into the log is logged once, what the script takes it gets', async (t) => {
    const { start } = await opened(t);
    const { child, text } = await start(
      'svc step new -- echo new; svc step old -- x; svc step new -- echo err >&2; svc step old -- x >&2; echo "<$(svc step old -- x)>"; svc step old -- x | cat; svc step new -- sh -c "exit 3"; echo not reached',
    );
    t.same(await child.ended, { exit_code: 3, signal: null });
    t.same(text, { stdout: 'new\n<old>\nold\n', stderr: 'err\n' });
  });

  t.test('steps of one script run at once', async (t) => {
    const { start } = await opened(t);
    const { child, text } = await start('for i in 1 2 3 4 5; do svc step new -- echo $i & done; wait');
    t.same(await child.ended, { exit_code: 0, signal: null });
    t.equal(text.stdout.split('\n').sort().join(''), '12345');
  });

  if (!native) {
    t.end();
    return;
  }

  t.test('a signal to the group reaches a command once', async (t) => {
    const { start, folder } = await opened(t);
    const [done, got] = [join(folder, 'done'), join(folder, 'got')];
    writeFileSync(got, '');
    const command = `trap "echo got >> ${got}" TERM; echo $PPID; until [ -e ${done} ]; do sleep 0.01; done`;
    const { child, text } = await start(`trap '' TERM; (trap - TERM; svc step new -- bash -c '${command}')`);
    await until(() => text.stdout.includes('\n'));
    const client = Number(text.stdout);
    const status = () => readFileSync(`/proc/${client}/status`, 'latin1');
    // The client stands still until the command has dealt with the signal, or two would look like one.
    process.kill(client, 'SIGSTOP');
    await until(() => status().includes('State:\tT'));
    child.kill('SIGTERM');
    await until(() => readFileSync(got, 'utf8') !== '');
    process.kill(client, 'SIGCONT');
    await until(() => /State:\tS/.test(status()) && /ShdPnd:\t0+\n/.test(status()));
    writeFileSync(done, '');
    await child.ended;
    t.equal(readFileSync(got, 'utf8'), 'got\n');
  });

  t.test('a command ends with its client', async (t) => {
    const { start, folder } = await opened(t);
    const go = join(folder, 'go');
    const step = "svc step new -- bash -c 'echo $$; exec sleep 1000' & client=$!";
    const kill = `until [ -e ${go} ]; do sleep 0.01; done; kill -9 $client`;
    const { child, text } = await start(`${step}; ${kill}; while :; do sleep 0.01; done`);
    await until(() => text.stdout.includes('\n'));
    const command = Number(text.stdout);
    t.notOk(gone(command));
    writeFileSync(go, '');
    await until(() => gone(command));
    t.notOk(gone(await child.pid), 'not because the script has ended');
  });
  t.end();
}
