/** The help of this plugin's verbs for the CLI. */
export const lockHelp = {
  verb: 'lock',
  usage: 'svc lock <group> [--timeout <duration>] [--fence] [-- <command> [<argument>…]]',
  summary:
    'Acquires the lease of a group, first come, first served, and holds it until the run ends or while a command runs. Exits 124 after --timeout; --fence prints the number of the grant, which always increases.',
};

export const verbs = [lockHelp];
