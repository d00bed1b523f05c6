Feature: A script behaves the same in a prepared interpreter

  Rule: The agent can be configured not to prepare interpreters

    @own-agent @contract
    Scenario Outline: a TypeScript script runs: <who>
      Given an agent of its own with the environment:
        | SVC_AGENT_WARM | <setting> |
      When I submit the script "twice.ts" to that agent:
        """
        import { appendFileSync } from 'node:fs';
        import { step, waitSignal } from 'svc/sdk';
        const say = (text: string): void => appendFileSync('{folder}/printed', `${text}\n`);
        say(`${process.argv.length} ${process.execArgv.length} ${import.meta.main} ${process.env.NODE_OPTIONS}`);
        say(String(await step('once', () => appendFileSync('{folder}/worked', 'worked\n') ?? 'done')));
        await waitSignal('go');
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And 2 steps are recorded
      And the file "worked" has 1 lines
      And the file "printed" holds this 2 times:
        """
        2 0 true undefined
        done
        """

      Examples:
        | who                             | setting |
        | interpreters wait               |         |
        | each pass starts an interpreter | off     |

    @own-agent @contract @needs-python3
    Scenario Outline: a Python script runs: <who>
      Given an agent of its own with the environment:
        | SVC_AGENT_WARM | <setting> |
      When I submit the script "twice.py" to that agent:
        """
        import os, sys
        import svc_sdk as svc
        def say(text): print(text, file=open('{folder}/printed', 'a'))
        def work():
            print('worked', file=open('{folder}/worked', 'a'))
            return 'done'
        say(f"{len(sys.argv)} {__name__} {'sitecustomize' in sys.path[0]} {os.environ.get('PYTHONPATH')}")
        say(svc.step('once', work))
        svc.wait_signal('go')
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And 2 steps are recorded
      And the file "worked" has 1 lines
      And the file "printed" holds this 2 times:
        """
        1 __main__ False None
        done
        """

      Examples:
        | who                             | setting |
        | interpreters wait               |         |
        | each pass starts an interpreter | off     |

    @own-agent @contract
    Scenario Outline: a bash script runs: <who>
      Given an agent of its own with the environment:
        | SVC_AGENT_WARM | <setting> |
      When I submit the script "twice.sh" to that agent:
        """
        say() { echo "$*" >> '{folder}/printed'; }
        say "$# $- $SHLVL ${BASH_ENV-unset}"
        say "$(svc step once -- sh -c "echo worked >> '{folder}/worked'; echo done")"
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And 2 steps are recorded
      And the file "worked" has 1 lines
      And the file "printed" holds this 2 times:
        """
        0 ehuB 1 unset
        done
        """

      Examples:
        | who                 | setting |
        | a bash waits        |         |
        | each pass starts it | off     |
