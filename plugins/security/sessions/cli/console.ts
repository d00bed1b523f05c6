import { type Api, openInBrowser, type Run } from '../../../../cli/contract.ts';

export const run: Run = async ({ client, flags, output }) => {
  const api = await client();
  const link = await api.json<Api.SignInLink>({ method: 'POST', path: '/api/v1/session/links' });
  const onTerminal = output.columns !== undefined && flags.print !== true;
  if (onTerminal && (await openInBrowser(link.url)))
    output.note('The console opens in your browser. If it does not, open this link within 5 minutes (it works once):');
  output.data(link, () => link.url);
  return undefined;
};
