/**
 * Named places where a test can kill this process as a power failure would: `SVC_FAILPOINTS=name:3,other` sends SIGKILL
 * the third time it passes `name`, or the first time it passes `other`. Costs one comparison when unset.
 */
let armed: Map<string, number> | undefined;

/** Reads the value of SVC_FAILPOINTS; called once at boot. */
export function armFailpoints(text: string | undefined): void {
  if (text === undefined || text === '') return;
  armed = new Map(
    text.split(',').map((entry): [string, number] => {
      const [name = '', count = '1'] = entry.split(':');
      return [name, Number(count)];
    }),
  );
}

/** Marks a place where a crash must lose nothing. */
export function failpoint(name: string): void {
  if (armed === undefined) return;
  const left = armed.get(name);
  if (left === undefined) return;
  armed.set(name, left - 1);
  if (left === 1) process.kill(process.pid, 'SIGKILL');
}

/** Every async method of `service` passes `<label>.<method>.before`, and `<label>.<method>.after` when it is done. */
export function withFailpoints<T extends object>(label: string, service: T): T {
  if (armed === undefined) return service;
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name === 'symbol') return member;
      return async (...args: unknown[]) => {
        failpoint(`${label}.${name}.before`);
        const result: unknown = await (member as (...given: unknown[]) => unknown).apply(target, args);
        failpoint(`${label}.${name}.after`);
        return result;
      };
    },
  });
}
