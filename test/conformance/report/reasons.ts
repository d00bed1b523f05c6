/** A scenario as its author wrote it. */
export interface Written {
  tags: readonly string[];
  steps: readonly string[];
}

/** Why a scenario with one of these steps needs a server or an agent of its own. The first that fits is told. */
const OF_STEPS: readonly (readonly [RegExp, string])[] = [
  [/^the token of the agents is revoked/, 'revokes the token of the agents'],
  [/^the server is (killed|stopped)/, 'kills the server and starts it again'],
  [/^(I kill the agent|every agent is|the last agent is)/, 'stops or kills agents of the server'],
  [/^(the agent whose process|the agent is)/, 'halts an agent'],
  [/^a server and an agent of (its|their) own/, 'sets the settings of the server'],
  [/^a server with the plugin/, 'gives the server a plugin of the tests'],
  [/^a server of its own with the provider/, 'changes what the database of the server holds'],
  [/^a server whose/, 'gives the server an issuer'],
  [/^a server that issues ID tokens/, 'sets the settings of the server'],
  [/"svc provider ls"/, 'needs a server that has no provider of accounts'],
  [/^I register a webhook at each/, 'needs a server that may send requests to no address but those of the tests'],
  [/^I (start|call) "svc (serve|dev|agent|admin)/, 'starts a server with settings of its own'],
  [/^(an agent|\d+ agents) of its own|^an agent "|^a program ".*of an agent/, 'starts agents with settings of its own'],
  [/^the run has no "trace_id"/, 'needs a server that has no collector of traces'],
  [/^the log of the (server|agent)/, 'reads the log of the process'],
];

/** Of a run that leaves out scenarios with these tags; undefined for a scenario that has none of them. */
export function reasonOf({ tags, steps }: Written, left_out: readonly string[]): string | undefined {
  const has = (tag: string) => left_out.includes(tag) && tags.includes(tag);
  if (has('@own-server')) {
    const found = OF_STEPS.find(([step]) => steps.some((text) => step.test(text)));
    return found && `it ${found[1]}, which only the tests' own server allows`;
  }
  if (has('@provider'))
    return "the settings of the server do not name the suite's provider of accounts (--write-providers, --providers)";
  if (has('@public-url')) return 'the run does not say that the server has a public address (--public-url)';
  if (has('@no-public-url')) return 'the server has a public address (--public-url)';
  if (has('@far-end'))
    return 'the server or its agent calls a system on this machine, and the run does not say where it finds it (--reach)';
  if (has('@contract')) return 'it shows the contract only, and the run is for the specification (--spec-only)';
  return undefined;
}
