Feature: Running without a server

  Rule: svc run uses the server's engine in its own process

    @CLI-053
    Scenario Outline: svc run of <file> prints the same output as a server
      Given a file "<file>":
        """
        <source>
        """
      When I call "svc submit <file> --follow --json"
      Then it exits with 0
      When I note the output of the run and its streams
      And I call "svc run <file> --json" without the environment's target
      Then it exits with 0
      And the output of the run and its streams are the same

      Examples:
        | file   | source |
        | job.sh | svc step a -- echo one\nsvc sleep 20ms\necho two\nsvc step b -- bash -c 'echo err >&2; exit 3' \|\| echo "code $?"\nsvc output set x=1 y:=[2] |

      @needs-python3
      Examples:
        | file   | source |
        | job.py | import subprocess\nprint(subprocess.check_output(['svc', 'step', 'a', '--', 'echo', 'one'], text=True))\nsubprocess.run(['svc', 'sleep', '20ms'], check=True)\nsubprocess.run(['svc', 'output', 'set', 'x=1'], check=True) |

    @contract
    Scenario: svc run exits with 1 for a failed run and leaves no files
      Given a file "job.sh":
        """
        pwd; exit 5
        """
      When I call "svc run job.sh" without the environment's target
      Then it exits with 1
      And standard error has "(script_failed)"
      And the folder holds only "job.sh"

    @contract
    Scenario: signals can be queued before the run starts
      Given a file "job.sh":
        """
        svc wait-signal go
        svc wait-signal more
        """
      When I call "svc run job.sh --signal go --signal more={}" without the environment's target
      Then it exits with 0
      And standard output is:
        """
        null
        {}
        """

    @contract
    Scenario: an interrupt cancels the run cleanly
      Given a file "job.sh":
        """
        echo begun
        svc wait-signal never
        """
      When I start "svc run job.sh" as "it" with the settings:
        | SVC_LOG_LEVEL | error |
      Then "it" says "begun"
      When "it" gets the signal "SIGINT"
      Then "it" ends with 1
      And the log of "it" has "cancelled"
