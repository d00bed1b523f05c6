import type { Route } from '../../../kernel/contracts/index.ts';
import type { SignInMethod } from './contract.ts';
import checks from './schema/sign-in-checks.schema.json' with { type: 'json' };
import methods from './schema/sign-in-methods.schema.json' with { type: 'json' };

const PATH = '/api/v1/session/methods';
/** The check sends requests to other systems, so only owners may run it. */
const CHECK = '/api/v1/orgs/:org/session/methods/check';

export const methodRoutes = (sign_in_methods: readonly SignInMethod[]): Route[] => [
  {
    method: 'GET',
    path: PATH,
    operation: 'listSignInMethods',
    summary: 'Show how people can sign in',
    access: { kind: 'public' },
    responses: { 200: { description: 'The methods.', schema: methods } },
    async handle() {
      const offered = sign_in_methods.flatMap((method) => {
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
    summary: 'Test the configured sign-in methods, and show what is wrong',
    access: { kind: 'org', role: 'owner' },
    responses: { 200: { description: 'One line for each method.', schema: checks } },
    async handle() {
      const offered = sign_in_methods.filter((method) => method.view() !== undefined);
      const results = offered.map(async (method) => ({ method: method.name, ...(await method.check()) }));
      return { status: 200, json: { checks: await Promise.all(results) } };
    },
  },
];
