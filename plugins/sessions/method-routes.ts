import type { Route } from '../../kernel/contracts/index.ts';
import type { SignInMethod } from './contract.ts';
import checks from './schema/sign-in-checks.schema.json' with { type: 'json' };
import methods from './schema/sign-in-methods.schema.json' with { type: 'json' };

const PATH = '/api/v1/session/methods';
/** It sends requests to other systems, so not everybody may make it. */
const CHECK = '/api/v1/orgs/:org/session/methods/check';

export const methodRoutes = (known: readonly SignInMethod[]): Route[] => [
  {
    method: 'GET',
    path: PATH,
    operation: 'listSignInMethods',
    summary: 'By what people can sign in here',
    access: { kind: 'public' },
    responses: { 200: { description: 'The methods.', schema: methods } },
    async handle() {
      const offered = known.flatMap((method) => {
        const view = method.view();
        return view ? [[method.name, view] as const] : [];
      });
      return { status: 200, json: { token: true, ...Object.fromEntries(offered) } };
    },
  },
  {
    method: 'POST',
    path: CHECK,
    operation: 'checkSignInMethods',
    summary: 'Try the configured sign-in methods, and tell what is wrong',
    access: { kind: 'org', role: 'owner' },
    responses: { 200: { description: 'One line for each method.', schema: checks } },
    async handle() {
      const offered = known.filter((method) => method.view() !== undefined);
      const found = offered.map(async (method) => ({ method: method.name, ...(await method.check()) }));
      return { status: 200, json: { checks: await Promise.all(found) } };
    },
  },
];
