import type { TestServer } from './boot.ts';

/** How many put, remove and read one resource at once. */
const CALLS = 60;

/**
 * Puts and removes one resource many times at once. Answers what is wrong: a PUT that was refused or told of something
 * else, or a count of made and removed ones that does not fit what is left. Empty when all is well.
 */
export async function contestedPuts(server: TestServer, path: string, body: object): Promise<string[]> {
  const name = path.split('/').at(-1)!;
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, n) =>
      n % 2 === 0 ? server.call('member', `PUT ${path}`, body) : server.call('member', `DELETE ${path}`),
    ),
  );
  const puts = answers.filter((_, n) => n % 2 === 0);
  const faults = puts
    .filter(({ status, json }) => (status !== 200 && status !== 201) || json.name !== name)
    .map(({ status, text }) => `PUT: ${status} ${text}`);
  const removed = answers.filter(({ status }) => status === 204).length;
  const made = puts.filter(({ status }) => status === 201).length;
  const left = (await server.call('viewer', `GET ${path}`)).status === 200 ? 1 : 0;
  if (made !== removed + left) faults.push(`${made} were made, ${removed} removed and ${left} left`);
  return faults;
}
