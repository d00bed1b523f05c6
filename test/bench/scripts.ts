/** Microseconds of this moment, in a variable of bash. */
const now = (variable: string) => `${variable}=\${EPOCHREALTIME/[.,]/}`;

/**
 * Times `/bin/true` and a step with it in turns, so that a busy machine is busy for both, and the same two with their
 * output taken by `$(…)`; then parks, and does the same once more on replay. The files hold a line for each turn:
 * microseconds of the floor, the step, the floor taken and the step taken.
 */
export const stepsInTurns = (folder: string, count: number) => `
out=${folder}/new; [ ! -e "$out" ] || out=${folder}/replayed
exec 3>"$out"
svc step warm-up -- /bin/true
for ((n=0;n<${count};n++)); do
  ${now('start')}
  /bin/true >/dev/null
  ${now('floor')}
  svc step check -- /bin/true >/dev/null
  ${now('end')}
  taken=$(/bin/true)
  ${now('taken_floor')}
  taken=$(svc step check -- /bin/true)
  ${now('taken_end')}
  echo $((floor - start)) $((end - floor)) $((taken_floor - end)) $((taken_end - taken_floor)) >&3
done
svc wait-signal go >/dev/null
`;

/** One script of many that run at once. */
export const manySteps = (count: number, body = '/bin/true') =>
  `for ((i=0;i<${count};i++)); do svc step work -- ${body}; done\n`;

/** Writes the moment of its first line, in epoch microseconds. */
export const firstLine = (file: string) => `echo \${EPOCHREALTIME/[.,]/} >> "${file}"\n`;

/** Parks `rounds` times and writes the moment at which each wait was over. */
export const resumed = (file: string, rounds: number) => `
for ((i=0;i<${rounds};i++)); do svc wait-signal go >/dev/null; done
echo \${EPOCHREALTIME/[.,]/} >> "${file}"
`;

/**
 * A JavaScript program that speaks the agent socket itself over one kept connection: \`count\` steps without a process,
 * whose times in microseconds go to \`file\`, then a wait for a signal. The second pass replays all of it.
 */
export const keptSocket = (file: string, count: number) => `
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';
import { existsSync, writeFileSync } from 'node:fs';
const socket = createConnection(process.env.SVC_AGENT_SOCKET);
const waiting = [];
createInterface({ input: socket }).on('line', (line) => waiting.shift()(JSON.parse(line)));
let id = 0;
const ask = (body) => new Promise((resolve) => {
  waiting.push(resolve);
  socket.write(JSON.stringify({ id: ++id, ...body }) + '\\n');
});
await ask({ op: 'hello', protocol: 2 });
const stdout = Buffer.from('ok\\n').toString('base64');
const spans = [];
const since = performance.now();
for (let n = 0; n < ${count}; n++) {
  const start = performance.now();
  const begun = await ask({ op: 'begin', kind: 'step', name: 'kept-' + (n % 10) });
  if (begun.run) await ask({ op: 'end', exit: 0, stdout });
  else if (!begun.record) throw new Error(JSON.stringify(begun));
  spans.push(Math.round((performance.now() - start) * 1000));
}
const total = performance.now() - since;
const path = ${JSON.stringify(file)} + (existsSync(${JSON.stringify(file)} + '.new') ? '.replayed' : '.new');
writeFileSync(path, JSON.stringify({ total, spans }));
await ask({ op: 'call', verb: 'wait-signal', args: ['go'] });
socket.end();
`;

/** As many steps from bash; the time of all, in microseconds, goes to \`file\` at each pass. */
export const longBash = (file: string, count: number) => `
s=\${EPOCHREALTIME/[.,]/}
for ((i=0;i<${count};i++)); do svc step long -- /bin/true; done
echo $(( \${EPOCHREALTIME/[.,]/} - s )) >> "${file}"
svc wait-signal go >/dev/null
`;
