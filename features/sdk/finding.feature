Feature: A script finds the SDK without installation

  @contract
  Rule: The agent provides the SDK without changing the environment

    Scenario Outline: the SDK is found by <program>
      When I submit the SDK program "<program>"
      Then the run succeeds
      And the recorded steps are:
        | site   | exit | stdout |
        | find#0 | 0    | me\n   |
      And the log is:
        """
        SVC_ACTIVITY_ID SVC_AGENT_ID SVC_AGENT_PID SVC_AGENT_SOCKET SVC_INPUT_FILE SVC_WORKFLOW_ID
        """

      Examples:
        | program  |
        | find.ts  |
        | find.mts |
        | find.mjs |
        | find.js  |
        | find.cjs |

      @needs-python3
      Examples:
        | program  |
        | find.py  |

    @needs-python3
    Scenario: a script with the same name as the SDK still runs
      When I submit the script "svc_sdk" with the options '{"interpreter": "python3"}':
        """
        print("no SDK here")
        """
      Then the run succeeds
      And the log is:
        """
        no SDK here
        """

  Rule: A step function sees only one of the service's variables

    @SCR-027
    Scenario: a process started by the function cannot reach the agent
      When I submit the script "job.mjs":
        """
        import { spawnSync } from 'node:child_process';
        import { step } from 'svc/sdk';
        const ran = await step('body', ({ idempotencyKey }) => {
          const { status, stderr } = spawnSync('svc', ['state', 'set', 'a', 'b'], { encoding: 'utf8' });
          const own = Object.keys(process.env).filter((name) => name.startsWith('SVC_'));
          return { status, told: stderr.includes('SVC_AGENT_SOCKET'), own, key: process.env[own[0]] === idempotencyKey };
        });
        console.log(JSON.stringify(ran));
        """
      Then the run succeeds
      And the log is:
        """
        {"status":1,"told":true,"own":["SVC_IDEMPOTENCY_KEY"],"key":true}
        """
      And 1 step is recorded
