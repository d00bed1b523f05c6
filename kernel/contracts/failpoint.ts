/**
 * Failpoints let a test kill this process as a power failure would: `SVC_FAILPOINTS=name:3,other` sends SIGKILL the third
 * time that execution reaches `name`, or the first time that it reaches `other`. They cost one comparison when unset.
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

/** Marks a point at which a crash must lose nothing. */
export function failpoint(name: string): void {
  if (armed === undefined) return;
  const remaining = armed.get(name);
  if (remaining === undefined) return;
  armed.set(name, remaining - 1);
  if (remaining === 1) process.kill(process.pid, 'SIGKILL');
}

/** Adds the failpoints `<label>.<method>.before` and `<label>.<method>.after` to every async method of `service`. */
export function withFailpoints<T extends object>(label: string, service: T): T {
  if (armed === undefined) return service;
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name === 'symbol') return member;
      return async (...args: unknown[]) => {
        failpoint(`${label}.${name}.before`);
        const result: unknown = await (member as (...args: unknown[]) => unknown).apply(target, args);
        failpoint(`${label}.${name}.after`);
        return result;
      };
    },
  });
}
