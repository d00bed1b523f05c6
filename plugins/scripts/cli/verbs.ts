/** The verbs of this plugin, as the command line explains them. */
export const stepHelp = {
  verb: 'step',
  usage:
    'svc step <name> [--label <text>] [--retry <attempts> [--backoff <duration> [--max-backoff <duration>]]] [--timeout <duration>] -- <command> [<argument>…]',
  summary:
    'Runs a command once and records its output and exit code; later passes get the recorded result. With --retry it is run until it succeeds, so often at most; with --timeout an attempt that takes longer is ended and exits with 124.',
};

export const sleepHelp = {
  verb: 'sleep',
  usage: 'svc sleep <duration>',
  summary:
    'Suspends the run for a time such as 500ms, 5s, 1m, 2h, 30d or 1h30m; the script then starts again from the top.',
};

export const waitSignalHelp = {
  verb: 'wait-signal',
  usage: 'svc wait-signal <name> [--timeout <duration>]',
  summary:
    'Suspends the run until the next signal of that name and prints its payload as JSON; exits 124 after --timeout.',
};

export const spawnHelp = {
  verb: 'spawn',
  usage: 'svc spawn <file>|- [--as pipeline|script] [--tag <tag>]… [--include <path>]…',
  summary:
    'Submits a file as an independent run and prints its id; - reads it from standard input; --include takes files along that lie beside it. This run does not wait for it, and its result does not matter to this run. Runs spawn runs at most 16 deep.',
};

export const stateHelp = {
  verb: 'state',
  usage: 'svc state get <key> | set <key> <value>|- | delete <key> | list  [--entity <name>]',
  summary:
    'Reads and writes durable cells: those of the run, or with --entity those of the project. - reads the value from standard input.',
};

export const inputHelp = {
  verb: 'input',
  usage: 'svc input [<path>] [--default <value>] [--envelope]',
  summary:
    'Prints what was submitted as input, or the payload of the event that started the run: a text as it is, everything else as JSON. A path such as order.items[0].id names a part of it; where nothing is, it exits 1, or prints --default, which also stands for null. --envelope reads from the whole file of $SVC_INPUT_FILE, with type and key.',
};

export const outputHelp = {
  verb: 'output',
  usage: 'svc output set <key>=<text>|<key>:=<json>…',
  summary:
    'Stages keys of the run’s output, which is kept only if the script exits with 0: k=v sets a text, k:=json a JSON value.',
};

export const annotateHelp = {
  verb: 'annotate',
  usage: 'svc annotate <markdown>|-',
  summary:
    'Attaches a markdown note to the run; - reads it from standard input. Repeating it in every pass still leaves one note.',
};

export const verbs = [stepHelp, sleepHelp, waitSignalHelp, spawnHelp, stateHelp, inputHelp, outputHelp, annotateHelp];
