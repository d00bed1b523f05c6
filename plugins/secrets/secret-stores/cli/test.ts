import { type Api, type Run, splitReference } from '../../../../cli/contract.ts';

export const run: Run = async ({ args, output, client }) => {
  const [name = '', reference = ''] = args;
  const api = await client();
  const result = await api.json<Api.SecretStoreTest>({
    method: 'POST',
    path: api.scoped(`/secret-stores/${encodeURIComponent(name)}/test`),
    body: splitReference(reference),
    expects: ['ok'],
  });
  output.data(result, () =>
    result.ok ? `${reference} can be used` : `${result.message ?? 'it cannot be used'} (${result.code ?? 'no code'})`,
  );
  return result.ok ? undefined : 1;
};
