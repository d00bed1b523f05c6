import type { VaryingCalls } from './values.ts';

/**
 * Calls that return something else on each pass, by their full names. Those that are given a time or a seed are not
 * included.
 */
const PYTHON: readonly RegExp[] = [
  /^random\.(?!seed$|Random$|setstate$)[a-z]\w*$/,
  /^secrets\.\w+$/,
  /^time\.(time|monotonic|perf_counter|process_time|thread_time)(_ns)?$/,
  /^datetime\.(datetime\.(now|utcnow|today)|date\.today)$/,
  /^uuid\.uuid(1|4|6|7)$/,
  /^os\.(urandom|getpid|getrandom|times)$/,
  /^tempfile\.(mkdtemp|mkstemp|mktemp|NamedTemporaryFile|TemporaryDirectory)$/,
];

/** Calls that vary only without arguments. */
const PYTHON_WITHOUT_ARGUMENTS: readonly RegExp[] = [
  /^time\.(localtime|gmtime|ctime|asctime)$/,
  /^random\.(Random|SystemRandom)$/,
];

const JAVASCRIPT: readonly RegExp[] = [
  /^Math\.random$/,
  /^(Date\.now|performance\.now)$/,
  /^crypto\.(randomUUID|randomBytes|randomInt|randomFillSync|getRandomValues|webcrypto\.getRandomValues)$/,
  /^process\.(hrtime(\.bigint)?|uptime|pid|ppid)$/,
  /^perf_hooks\.performance\.now$/,
  /^fs(\/promises)?\.mkdtemp(Sync)?$/,
];

/** Calls that reach other systems, files or processes. A replay repeats them unless they are in a step. */
const JAVASCRIPT_EFFECTS: readonly RegExp[] = [
  /^(fetch|undici\.\w+|axios(\.\w+)?|got(\.\w+)?|ky(\.\w+)?)$/,
  /^fs(\/promises|\.promises)?\.\w+$/,
  /^child_process\.\w+$/,
  /^(https?|http2)\.(get|request|connect)$/,
  /^(net|tls)\.(connect|createConnection)$/,
  /^dns(\/promises|\.promises)?\.\w+$/,
];

/** Pauses that end with the pass. */
const JAVASCRIPT_TIMERS: readonly RegExp[] = [/^(timers(\/promises)?\.)?(setTimeout|setInterval)$/];

const PYTHON_EFFECTS: readonly RegExp[] = [
  /^(requests|httpx|aiohttp|urllib3)\.\w+(\.\w+)*$/,
  /^urllib\.request\.(urlopen|urlretrieve)$/,
  /^http\.client\.HTTPS?Connection$/,
  /^subprocess\.\w+$/,
  /^asyncio\.(create_subprocess_(exec|shell)|open_connection)$/,
  /^os\.(system|popen|remove|unlink|rename|replace|mkdir|makedirs|rmdir|listdir|scandir|stat)$/,
  /^shutil\.(?!which$)\w+$/,
  /^socket\.(socket|create_connection|gethostbyname|getaddrinfo)$/,
  /^smtplib\.SMTP(_SSL)?$/,
  /^(sqlite3|psycopg|psycopg2|pymysql)\.connect$/,
  /^(io\.|builtins\.)?open$/,
];

const PYTHON_TIMERS: readonly RegExp[] = [/^(time|asyncio)\.sleep$/, /^threading\.Timer$/];

export const JAVASCRIPT_CALLS: VaryingCalls = {
  always: JAVASCRIPT,
  without_arguments: [/^Date$/],
  imported: false,
  effects: JAVASCRIPT_EFFECTS,
  timers: JAVASCRIPT_TIMERS,
};

export const PYTHON_CALLS: VaryingCalls = {
  always: PYTHON,
  without_arguments: PYTHON_WITHOUT_ARGUMENTS,
  imported: true,
  effects: PYTHON_EFFECTS,
  timers: PYTHON_TIMERS,
};
