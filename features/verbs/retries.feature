@contract
Feature: A step is retried after a failure

  Rule: The last attempt is recorded, and earlier attempts are shown with it

    Scenario: the third attempt succeeds
      When I submit the script "flaky.sh":
        """
        said=$(svc step flaky --retry 5 --backoff 10ms -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys; echo "try $ATTEMPT"; test "$ATTEMPT" = 3')
        echo "it came to: $said"
        svc sleep 10ms
        """
      Then the run succeeds
      And the recorded steps are:
        | site    | kind  | exit | stdout  |
        | flaky#0 | step  | 0    | try 3\n |
        | sleep#0 | sleep | 0    |         |
      And the file "keys" has 3 lines
      And the file "keys" has 1 different line
      And the log has "it came to: try 3" 2 times
      When I call "svc steps {run} --output"
      Then it exits with 0
      And standard output matches 'exit 0, attempt 3 of 5.*try 3'
      And standard output matches 'flaky#0 attempt 1 +exit 1 .*try 1'
      And standard output matches 'flaky#0 attempt 2 +exit 1 .*try 2'

    Scenario: no attempt succeeds
      When I submit the script "hopeless.sh":
        """
        svc step hopeless --retry 3 -- sh -c 'echo "$ATTEMPT" >> {folder}/attempts; exit 4$ATTEMPT'
        """
      Then the run fails with code "script_failed"
      And the file "attempts" has 3 lines
      And the recorded steps are:
        | site       | kind | exit | stdout |
        | hopeless#0 | step | 43   |        |
      When I call "svc explain {run}"
      Then standard output has "hopeless#0"

    Scenario: a child on another agent is retried in the same way
      When I submit the script "child.sh":
        """
        svc activity far --retry 3 --backoff 10ms --timeout 1m -- sh -c 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2'
        """
      Then the run succeeds
      And the recorded steps are:
        | site  | kind     | exit | stdout  |
        | far#0 | activity | 0    | try 2\n |
      When I call "svc steps {run} --output"
      Then standard output matches 'far#0 attempt 1 +exit 1 .*try 1'

    Scenario: invalid options are rejected before anything runs
      When I submit the script "wrong.sh":
        """
        for options in "--retry 0" "--retry 101" "--retry two" "--backoff 1s" "--retry 2 --max-backoff 1s" "--timeout 0s" "--retry 2 --backoff 0ms" "--again 2"; do
          code=0; svc step wrong $options -- touch {folder}/ran || code=$?
          echo "$options: $code"
        done
        """
      Then the run succeeds
      And the log has ': 2' 8 times
      And the log has "--retry needs a number of attempts from 1 to 100"
      And 0 steps are recorded
      And the file "ran" is not there

  Rule: A long pause occupies no agent

    Scenario: the run shows that it waits for the next attempt
      Given a file "patient.sh":
        """
        echo "$$" >> {folder}/passes
        svc step patient --retry 2 --backoff 1h -- sh -c 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2'
        """
      When I submit "{folder}/patient.sh" with the CLI as "patient"
      And I look at the run "patient"
      Then the run waits for "sleep" "patient#0"
      And the run waits for 3600 seconds
      And the processes of the file "passes" are gone
      When I call "svc explain {run}"
      Then standard output has "step patient#0 has failed 1 of 2 times, most recently with exit code 1; the next attempt starts at"
      When I call "svc steps {run} --output"
      Then standard output matches 'waiting until .*attempt 2 of 2'
      And standard output matches 'patient#0 attempt 1 +exit 1 .*try 1'
      When I call "svc check {folder}/patient.sh --replay {run}"
      Then it exits with 0
      And standard output has "waits in step patient#0, like the run"
      When I cancel the run because "it was looked at"
      Then the run is "cancelled"

    Scenario: the run continues with the next attempt
      When I submit the script "patient.sh":
        """
        echo "$$" >> {folder}/passes
        svc step patient --retry 2 --backoff 5s -- sh -c 'echo "try $ATTEMPT"; test "$ATTEMPT" = 2'
        """
      Then the run waits for "sleep" "patient#0"
      And the run succeeds
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site      | kind | exit | stdout  |
        | patient#0 | step | 0    | try 2\n |

  Rule: Attempts are counted across crashes of agents and servers

    @own-agent
    Scenario: the agent is killed during the second attempt
      Given a gate "open"
      And 2 agents of its own
      When I submit the script "killed.sh" to those agents:
        """
        echo "$SVC_AGENT_PID" >> {folder}/passes
        svc step tried --retry 3 -- sh -c 'echo "$ATTEMPT" >> {folder}/attempts; test "$ATTEMPT" -gt 1 || exit 7; [ "$(wc -l < {folder}/attempts)" -gt 2 ] || read -r _ < {folder}/open; test "$ATTEMPT" = 3'
        """
      Then the file "attempts" soon has 2 lines
      When I kill the agent whose process is in the file "passes"
      Then the run succeeds
      And the file "passes" has 2 different lines
      And the file "attempts" is:
        """
        1
        2
        2
        3
        """

    @own-server @configured
    Scenario: the server is killed while the run waits for the second attempt
      Given a server and an agent of their own with:
        | SVC_LEASE_MS | 60000 |
      When I submit the script "restarted.sh":
        """
        svc step tried --retry 2 --backoff 6s -- sh -c 'echo "$ATTEMPT" >> {folder}/attempts; test "$ATTEMPT" = 2'
        """
      Then the run waits for "sleep" "tried#0"
      When the server is killed
      And the server is started again
      Then the run succeeds
      And the file "attempts" is:
        """
        1
        2
        """
