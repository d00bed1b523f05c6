import { token } from '../../../../kernel/contracts/index.ts';

/** Unfinished runs that name a credential, newest first. */
export interface CredentialRuns {
  naming(
    scope: { org_id: string; project_id: string },
    credential: string,
    limit: number,
  ): Promise<{ run_id: string; workflow: string; variables: string[] }[]>;
}

export const CredentialRuns = token<CredentialRuns>('runs.CredentialRuns');

/** Variables that make loaders, shells, interpreters or git run other code before, or instead of, the program itself. */
const DECIDING = new RegExp(
  `^(?:${[
    'PATH|(?:LD|DYLD|GIT|OPENSSL)_.*|GCONV_PATH|GLIBC_TUNABLES',
    'BASH_ENV|ENV|BASHOPTS|SHELLOPTS|IFS|PS4|PROMPT_COMMAND|CDPATH|GLOBIGNORE|ZDOTDIR',
    'NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|(?:PYTHON|PERL5|RUBY)(?:OPT|LIB|DB|PATH|HOME|STARTUP|INSPECT|BREAKPOINT)',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR|GOFLAGS',
    'MAKEFLAGS|DOTNET_STARTUP_HOOKS|npm_config_(?:node_options|script_shell)|NPM_CONFIG_(?:NODE_OPTIONS|SCRIPT_SHELL)',
  ].join('|')})$`,
);

/**
 * Why a secret or a credential cannot be passed to jobs as a variable of this name; undefined when it can. Variables
 * that the service or the program loader reads are not allowed.
 */
export function variableFault(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) return 'must be a variable name: [A-Za-z_][A-Za-z0-9_]{0,127}';
  if (/^(SVC_|CI_TRIGGER_)/.test(name))
    return 'must not begin with SVC_ or CI_TRIGGER_: these prefixes are reserved for the service';
  if (DECIDING.test(name)) return `must not be ${name}: it decides what programs run, or how they start`;
  return undefined;
}

/**
 * Holds the credential with which an agent fetches a repository before it begins. Nobody else can name a variable so, as
 * `variableFault` has it.
 */
export const CHECKOUT_VARIABLE = 'GIT_CHECKOUT_CREDENTIAL';
