import type { AccountTest, CredentialTest } from './generated/api.ts';
import type { Invocation } from './command.ts';
import { Exit } from './errors.ts';

/** Asks the server to test a credential or an account, and prints what it found. Fails unless it works. */
export async function runTest(
  { args, output, client }: Invocation,
  plural: 'accounts' | 'credentials',
  body?: unknown,
): Promise<number | undefined> {
  const api = await client();
  const path = api.scoped(`/${plural}/${encodeURIComponent(args[0]!)}/test`);
  const found = await api.json<AccountTest | CredentialTest>({ method: 'POST', path, body, expects: ['result'] });
  output.data(found, () => `${found.result}: ${found.says}`);
  return found.result === 'works' ? undefined : Exit.failed;
}
